// Networks from config.json. The files hf_*.json of the corpus are those of public networks, as
// github.com/ai-dynamo/aiconfigurator (Apache-2.0) keeps them; one has an Infinity and so is no JSON.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "calibrate/import/import.hpp"
#include "models/networks/workload.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/input_file.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "tests/unit/sim/temporary_folder.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {
namespace {

ImportResult import_config(const std::string& text) {
  static const Catalog catalog = Catalog::builtin();
  return import_text(catalog, {.kind = "hf-config", .path = "config.json", .program = "t"}, text);
}

/// Written to a file and read back as a scenario does.
Workload network_of_config(const std::string& text, std::int64_t seq_len = 0) {
  const TemporaryFolder folder;
  const std::string path = folder / "mine.json";
  write_file_atomically(path, import_config(text).text);
  WorkloadOptions options;
  if (seq_len > 0) options.seq_len = seq_len;
  return load_workload(path, options);
}

std::string config_complaint(const std::string& text) {
  return error_text([&] { (void)import_config(text); });
}

std::string shared_config(const std::string& name) {
  return read_file(std::string{RACKCAST_SOURCE_DIR} + "/tests/data/imports/" + name);
}

/// The same operators as the network that comes with the program: parameters, and arithmetic of one sequence.
void check_same(const std::string& config, const std::string& known, std::int64_t seq_len = 512) {
  CAPTURE(known);
  WorkloadOptions options;
  if (seq_len > 0) options.seq_len = seq_len;
  const Workload mine = network_of_config(config, seq_len), theirs = load_workload(known, options);
  CHECK(mine.parameters() == theirs.parameters());
  CHECK(mine.forward_flop().base() == doctest::Approx(theirs.forward_flop().base()).epsilon(1e-9));
}

TEST_CASE("config.json of public networks describes those that come with the program") {
  for (const auto& [file, known] : {std::pair{"hf_llama-3.1-8b.json", "llama3.1-8b"},
                                    {"hf_mixtral-8x7b.json", "mixtral-8x7b"},
                                    {"hf_qwen3-0.6b.json", "qwen3-0.6b"},
                                    {"hf_qwen3-30b-a3b.json", "qwen3-30b-a3b"},
                                    {"hf_deepseek-v3.json", "deepseek-v3"},
                                    {"hf_kimi-k2.json", "kimi-k2"},
                                    {"hf_gpt-oss-120b.json", "gpt-oss-120b"},
                                    {"hf_llama-4-maverick.json", "llama4-maverick"},
                                    {"hf_minimax-m2.5.json", "minimax-m2"},
                                    {"hf_nemotron-h-56b.txt", "nemotron-h-56b"},
                                    {"hf_nemotron-3-nano-30b.json", "nemotron3-nano-30b"}})
    check_same(shared_config(file), known);
}

TEST_CASE("families without a file in the corpus have the sizes that are published") {
  check_same(R"({"model_type": "gpt2", "n_layer": 12, "n_embd": 768, "n_head": 12, "n_positions": 1024,
                 "vocab_size": 50257})",
             "gpt2-small");
  check_same(R"({"model_type": "bloom", "n_layer": 24, "hidden_size": 1024, "num_attention_heads": 16,
                 "vocab_size": 250880})",
             "bloom-560m");
  check_same(R"({"model_type": "falcon", "num_hidden_layers": 32, "hidden_size": 4544,
                 "num_attention_heads": 71, "vocab_size": 65024, "multi_query": true, "bias": false,
                 "parallel_attn": true, "new_decoder_architecture": false})",
             "falcon-7b");
  check_same(R"({"model_type": "opt", "num_hidden_layers": 12, "hidden_size": 768, "num_attention_heads": 12,
                 "ffn_dim": 3072, "vocab_size": 50272, "max_position_embeddings": 2048})",
             "opt-125m");
  check_same(R"({"model_type": "phi", "num_hidden_layers": 32, "hidden_size": 2560, "num_attention_heads": 32,
                 "intermediate_size": 10240, "vocab_size": 51200, "max_position_embeddings": 2048})",
             "phi-2");
  check_same(R"({"model_type": "gemma2", "num_hidden_layers": 42, "hidden_size": 3584,
                 "num_attention_heads": 16, "num_key_value_heads": 8, "intermediate_size": 14336})",
             "gemma2-9b");
  check_same(R"({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "num_hidden_layers": 62,
                 "hidden_size": 5376, "num_attention_heads": 32, "num_key_value_heads": 16, "head_dim": 128,
                 "intermediate_size": 21504, "sliding_window": 1024, "vocab_size": 262144}})",
             "gemma3-27b");
  check_same(
      R"({"model_type": "qwen2", "num_hidden_layers": 28, "hidden_size": 3584, "num_attention_heads": 28,
                 "num_key_value_heads": 4, "intermediate_size": 18944, "vocab_size": 152064,
                 "max_position_embeddings": 131072, "use_sliding_window": false, "sliding_window": 131072})",
      "qwen2.5-7b");
  check_same(R"({"model_type": "glm4_moe", "num_hidden_layers": 92, "hidden_size": 5120,
                 "num_attention_heads": 96, "num_key_value_heads": 8, "head_dim": 128,
                 "intermediate_size": 12288, "moe_intermediate_size": 1536, "n_routed_experts": 160,
                 "num_experts_per_tok": 8, "n_shared_experts": 1, "first_k_dense_replace": 3,
                 "vocab_size": 151552, "max_position_embeddings": 131072, "attention_bias": true,
                 "use_qk_norm": true, "tie_word_embeddings": false})",
             "glm-4.5");
  check_same(
      R"({"model_type": "t5", "d_model": 512, "num_heads": 8, "d_kv": 64, "d_ff": 2048, "num_layers": 6,
                 "vocab_size": 32128, "feed_forward_proj": "relu"})",
      "t5-small", 0);
  check_same(R"({"model_type": "vit", "image_size": 224, "patch_size": 16, "hidden_size": 1024,
                 "num_attention_heads": 16, "intermediate_size": 4096, "num_hidden_layers": 24})",
             "vit-l-16", 0);
}

TEST_CASE("sizes follow the published count where the program has no such network") {
  // GPT-NeoX-20B (arXiv 2204.06745, section 3): 20,554,567,680 parameters. Its second norm of each layer,
  // 2 * 6144 of them, is left out, and the document says so.
  const std::string neox = R"({"model_type": "gpt_neox", "num_hidden_layers": 44, "hidden_size": 6144,
    "num_attention_heads": 64, "intermediate_size": 24576, "vocab_size": 50432,
    "max_position_embeddings": 2048, "tie_word_embeddings": false})";
  CHECK(network_of_config(neox).parameters() == 20554567680.0 - 44 * 2 * 6144);
  CHECK(import_config(neox).warnings.size() == 1);
  // BERT base and its head of masked words (transformers, BertForMaskedLM): 109,514,298.
  CHECK(network_of_config(R"({"model_type": "bert", "num_hidden_layers": 12, "hidden_size": 768,
    "num_attention_heads": 12, "intermediate_size": 3072, "vocab_size": 30522,
    "max_position_embeddings": 512, "type_vocab_size": 2})")
            .parameters() == 109514298.0);
}

TEST_CASE("a configuration that cannot be described is refused with the reason") {
  const std::string llama = R"("num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4,
    "intermediate_size": 128, "vocab_size": 100, "max_position_embeddings": 128)";
  CHECK(network_of_config(R"({"model_type": "llama", )" + llama + "}").parameters() > 0);
  CHECK(config_complaint(R"({"model_type": "lama", )" + llama + "}").find("did you mean \"llama\"") !=
        std::string::npos);
  CHECK(config_complaint(R"({"model_type": "qwen3_next", )" + llama + "}").find("linear attention") !=
        std::string::npos);
  CHECK(config_complaint(R"({"architectures": ["X"]})").find("model_type") != std::string::npos);
  CHECK(config_complaint(R"({"model_type": "llama", "hidden_size": 64})").find("num_hidden_layers") !=
        std::string::npos);
  CHECK(config_complaint(R"({"model_type": "llama", "num_key_value_heads": 3, )" + llama + "}")
            .find("must be divisible by kv_heads=3") != std::string::npos);
  CHECK(config_complaint(R"({"model_type": "llama", "num_key_value_heads": -1, )" + llama + "}")
            .find("config.json:1:") != std::string::npos);
  CHECK(config_complaint(R"({"model_type": "qwen2", "use_sliding_window": true, )" + llama + "}")
            .find("windows in the upper layers") != std::string::npos);
  CHECK(config_complaint(R"({"model_type": "gpt_oss", "num_local_experts": 4, "num_experts_per_tok": 2,
    "layer_types": ["full_attention", "sliding_attention"], )" +
                         llama + "}")
            .find("at one distance") != std::string::npos);
  CHECK(config_complaint(R"({"model_type": "opt", "do_layer_norm_before": false})").find("OPT-350M") !=
        std::string::npos);
  CHECK(config_complaint(R"({"model_type": "nemotron_h", "hybrid_override_pattern": "M*x", )" + llama + "}")
            .find("not 'x'") != std::string::npos);
  CHECK(config_complaint(R"({"model_type": 7})").find("model_type") != std::string::npos);
  CHECK(config_complaint(R"(["model_type"])").find("is an object") != std::string::npos);
}

TEST_CASE("Python's Infinity outside of words counts as nothing, inside of words as a word") {
  const std::string text =
      R"({"model_type": "llama", "note": "Infinity \" NaN", "limit": [0.0, Infinity, NaN],
    "num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "intermediate_size": 128,
    "vocab_size": 100, "max_position_embeddings": -Infinity})";
  CHECK(config_complaint(text).find("has no \"max_position_embeddings\"") != std::string::npos);
}

}  // namespace
}  // namespace rackcast
