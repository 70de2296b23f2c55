// Mamba-2 and hybrids with attention.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "models/collectives/cluster.hpp"
#include "models/collectives/comm_model.hpp"
#include "models/frameworks/framework.hpp"
#include "models/gpu/cost.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/networks/transformer.hpp"
#include "models/split/split_training.hpp"
#include "sim/base/error.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

TransformerShape hybrid() {
  TransformerShape s;
  s.layers = 8;
  s.hidden = 512;
  s.heads = 8;
  s.kv_heads = 2;
  s.head_dim = 64;
  s.vocab = 1000;
  s.seq_len = 512;
  s.mamba_layers = 4;
  s.attention_layers = 1;
  s.mamba_heads = 16;
  s.mamba_head_dim = 64;
  s.mamba_state = 128;
  s.mamba_groups = 8;
  s.experts = 16;
  s.top_k = 2;
  s.moe_ffn = 256;
  s.shared_experts = 1;
  s.shared_ffn = 384;
  return s;
}

double count(const Workload& w, const std::string& name) {
  return static_cast<double>(
      std::ranges::count_if(w.operators, [&](const Operator& op) { return op.name.ends_with(name); }));
}

}  // namespace

TEST_CASE("the layers of a hybrid are its parts in turn") {
  const auto layers = hybrid_layers(hybrid());
  REQUIRE(layers.size() == 8);
  CHECK(std::ranges::count(layers, LayerPart::state_space) == 4);
  CHECK(std::ranges::count(layers, LayerPart::attention) == 1);
  CHECK(layers.front() == LayerPart::state_space);
  CHECK(layers[0] != layers[1]);
  const Workload w = transformer_workload(hybrid());
  CHECK(count(w, "mamba.in") == 4);
  CHECK(count(w, "attention.qkv") == 1);
  CHECK(count(w, "router") == 3);
  CHECK(hybrid_layers({}).empty());
}

TEST_CASE("a layer of Mamba-2 has the weights and the arithmetic of its paper") {
  const TransformerShape s = hybrid();
  const Workload w = transformer_workload(s);
  double parameters = 0, scan = 0;
  for (const Operator& op : w.operators) {
    if (!op.name.starts_with("layer1.")) continue;
    parameters += op.parameters;
    if (op.kind == "state_space") scan += op.forward_flop.base();
  }
  // in: 512 x (2*1024 + 2*8*128 + 16); four taps and a bias of 3072 channels; norms 1024 and 512; out 1024 x
  // 512.
  CHECK(parameters == 512 * 4112 + 5 * 3072 + 1024 + 512 + 1024 * 512);
  // Per token 2 Q N G + H (2 Q P + 4 P N) with Q = 128, N = 128, G = 8, H = 16, P = 64.
  CHECK(scan == 512.0 * (2 * 128 * 128 * 8 + 16 * (2 * 128 * 64 + 4 * 64 * 128)));
}

TEST_CASE("experts of a narrower space get narrow tokens, and shared ones the whole") {
  TransformerShape s = hybrid();
  s.moe_latent = 128;
  const Workload w = transformer_workload(s);
  for (const Operator& op : w.operators) {
    if (op.name.ends_with("experts.up") && op.name.find("shared") == std::string::npos) {
      CHECK(op.shape.k == 128);
      CHECK(op.shape.n == 256);
    }
    if (op.name.ends_with("shared_experts.up")) {
      CHECK(op.shape.k == 512);
      CHECK(op.shape.n == 384);
    }
  }
  CHECK(count(w, "latent.down") == 3);
}

TEST_CASE("a hybrid trains split over GPUs") {
  const Catalog catalog = Catalog::builtin();
  const Cluster cluster =
      make_cluster(catalog, node_spec(catalog, "dgx_a100_640gb"), {.nodes = 1, .fabric = {}, .gpus = 8});
  const GpuCostModel gpu = GpuCostModel::create(gpu_rates(gpu_spec(catalog, "a100_sxm4_80gb")),
                                                {.library = LibraryGeneration::cudnn8});
  const FrameworkProfile framework = framework_profile({.name = "megatron-bridge"});
  const SplitStep step = split_step(cluster, hybrid(), gpu, framework, {},
                                    {.mesh = {.expert = 8}, .precision = Precision::bf16});
  CHECK(step.parts.total > Duration{0});
  CHECK(step.parts.expert_exchange > Duration{0});
  TransformerShape narrow = hybrid();
  narrow.moe_latent = 128;
  const SplitStep less =
      split_step(cluster, narrow, gpu, framework, {}, {.mesh = {.expert = 8}, .precision = Precision::bf16});
  CHECK(less.parts.expert_exchange < step.parts.expert_exchange);
}

TEST_CASE("a hybrid whose counts do not fit is an error") {
  TransformerShape s = hybrid();
  s.mamba_layers = 9;
  CHECK_THROWS_AS(transformer_workload(s), Error);
  s = hybrid();
  s.mamba_state = 0;
  CHECK_THROWS_AS(transformer_workload(s), Error);
}
