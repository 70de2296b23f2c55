#include "models/split/layer_sums.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/collectives/cluster.hpp"
#include "models/collectives/comm_model.hpp"
#include "models/frameworks/framework.hpp"
#include "models/gpu/cost.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/networks/transformer.hpp"
#include "models/split/mesh.hpp"
#include "models/split/split_stages.hpp"
#include "models/split/split_training.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

Cluster h100s(int nodes) {
  return make_cluster(catalog(), node_spec(catalog(), "dgx_h100"),
                      {.nodes = nodes, .fabric = {}, .gpus = 8 * nodes});
}

/// 1.3 billion parameters, of which a fifth is the vocabulary's.
TransformerShape small() {
  TransformerShape s;
  s.layers = 16;
  s.hidden = 2048;
  s.heads = 32;
  s.ffn = 8192;
  s.gated_mlp = true;
  s.vocab = 131072;
  s.seq_len = 4096;
  s.tied_output = true;
  return s;
}

const GpuCostModel& h100() {
  static const GpuCostModel gpu = GpuCostModel::create(gpu_rates(gpu_spec(catalog(), "h100_sxm5")),
                                                       {.library = LibraryGeneration::cudnn8});
  return gpu;
}

FrameworkProfile nanotron(Duration check) {
  FrameworkProfile out = framework_profile({.name = "nanotron", .version = ""});
  out.check_per_gpu = check;
  out.gather_per_slice = Duration{0};
  return out;
}

SplitStep step(int nodes, const Mesh& mesh, const FrameworkProfile& framework) {
  return split_step(h100s(nodes), small(), h100(), framework, {},
                    {.mesh = mesh, .precision = Precision::bf16});
}

}  // namespace

TEST_CASE("checks hold the host for each GPU of a group before each of ten collectives of a layer") {
  const Mesh eight{.tensor = 8, .sequence_parallel = true};
  const auto passes = [&](const Mesh& mesh, double check) {
    return step(1, mesh, nanotron(Duration{check})).parts.total.base();
  };
  // So long that the GPU waits for the host: 16 layers x (2 x 2 forward + 2 x 3 back) x 8 GPUs x 10 ms, of
  // which 0.8 in one node.
  CHECK(passes(eight, 0.02) - passes(eight, 0.01) == doctest::Approx(0.8 * 12.8));
  // Whole sequences are summed by one all-reduce each: 16 x 4 x 8 x 10 ms.
  const Mesh whole{.tensor = 8, .sequence_parallel = false};
  CHECK(passes(whole, 0.02) - passes(whole, 0.01) == doctest::Approx(0.8 * 5.12));
  // Alone a GPU has nobody to check with.
  const FrameworkProfile checked = nanotron(Duration{0.01}), plain = nanotron(Duration{0});
  const Cluster one =
      make_cluster(catalog(), node_spec(catalog(), "dgx_h100"), {.nodes = 1, .fabric = {}, .gpus = 1});
  const SplitTraining alone{.precision = Precision::bf16};
  CHECK(split_step(one, small(), h100(), checked, {}, alone).parts.total ==
        split_step(one, small(), h100(), plain, {}, alone).parts.total);
}

TEST_CASE("checks that the GPU's queue outlasts cost nothing") {
  const auto passes = [&](double check) {
    const Mesh mesh{.tensor = 2, .micro_batch = 16, .sequence_parallel = true};
    return step(1, mesh, nanotron(Duration{check})).compute() +
           step(1, mesh, nanotron(Duration{check})).tensor_exchange();
  };
  CHECK(passes(0.29e-3) < 1.01 * passes(0));
}

TEST_CASE(
    "at the end of a step replicas check each bucket, or one sum and one gather of shards, which are "
    "sliced") {
  const FrameworkProfile framework = nanotron(Duration{1e-3});
  const Workload whole = transformer_workload(small());
  Mesh mesh{.data = 8};
  // Two bytes each: queries, keys and values 25.2 MB, output 8.4, gate and up 33.6 each, down 33.6, against
  // 26.2 MB. Down, up and gate fill buckets of their own, the rest of a layer the fourth; the embedding,
  // which is the vocabulary product as well, the last.
  CHECK(host_of_replicas(framework, whole, mesh, 1).base() ==
        doctest::Approx((16 * 4 + 1) * 7.8e-3 + 7.8e-3));
  mesh.zero_stage = 1;
  CHECK(host_of_replicas(framework, whole, mesh, 8).base() == doctest::Approx(0.8 * 3 * 8e-3));
  // Sharded weights are sliced, each tensor for each replica.
  FrameworkProfile slicing = nanotron(Duration{0});
  const double tensors = static_cast<double>(
      std::ranges::count_if(whole.operators, [](const Operator& op) { return op.trained_parameters() > 0; }));
  slicing.gather_per_slice = Duration{1e-6};
  CHECK(tensors > 16 * 6);
  CHECK(host_of_replicas(slicing, whole, mesh, 8).base() == doctest::Approx(tensors * 8e-6));
  mesh.zero_stage = 0;
  CHECK(host_of_replicas(slicing, whole, mesh, 8) == Duration{0});
}

TEST_CASE("an input is gathered again going back, and seen as far as its product does not hide it") {
  const FrameworkProfile framework = nanotron(Duration{0});
  const Workload part = transformer_workload(shard_of(small(), 8));
  const StepTime alone = step_time(part, h100(), framework, {.batch = 1, .precision = Precision::bf16});
  LayerSums sums;
  sums.sum.time = Duration{1e-3};
  sums.gathered_again = Duration{0.5e-3};
  const auto longer = [&](double gather) {
    sums.gathered_again = Duration{gather};
    const QueuedSums queued = queued_sums(sums, alone, 16, {8, 8}, framework);
    return (queued.back.time - queued.forward.time).base();
  };
  CHECK(longer(1e-9) == 0);
  CHECK(longer(10e-3) - longer(5e-3) == doctest::Approx(5e-3));
}

TEST_CASE("stages of equal work count the vocabulary product, which may fill the last one") {
  const auto cut = [](int stages, StageCut how) {
    return layers_of_stages(small(), stages, how);
  };
  using Layers = std::vector<std::int64_t>;
  // A layer has 4 x 2048^2 + 3 x 2048 x 8192 = 67 million products, the vocabulary four times as many: 20 in
  // all. Four stages take five each, eight 2.5.
  CHECK(cut(4, StageCut::by_cost) == Layers{5, 5, 5, 1});
  CHECK(cut(8, StageCut::by_cost) == Layers{3, 2, 3, 2, 3, 2, 1, 0});
  CHECK(cut(4, StageCut::equal) == Layers{4, 4, 4, 4});
  const auto stages = stages_of(transformer_workload(small()), small(), cut(8, StageCut::by_cost));
  CHECK(stages.back().layers == 0);
  CHECK(stages.back().part.operators.back().family == OperatorFamily::softmax);
  CHECK(stages[6].part.operators.back().place.layer == 16);
  // Networks of unlike layers are cut into equal numbers.
  TransformerShape experts = small();
  experts.experts = 8;
  experts.top_k = 2;
  experts.moe_ffn = 2048;
  CHECK(layers_of_stages(experts, 4, StageCut::by_cost) == Layers{4, 4, 4, 4});
}

TEST_CASE("a loss put together from operators moves its logits several times") {
  FrameworkProfile framework = nanotron(Duration{0});
  framework.host_per_kernel = framework.host_per_step = Duration{0};
  const Workload whole = transformer_workload(small());
  const auto total = [&](double passes) {
    framework.loss_passes = passes;
    return step_time(whole, h100(), framework, {.batch = 1, .precision = Precision::bf16}).total.base();
  };
  const double once = total(2) - total(1);
  CHECK(total(5) - total(1) == doctest::Approx(4 * once));
  // 10 bytes for each of 4096 x 131072 logits, at 3.35 TB/s and less.
  CHECK(once > 10.0 * 4096 * 131072 / 3.35e12);
  CHECK(once < 2 * 10.0 * 4096 * 131072 / 3.35e12);
}

TEST_CASE("nanotron started by run_multinode checks its collectives, and is otherwise the same") {
  const FrameworkProfile before = framework_profile({.name = "nanotron", .version = ""});
  const FrameworkProfile after = framework_profile({.name = "nanotron", .script = "run_multinode"});
  CHECK(before.check_per_gpu == Duration{0});
  CHECK(after.check_per_gpu.base() == doctest::Approx(0.29e-3));
  CHECK(after.id == "nanotron-run-multinode");
  CHECK(after.host_per_kernel == before.host_per_kernel);
  CHECK(after.memory.stages == before.memory.stages);
  CHECK(after.exchange == before.exchange);
}
