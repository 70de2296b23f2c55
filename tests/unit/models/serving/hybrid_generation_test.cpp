// Hybrids with state-space layers that answer token by token.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "models/networks/token_facts.hpp"
#include "models/networks/transformer.hpp"
#include "models/serving/direct_sums.hpp"
#include "models/split/expert_parallel.hpp"
#include "models/split/split_stages.hpp"
#include "sim/base/error.hpp"
#include "tests/unit/models/serving/generation_machine.hpp"

using namespace rackcast;

namespace {

/// One network on the Machine's node.
struct Hybrid {
  Machine m;
  TransformerShape shape;

  explicit Hybrid(const char* network) : shape{*load_workload(network).transformer} {}
  [[nodiscard]] Generation run(const GenerationSpec& spec) const { return on(m.cluster, spec); }
  [[nodiscard]] Generation on(const Cluster& cluster, const GenerationSpec& spec) const {
    return generate_tokens(cluster, shape, m.gpu, m.framework, {}, spec);
  }
  /// The same node, whose GPUs have PCIe alone between them.
  [[nodiscard]] Cluster over_pcie() const {
    NodeChoice choice{"dgx_a100_640gb", ""};
    choice.gpu_links = false;
    return make_cluster(m.catalog, node_spec(m.catalog, choice), {});
  }
};

}  // namespace

TEST_CASE("a state-space layer reads and writes one state per request instead of keys and values") {
  const Hybrid h{"nemotron-nano-12b-v2"};
  GenerationSpec spec = h.m.spec();
  // 28 layers with 128 heads of 80 x 128 in 32 bits, and three tokens of 10,240 + 2 x 8 x 128 in 16 bits.
  const Bytes state{28 * (4.0 * 128 * 80 * 128 + 2.0 * 3 * (10240 + 2 * 8 * 128))};
  CHECK(state_of_request(h.shape) == state);
  const Generation g = h.run(spec);
  CHECK(g.state_per_request == state);
  CHECK(g.kv_per_token == Bytes{2.0 * 2 * 6 * 8 * 128});  // six layers of attention
  CHECK(g.requests == std::floor(0.9 * (spec.memory - g.weights) / (1500 * g.kv_per_token + state)));

  // A request more reads and writes a state more, at a rate below that of the pins.
  const auto per_request = [&](Precision precision) {
    spec.precision = precision;
    const GenerationLoad load =
        generation_passes(h.m.cluster, h.shape, h.m.gpu, h.m.framework, {}, spec).load;
    return (pass_time(load, 128, 0) - pass_time(load, 64, 0)) / 64.0;
  };
  const Duration moved = 2 * state / h.m.node.gpu.memory_bandwidth.value;
  for (const Precision precision : {Precision::bf16, Precision::int8}) {  // states keep their 32 bits
    CHECK(per_request(precision) > moved);
    CHECK(per_request(precision) < 2 * moved);
  }
}

TEST_CASE("states are cut over GPUs by heads, and over stages by layers") {
  const Hybrid h{"nemotron3-nano-30b"};  // 23 layers of Mamba-2, 6 of attention, 23 of experts
  GenerationSpec spec = h.m.spec();
  const Generation whole = h.run(spec);
  spec.tensor = 4;
  CHECK(h.run(spec).state_per_request.base() == doctest::Approx(whole.state_per_request.base() / 4));
  spec.tensor = 1;
  spec.pipeline = 4;  // the fullest stage has 6, 2 and 6
  const Generation stage = h.run(spec);
  CHECK(stage.state_per_request.base() == doctest::Approx(whole.state_per_request.base() * 6 / 23));
  CHECK(stage.kv_per_token.base() == doctest::Approx(whole.kv_per_token.base() * 2 / 6));
  CHECK(stage.weights > whole.weights * 6 / 23);
  CHECK(stage.weights < whole.weights * 8 / 23);
  spec.pipeline = 1;
  spec.speculation = speculation_of(2);
  CHECK_THROWS_WITH_AS((void)h.run(spec), doctest::Contains("their states cannot be undone"), Error);
}

TEST_CASE("a layer of a hybrid is one part, whose activations are summed once") {
  const Hybrid h{"nemotron-nano-9b-v2"};
  GenerationSpec spec = h.m.spec();
  spec.requests = 8;
  spec.tensor = 4;
  const Cluster slow = first_ranks(h.over_pcie(), 4), fast = first_ranks(h.m.cluster, 4);
  const Bytes sum{2.0 * 8 * 4480}, scores{2.0 * 8 * 131072};
  const auto sent = [&](const Cluster& group) {
    CommModel model{group, {}};
    const Duration library = model.time(Collective::all_reduce, sum);
    return 56 * std::min(library, direct_sum_time(group, sum).value_or(library)) +
           model.time(Collective::all_gather, scores);
  };
  const Duration more = h.on(slow, spec).token - h.on(fast, spec).token;
  CHECK(more > Duration{0});
  CHECK(more.base() == doctest::Approx((sent(slow) - sent(fast)).base()).epsilon(0.01));
}

TEST_CASE("tokens of a hybrid go to experts in the layers that hold some, as wide as these take them") {
  Hybrid h{"nemotron3-nano-30b"};
  GenerationSpec spec = h.m.spec();
  spec.requests = 8;
  spec.replicas = spec.expert = 4;
  const Cluster slow = first_ranks(h.over_pcie(), 4), fast = first_ranks(h.m.cluster, 4);
  for (const std::int64_t latent : {0, 672}) {
    h.shape.moe_latent = latent;
    const Bytes own{2.0 * 8 * static_cast<double>(latent > 0 ? latent : 2688)};
    const TransformerShape part = with_local_experts(shard_of(h.shape, 1), 1, 4);
    const Duration each = expert_exchange(slow, {}, part, 4, own).time -
                          *direct_exchange_time(fast, own * static_cast<double>(h.shape.top_k));
    const Duration more = h.on(slow, spec).token - h.on(fast, spec).token;
    CAPTURE(latent);
    CHECK(more > Duration{0});
    CHECK(more.base() == doctest::Approx((23 * 2 * each).base()).epsilon(0.01));  // there and back
  }
}
