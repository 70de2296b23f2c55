#include <doctest/doctest.h>

#include "models/networks/token_facts.hpp"
#include "models/networks/transformer.hpp"
#include "models/networks/workload.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {
namespace {

TransformerShape small() {
  TransformerShape s;
  s.layers = 2;
  s.hidden = 64;
  s.heads = 4;
  s.vocab = 1000;
  s.seq_len = 32;
  return s;
}

TEST_CASE("one more layer adds the parameters and FLOPs of the closed form") {
  // Per layer with h = 64, s = 32, a = 4: attention 4 h^2, MLP 8 h^2, two RMS norms 2 h.
  // FLOPs: 2 s (12 h^2) for the products, 4 s^2 h for scores and weighted sum.
  TransformerShape two = small(), three = small();
  three.layers = 3;
  const Workload a = transformer_workload(two), b = transformer_workload(three);
  CHECK(b.parameters() - a.parameters() == 12 * 64 * 64 + 2 * 64);
  CHECK((b.forward_flop() - a.forward_flop()).base() == 2.0 * 32 * 12 * 64 * 64 + 4.0 * 32 * 32 * 64);
}

TEST_CASE("a layer keeps the activations of the published formula") {
  // Korthikanti et al., arXiv 2205.05198, equation 1: s b h (34 + 5 a s / h) bytes at 2 bytes per element
  // with dropout, so s h (17 + 2.5 a s / h) elements for one sample.
  TransformerShape two = small(), three = small();
  two.dropout = three.dropout = true;
  three.layers = 3;
  const double s = 32, h = 64, heads = 4;
  const Workload a = transformer_workload(two), b = transformer_workload(three);
  CHECK(b.activation_elements() - a.activation_elements() == s * h * (17 + 2.5 * heads * s / h));
}

TEST_CASE("grouped heads, gated MLP and tied output change the parameters as they should") {
  TransformerShape s = small();
  const double plain = transformer_workload(s).parameters();
  s.kv_heads = 2;  // keys and values half as wide: h^2 fewer per layer
  const double grouped = transformer_workload(s).parameters();
  CHECK(plain - grouped == 2 * 64 * 64);
  s.gated_mlp = true;  // one more h x 4h matrix per layer
  const double gated = transformer_workload(s).parameters();
  CHECK(gated - grouped == 2 * 4 * 64 * 64);
  s.tied_output = true;
  CHECK(gated - transformer_workload(s).parameters() == 1000 * 64);
}

TEST_CASE("experts hold all parameters and do the arithmetic of the chosen ones") {
  TransformerShape dense = small(), moe = small();
  dense.ffn = 128;
  moe.experts = 8;
  moe.top_k = 2;
  moe.moe_ffn = 128;
  const Workload a = transformer_workload(dense), b = transformer_workload(moe);
  // Per layer: 8 experts instead of one MLP of 2 h f, and a router of 8 h.
  const double mlp = 2.0 * 64 * 128;
  CHECK(b.parameters() - a.parameters() == 2 * (7 * mlp + 8 * 64));
  // Two experts per token instead of one MLP, and the router: 2 s each.
  CHECK((b.forward_flop() - a.forward_flop()).base() == doctest::Approx(2 * 2 * 32 * (mlp + 8 * 64)));
}

TEST_CASE("a window leaves the scores of the tokens that it shows") {
  // 32 tokens, a window of 8: 8 * 32 - 8^2 / 2 = 224 of the 512 scores that a causal mask leaves, so 14 keys
  // of
  // 32. A layer multiplies twice, for 4 heads of 16: 4 * 32 * 14 * 64 FLOPs instead of 4 * 32 * 32 * 64.
  TransformerShape whole = small(), windowed = small();
  windowed.window = 8;
  const double layer = 4.0 * 32 * (32 - 14) * 64;
  const double all = transformer_workload(whole).forward_flop().base();
  CHECK(all - transformer_workload(windowed).forward_flop().base() == doctest::Approx(2 * layer));
  windowed.full_attention_every = 2;  // the second of two layers sees all
  CHECK(all - transformer_workload(windowed).forward_flop().base() == doctest::Approx(layer));
  windowed.window = 32;
  CHECK(transformer_workload(windowed).forward_flop().base() == all);
}

TEST_CASE("norms of queries and keys, biases of projections and sandwich norms add their parameters") {
  TransformerShape s = small();
  s.kv_heads = 2;
  const double plain = transformer_workload(s).parameters();
  s.qk_norm = true;  // two vectors of a head's 16 in each of two layers
  CHECK(transformer_workload(s).parameters() - plain == 2 * 2 * 16);
  s.qk_norm = false;
  s.qkv_bias = true;  // 64 queries, 32 keys, 32 values
  CHECK(transformer_workload(s).parameters() - plain == 2 * (64 + 32 + 32));
  s.qkv_bias = false;
  s.sandwich_norm = true;  // two RMS norms of 64
  CHECK(transformer_workload(s).parameters() - plain == 2 * 2 * 64);
}

TEST_CASE("experts in every second layer leave an MLP in the others") {
  TransformerShape s = small();
  s.layers = 4;
  s.experts = 8;
  s.top_k = 1;
  s.moe_ffn = 128;
  s.dense_layers = 1;
  s.expert_every = 2;
  CHECK_FALSE(has_experts(s, 0));
  CHECK(has_experts(s, 1));
  CHECK_FALSE(has_experts(s, 2));
  CHECK(has_experts(s, 3));
  TransformerShape dense = small();
  dense.layers = 4;
  // Two MLPs of 2 * 64 * 256 become 8 experts of 2 * 64 * 128 and a router of 8 * 64.
  CHECK(transformer_workload(s).parameters() - transformer_workload(dense).parameters() ==
        2 * (8.0 * 2 * 64 * 128 + 8 * 64 - 2 * 64 * 256));
}

TEST_CASE("few tokens read the matrices of few experts") {
  TransformerShape s = small();
  s.experts = 8;
  s.top_k = 2;
  s.moe_ffn = 128;
  const auto up = [&](std::int64_t tokens) {
    s.seq_len = tokens;
    for (const Operator& op : transformer_workload(s).operators)
      if (op.name == "layer1.experts.up") return op;
    return Operator{};
  };
  CHECK(up(1).shape.count == 2);  // the two that the token chose, a row each
  CHECK(up(1).shape.rows == 1);
  CHECK(up(2).shape.count == 4);  // 8 * (1 - (6/8)^2) = 3.5
  CHECK(up(32).shape.count == 8);
  CHECK(up(32).shape.rows == 8);
  CHECK(up(1).parameters == up(32).parameters);  // all are held
  CHECK(up(1).forward_flop == Flop{2.0 * 2 * 64 * 128});
  // Two of four GPUs' experts: 1 token of each reaches 2 * (1 - (6/8)^4) = 1.4 of them.
  s.local_experts = 2;
  CHECK(up(1).shape.count == 1);
}

TEST_CASE("a token meets its experts alone and leaves keys and values in each layer") {
  TransformerShape s = small();
  s.kv_heads = 2;
  CHECK(kv_elements(s, 10) == 2 * 10 * 2 * 2 * 16);  // layers, tokens, keys and values, heads, width
  s.window = 4;
  s.full_attention_every = 2;
  CHECK(kv_elements(s, 10) == (4 + 10) * 2 * 2 * 16);
  s.experts = 8;
  s.top_k = 2;
  s.moe_ffn = 128;
  const Workload w = transformer_workload(s);
  // Six of eight experts of 2 * 64 * 128 are left out, in two layers.
  CHECK(w.parameters() - active_parameters(w) == 2 * 6 * 2 * 64 * 128);
  const Workload latent = load_workload("deepseek-v3");
  CHECK(kv_elements(*latent.transformer, 1) == 61 * (512 + 64));  // arXiv 2405.04434, table 1: d_c + d_h^R
}

TEST_CASE("language models say the active parameters that their sources print") {
  // gpt-oss counts no table of words at the input: 201,088 rows of 2,880 less (arXiv 2508.10925, table 1).
  const double words = 201088.0 * 2880;
  CHECK(active_parameters(load_workload("gpt-oss-120b")) - words == doctest::Approx(5.13e9).epsilon(0.005));
  CHECK(active_parameters(load_workload("gpt-oss-20b")) - words == doctest::Approx(3.61e9).epsilon(0.005));
  CHECK(active_parameters(load_workload("kimi-k2")) == doctest::Approx(32.6e9).epsilon(0.01));
  CHECK(active_parameters(load_workload("qwen3-235b-a22b")) == doctest::Approx(22e9).epsilon(0.01));
  CHECK(active_parameters(load_workload("qwen3-30b-a3b")) == doctest::Approx(3.3e9).epsilon(0.02));
  CHECK(active_parameters(load_workload("llama4-maverick")) == doctest::Approx(17e9).epsilon(0.02));
  CHECK(active_parameters(load_workload("deepseek-v3")) == doctest::Approx(37e9).epsilon(0.02));
  CHECK(active_parameters(load_workload("deepseek-v2")) == doctest::Approx(21e9).epsilon(0.02));
}

TEST_CASE("shapes of known models give their published sizes") {
  const auto parameters = [](const char* text) {
    return transformer_workload(read_transformer_shape(parse_json(text, "shape"))).parameters();
  };
  // Llama 2 70B: 68.98 billion, arXiv 2307.09288 and its checkpoint.
  CHECK(parameters(
            R"({"layers": 80, "hidden": 8192, "heads": 64, "kv_heads": 8, "ffn": 28672, "gated_mlp": true,
                      "vocab": 32000, "seq_len": 4096})") == doctest::Approx(68.98e9).epsilon(0.001));
  // Mixtral 8x7B: 46.7 billion, arXiv 2401.04088.
  CHECK(parameters(
            R"({"layers": 32, "hidden": 4096, "heads": 32, "kv_heads": 8, "ffn": 14336, "gated_mlp": true,
                      "vocab": 32000, "seq_len": 4096, "experts": 8, "top_k": 2})") ==
        doctest::Approx(46.7e9).epsilon(0.002));
  // DeepSeek-V3: 671 billion, arXiv 2412.19437 (without its multi-token prediction module).
  CHECK(parameters(
            R"({"layers": 61, "hidden": 7168, "heads": 128, "ffn": 18432, "gated_mlp": true, "vocab": 129280,
                      "seq_len": 4096, "experts": 256, "top_k": 8, "moe_ffn": 2048, "shared_experts": 1,
                      "dense_layers": 3, "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128,
                      "qk_rope_head_dim": 64, "v_head_dim": 128})") == doctest::Approx(671e9).epsilon(0.001));
}

TEST_CASE("BERT's share of predicted positions follows the sequence length") {
  // 76 of 512 is 19 of 128
  const Workload w = load_workload("bert-base", {.seq_len = 128});
  bool found = false;
  for (const Operator& op : w.operators) {
    if (op.name != "vocabulary") continue;
    found = true;
    CHECK(op.shape.rows == 19);
  }
  CHECK(found);
}

TEST_CASE("numbers that do not fit are named") {
  TransformerShape s = small();
  s.heads = 5;
  CHECK_THROWS_WITH_AS(transformer_workload(s), doctest::Contains("divisible by heads=5"), Error);
  s = small();
  s.layers = 0;
  CHECK_THROWS_WITH_AS(transformer_workload(s), doctest::Contains("layers must be from 1"), Error);
  s = small();
  s.experts = 4;
  CHECK_THROWS_WITH_AS(transformer_workload(s), doctest::Contains("top_k"), Error);
  s = small();
  s.full_attention_every = 2;
  CHECK_THROWS_WITH_AS(transformer_workload(s), doctest::Contains("needs a window"), Error);
  s = small();
  s.experts = 4;
  s.top_k = 1;
  s.expert_every = 2;
  CHECK_THROWS_WITH_AS(transformer_workload(s), doctest::Contains("dense_layers"), Error);
  s = small();
  s.layers = 10000;
  s.hidden = s.ffn = 10'000'000;
  s.vocab = s.seq_len = 10'000'000;
  s.head_dim = 10'000'000;
  CHECK_THROWS_AS(transformer_workload(s), Error);
  CHECK_THROWS_WITH_AS(read_transformer_shape(parse_json(R"({"layer": 2})", "shape")),
                       doctest::Contains("layers"), Error);
}

}  // namespace
}  // namespace rackcast
