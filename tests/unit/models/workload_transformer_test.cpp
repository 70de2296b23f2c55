#include <doctest/doctest.h>

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
