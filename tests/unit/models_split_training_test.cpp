#include <doctest/doctest.h>

#include "models/cluster.hpp"
#include "models/collectives/comm_model.hpp"
#include "models/framework.hpp"
#include "models/gpu_cost.hpp"
#include "models/gpu_rates_of.hpp"
#include "models/gpu_step.hpp"
#include "models/split_training.hpp"
#include "sim/error.hpp"
#include "topologies/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

Cluster a100s(int nodes, int gpus) {
  return make_cluster(catalog(), node_spec(catalog(), "dgx_a100_640gb"),
                      {.nodes = nodes, .fabric = {}, .gpus = gpus});
}

/// GPT-3 6.7B's width with eight layers.
TransformerShape narrow() {
  TransformerShape s;
  s.layers = 8;
  s.hidden = 4096;
  s.heads = 32;
  s.vocab = 51200;
  s.seq_len = 2048;
  return s;
}

SplitStep step(const Cluster& cluster, const SplitSpec& spec, const TransformerShape& shape = narrow()) {
  static const GpuCostModel gpu = GpuCostModel::create(gpu_rates(gpu_spec(catalog(), "a100_sxm4_80gb")),
                                                       {.library = LibraryGeneration::cudnn8});
  static const FrameworkProfile framework = framework_profile({.name = "megatron", .version = ""});
  return split_step(cluster, shape, gpu, framework, {}, spec);
}

}  // namespace

TEST_CASE("one GPU that holds all has nothing to wait for") {
  const SplitStep one = step(a100s(1, 1), {.micro_batches = 4});
  CHECK(one.total.base() == doctest::Approx((one.compute + one.optimizer).base()));
  CHECK(one.compute.base() == doctest::Approx(4 * step(a100s(1, 1), {}).compute.base()));
}

TEST_CASE("a pipeline's wait is (p - 1) of its stages, and interleaving cuts it") {
  const SplitStep few = step(a100s(1, 4), {.pipeline = 4, .micro_batches = 4});
  const SplitStep many = step(a100s(1, 4), {.pipeline = 4, .micro_batches = 64});
  // Stages without embedding and vocabulary are shorter than the slowest, so less than 3/4 and 3/64.
  CHECK(few.pipeline_wait / few.compute < 0.76);
  CHECK(few.pipeline_wait / few.compute > 0.4);
  CHECK(many.pipeline_wait / many.compute < 0.06);
  const SplitStep parts = step(a100s(1, 4), {.pipeline = 4, .interleave = 2, .micro_batches = 4});
  CHECK(parts.pipeline_wait < 0.6 * few.pipeline_wait);
  CHECK(parts.compute == few.compute);
}

TEST_CASE("tensor parallelism sums activations four times a layer, six times with recomputation") {
  const SplitStep plain = step(a100s(1, 8), {.tensor = 8});
  const SplitStep again = step(a100s(1, 8), {.tensor = 8, .recompute = true});
  CHECK(again.tensor_exchange / plain.tensor_exchange == doctest::Approx((6 * 8 + 2) / (4 * 8 + 2.0)));
  CHECK(again.compute / plain.compute > 1.25);
  CHECK(again.compute / plain.compute < 1.4);
  // A replica's shard is an eighth of the work, less well cut.
  const SplitStep whole = step(a100s(1, 1), {});
  CHECK(plain.compute < 0.2 * whole.compute);
  CHECK(plain.compute > 0.125 * whole.compute);
}

TEST_CASE("GPUs that share a sequence take a part of its tokens each, and attention meets all of them") {
  const SplitStep whole = step(a100s(1, 1), {}), halves = step(a100s(1, 2), {.context = 2});
  CHECK(halves.compute < 0.6 * whole.compute);
  CHECK(halves.compute > 0.49 * whole.compute);
  // The weights are the same on both, so their gradients are summed.
  CHECK(halves.gradient_exchange > Duration{0});
  CHECK_THROWS_AS((void)step(a100s(1, 3), {.context = 2}), Error);
  CHECK_THROWS_AS((void)step(a100s(1, 3), {.context = 3}), Error);  // 2048 tokens
}

TEST_CASE("replicas sum their gradients; ZeRO's first stage divides the update") {
  const SplitStep one = step(a100s(1, 8), {.tensor = 8});
  const SplitStep four = step(a100s(4, 32), {.tensor = 8});
  CHECK(one.gradient_exchange.base() == 0);
  CHECK(four.gradient_exchange > Duration{0});
  CHECK(four.compute == one.compute);
  const SplitStep sharded = step(a100s(4, 32), {.tensor = 8, .zero_stage = 1});
  CHECK(sharded.optimizer.base() == doctest::Approx(four.optimizer.base() / 4));
}

TEST_CASE("what cannot be cut is refused with the numbers") {
  CHECK_THROWS_WITH_AS(step(a100s(1, 6), {.tensor = 4}), "error: 6 GPUs are no multiple of 4 x 1 x 1", Error);
  CHECK_THROWS_WITH_AS(step(a100s(1, 3), {.tensor = 3}),
                       "error: 32 attention heads cannot be cut over 3 GPUs", Error);
  TransformerShape two = narrow();
  two.layers = 2;
  CHECK_THROWS_WITH_AS(step(a100s(1, 4), {.pipeline = 4}, two), "error: 2 layers make no 4 stages", Error);
}

TEST_CASE(
    "sharded weights are gathered behind the kernels where these are long, and show where they are short") {
  const auto waits = [](const SplitSpec& spec) {
    const SplitStep s = step(a100s(2, 16), spec);
    return s.gradient_exchange / s.compute;
  };
  // Many sequences hide two gathers and a scatter of a layer but for the first and the last; one does not.
  CHECK(waits({.micro_batch = 16, .zero_stage = 3}) < 0.15);
  CHECK(waits({.micro_batch = 1, .zero_stage = 3}) > 1.5 * waits({.micro_batch = 16, .zero_stage = 3}));
  // Stage 2 gathers all weights at the end of the step, where nothing hides it.
  CHECK(waits({.micro_batch = 1, .zero_stage = 2}) > waits({.micro_batch = 1, .zero_stage = 3}));
  // DeepSpeed hides nothing and gathers again for what it computes again.
  CHECK(waits({.zero_stage = 3, .gathers_tensors = true}) > waits({.zero_stage = 3}));
  // Gradients of every micro-batch are scattered, while stage 1 sums them once.
  CHECK(step(a100s(2, 16), {.micro_batches = 8, .zero_stage = 2}).gradient_exchange >
        step(a100s(2, 16), {.micro_batches = 8, .zero_stage = 1}).gradient_exchange);
  CHECK_THROWS_AS(step(a100s(1, 8), {.pipeline = 2, .zero_stage = 2}), Error);
}
