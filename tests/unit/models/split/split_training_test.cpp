#include "models/split/split_training.hpp"

#include <doctest/doctest.h>

#include <optional>

#include "models/collectives/cluster.hpp"
#include "models/collectives/comm_model.hpp"
#include "models/frameworks/framework.hpp"
#include "models/frameworks/gpu_step.hpp"
#include "models/gpu/cost.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/memory/memory.hpp"
#include "models/networks/transformer.hpp"
#include "models/split/expert_parallel.hpp"
#include "models/split/split_graph.hpp"
#include "models/split/split_stages.hpp"
#include "models/step/training.hpp"
#include "sim/base/error.hpp"
#include "topologies/catalog/catalog.hpp"

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

/// `narrow()` with 64 experts, of which every token takes eight.
TransformerShape with_experts() {
  TransformerShape s = narrow();
  s.gated_mlp = true;
  s.experts = 64;
  s.top_k = 8;
  s.moe_ffn = 1024;
  return s;
}

SplitStep step(const Cluster& cluster, const Mesh& mesh, const TransformerShape& shape = narrow(),
               SplitTraining training = {}) {
  static const GpuCostModel gpu = GpuCostModel::create(gpu_rates(gpu_spec(catalog(), "a100_sxm4_80gb")),
                                                       {.library = LibraryGeneration::cudnn8});
  static const FrameworkProfile framework = [] {
    FrameworkProfile out = framework_profile({.name = "megatron", .version = ""});
    out.host_per_kernel = out.host_per_step = Duration{0};  // nothing waits for the host
    return out;
  }();
  training.mesh = mesh;
  return split_step(cluster, shape, gpu, framework, {}, training);
}

}  // namespace

TEST_CASE("one GPU that holds all has nothing to wait for") {
  const SplitStep one = step(a100s(1, 1), {.micro_batches = 4});
  CHECK(one.parts.total.base() == doctest::Approx((one.compute() + one.parts.optimizer).base()));
  CHECK(one.compute() > 4 * step(a100s(1, 1), {}).compute());
  CHECK(one.compute() < 4.2 * step(a100s(1, 1), {}).compute());
}

TEST_CASE("gradients of micro-batches are added up on the GPU, or by the products that make them") {
  const Cluster single = a100s(1, 1);
  const GpuCostModel gpu = GpuCostModel::create(gpu_rates(gpu_spec(catalog(), "a100_sxm4_80gb")),
                                                {.library = LibraryGeneration::cudnn8});
  FrameworkProfile framework = framework_profile({.name = "megatron-lm", .version = ""});
  CHECK(framework.gradient_sums == GradientSums::wide);
  CHECK(framework_profile({.name = "megatron-lm", .version = "3.0"}).gradient_sums ==
        GradientSums::in_products);
  framework.host_per_kernel = framework.host_per_step = Duration{0};  // nothing waits for the host
  const auto run = [&](GradientSums sums, double micro_batches, Precision precision) {
    framework.gradient_sums = sums;
    return split_step(single, narrow(), gpu, framework, {},
                      {.mesh = {.micro_batches = micro_batches}, .precision = precision});
  };
  const auto compute = [&](GradientSums sums, double micro_batches, Precision precision) {
    return run(sums, micro_batches, precision).compute();
  };
  const Duration bare = compute(GradientSums::in_products, 1, Precision::mixed);
  CHECK(compute(GradientSums::in_products, 4, Precision::mixed).base() == doctest::Approx(4 * bare.base()));
  const double parameters = transformer_workload(narrow()).trained_parameters();
  const auto move = [&](double bytes) {
    return (Bytes{bytes * parameters} / (gpu.gpu().memory * 0.8)).base();
  };
  const auto longer = [&](GradientSums sums, double micro_batches, Precision precision) {
    return (compute(sums, micro_batches, precision) -
            compute(GradientSums::in_products, micro_batches, precision))
        .base();
  };
  // In 16 bits the first of four needs no sum, the others read 2 + 2 bytes and write 2.
  CHECK(longer(GradientSums::in_place, 4, Precision::mixed) == doctest::Approx(move(3 * 6)));
  CHECK(longer(GradientSums::in_place, 1, Precision::mixed) == 0);
  CHECK(longer(GradientSums::wide, 4, Precision::mixed) == doctest::Approx(move(3 * 6)));
  // Sums of bfloat16 in 32 bits: 2 + 4 read, 4 written, and 2 + 4 for a cast before.
  CHECK(longer(GradientSums::wide, 4, Precision::bf16) == doctest::Approx(move(4 * 10)));
  CHECK(longer(GradientSums::widened, 4, Precision::bf16) == doctest::Approx(move(4 * 18)));
}

TEST_CASE("replicas exchange sums of 32 bits where gradients are added up so") {
  const Cluster four = a100s(4, 32);
  const GpuCostModel gpu = GpuCostModel::create(gpu_rates(gpu_spec(catalog(), "a100_sxm4_80gb")),
                                                {.library = LibraryGeneration::cudnn8});
  FrameworkProfile framework = framework_profile({.name = "megatron-lm", .version = ""});
  const auto exchange = [&](GradientSums sums, Precision precision) {
    framework.gradient_sums = sums;
    return split_step(four, narrow(), gpu, framework, {}, {.mesh = {.tensor = 8}, .precision = precision})
        .parts.exchange_wait;
  };
  CHECK(exchange(GradientSums::wide, Precision::mixed) == exchange(GradientSums::in_place, Precision::mixed));
  CHECK(exchange(GradientSums::wide, Precision::bf16) >
        1.8 * exchange(GradientSums::in_place, Precision::bf16));
  CHECK(exchange(GradientSums::wide, Precision::bf16) <
        2.1 * exchange(GradientSums::in_place, Precision::bf16));
  // Sharded gradients keep their width and are added in shards.
  framework.gradient_sums = GradientSums::widened;
  const SplitStep shards =
      split_step(a100s(1, 8), narrow(), gpu, framework, {},
                 {.mesh = {.micro_batches = 4, .zero_stage = 2}, .precision = Precision::bf16});
  framework.gradient_sums = GradientSums::in_products;
  const SplitStep bare =
      split_step(a100s(1, 8), narrow(), gpu, framework, {},
                 {.mesh = {.micro_batches = 4, .zero_stage = 2}, .precision = Precision::bf16});
  CHECK(shards.parts.total == bare.parts.total);
}

TEST_CASE("a pipeline's wait is (p - 1) of its stages, and interleaving cuts it") {
  const SplitStep few = step(a100s(1, 4), {.pipeline = 4, .micro_batches = 4});
  const SplitStep many = step(a100s(1, 4), {.pipeline = 4, .micro_batches = 64});
  // Stages without embedding and vocabulary are shorter than the slowest, so less than 3/4 and 3/64.
  CHECK(few.parts.pipeline_wait / few.compute() < 0.76);
  CHECK(few.parts.pipeline_wait / few.compute() > 0.4);
  CHECK(many.parts.pipeline_wait / many.compute() < 0.06);
  const SplitStep parts = step(a100s(1, 4), {.pipeline = 4, .interleave = 2, .micro_batches = 4});
  CHECK(parts.parts.pipeline_wait < 0.6 * few.parts.pipeline_wait);
  CHECK(parts.compute().base() == doctest::Approx(few.compute().base()));
}

TEST_CASE("tensor parallelism sums activations four times a layer, six times with recomputation") {
  const SplitStep plain = step(a100s(1, 8), {.tensor = 8});
  const SplitStep again = step(a100s(1, 8), {.tensor = 8, .recompute = Recomputation::full});
  CHECK(again.tensor_exchange() / plain.tensor_exchange() == doctest::Approx((6 * 8 + 2) / (4 * 8 + 2.0)));
  CHECK(again.compute() / plain.compute() > 1.25);
  CHECK(again.compute() / plain.compute() < 1.4);
  // A replica's shard is an eighth of the work, less well cut.
  const SplitStep whole = step(a100s(1, 1), {});
  CHECK(plain.compute() < 0.2 * whole.compute());
  CHECK(plain.compute() > 0.125 * whole.compute());
}

TEST_CASE("sums of activations hide where the GPUs wait for the host") {
  const Cluster eight = a100s(1, 8);
  const GpuCostModel gpu = GpuCostModel::create(gpu_rates(gpu_spec(catalog(), "a100_sxm4_80gb")),
                                                {.library = LibraryGeneration::cudnn8});
  FrameworkProfile framework = framework_profile({.name = "megatron", .version = ""});
  const auto run = [&] {
    return split_step(eight, narrow(), gpu, framework, {}, {.mesh = {.tensor = 8}});
  };
  framework.host_per_kernel = Duration{1e-9};
  const SplitStep fast = run();
  framework.host_per_kernel = Duration{1e-3};
  const SplitStep slow = run();
  // What stays are those of the embedding and the vocabulary, 2 of 34, and the last before the kernels end.
  CHECK(slow.tensor_exchange() < 0.15 * fast.tensor_exchange());
  CHECK(slow.tensor_exchange() > 0.05 * fast.tensor_exchange());
  framework.host_per_sum = Duration{1e-3};
  const SplitStep issued = run();
  CHECK((issued.tensor_exchange() - slow.tensor_exchange()).base() == doctest::Approx(32e-3).epsilon(0.02));
}

TEST_CASE("GPUs that share a sequence take a part of its tokens each, and attention meets all of them") {
  const SplitStep whole = step(a100s(1, 1), {}), halves = step(a100s(1, 2), {.context = 2});
  CHECK(halves.compute() < 0.6 * whole.compute());
  CHECK(halves.compute() > 0.49 * whole.compute());
  // The weights are the same on both, so their gradients are summed.
  CHECK(halves.parts.exchange_wait > Duration{0});
  CHECK_THROWS_AS((void)step(a100s(1, 3), {.context = 2}), Error);
  CHECK_THROWS_AS((void)step(a100s(1, 3), {.context = 3}), Error);  // 2048 tokens
}

TEST_CASE("issue 23, item 6: parts of a split step add up to it, and the bubble is one of them") {
  const TransformerShape experts = with_experts();
  const auto check = [](const SplitStep& s, int ranks) {
    const TrainingRun run = split_run(s, ranks, 1);
    Duration sum{0};
    for (const StepPart& part : step_part_list) sum += run.parts.*part.time;
    CHECK(sum.base() == doctest::Approx(run.parts.total.base()));
    CHECK(run.parts.total == s.parts.total);
    CHECK(run.parts.exchange_wait <= run.parts.exchange_busy);
    CHECK(run.parts.pipeline_wait == s.parts.pipeline_wait);
    return run;
  };
  const TrainingRun deep = check(step(a100s(4, 32), {.tensor = 2, .pipeline = 8, .micro_batches = 2}), 32);
  CHECK(deep.binds == "filling and draining the pipeline");
  CHECK(deep.parts.pipeline_wait > deep.parts.forward + deep.parts.backward);
  CHECK(deep.parts.activation_exchange > Duration{0});
  // Two replicas: what they sum is the whole of the all-reduce, and no waiting of the pipeline is in it.
  const TrainingRun one = check(step(a100s(1, 8), {.tensor = 2, .pipeline = 4, .micro_batches = 2}), 8);
  CHECK(one.parts.exchange_wait == Duration{0});
  CHECK(one.parts.pipeline_wait > Duration{0});
  check(step(a100s(1, 8), {.expert = 8}, experts), 8);
  check(step(a100s(2, 16), {.micro_batches = 4, .zero_stage = 3}), 16);
  check(step(a100s(2, 16), {.tensor = 2, .context = 2, .micro_batches = 4}), 16);
}

TEST_CASE("issue 23, item 22: attention that is computed again has its keys and values sent again") {
  // 2,048 tokens over sixteen GPUs of two nodes: the ring takes longer than attention, so what is longer
  // shows.
  const auto ring = [](Recomputation recompute) {
    return step(a100s(2, 16), {.context = 16, .recompute = recompute}).work->stages.front();
  };
  const StageWork none = ring(Recomputation::none);
  REQUIRE(none.forward_exchange.time > Duration{0});
  for (const Recomputation again : {Recomputation::selective, Recomputation::full}) {
    const StageWork t = ring(again);
    CHECK(t.forward_exchange.time.base() == doctest::Approx(none.forward_exchange.time.base()));
    CHECK((t.backward_exchange.time - none.backward_exchange.time).base() ==
          doctest::Approx(none.forward_exchange.time.base()));
  }
}

TEST_CASE("selective recomputation costs the forward pass of attention once more") {
  const SplitStep none = step(a100s(1, 1), {}),
                  selective = step(a100s(1, 1), {.recompute = Recomputation::selective}),
                  full = step(a100s(1, 1), {.recompute = Recomputation::full});
  CHECK(selective.parts.forward == none.parts.forward);
  CHECK(selective.parts.backward > none.parts.backward);
  CHECK(full.parts.backward > selective.parts.backward);
}

TEST_CASE("replicas sum their gradients; ZeRO's first stage divides the update") {
  const SplitStep one = step(a100s(1, 8), {.tensor = 8});
  const SplitStep four = step(a100s(4, 32), {.tensor = 8});
  CHECK(one.parts.exchange_wait.base() == 0);
  CHECK(four.parts.exchange_wait > Duration{0});
  CHECK(four.compute() == one.compute());
  const SplitStep sharded = step(a100s(4, 32), {.tensor = 8, .zero_stage = 1});
  CHECK(sharded.parts.optimizer.base() == doctest::Approx(four.parts.optimizer.base() / 4));
}

TEST_CASE("gradients leave beside the last backward pass where the recipe or the scenario has it so") {
  const auto exposed = [](std::optional<bool> overlap, int zero) {
    return step(a100s(4, 32),
                {.tensor = 8, .micro_batch = 32, .zero_stage = zero, .overlap_gradients = overlap})
        .parts.exchange_wait;
  };
  CHECK(exposed({}, 0) == exposed(false, 0));
  CHECK(exposed(true, 0) < 0.5 * exposed(false, 0));
  // With sharded states weights are gathered beside the next forward pass.
  CHECK(exposed(true, 1) < 0.5 * exposed(false, 1));
}

TEST_CASE("what cannot be cut is refused with the numbers") {
  CHECK_THROWS_WITH_AS(step(a100s(1, 6), {.tensor = 4}),
                       "error: 6 GPUs are no multiple of 4 x 1, tensor x pipeline\n  hint: choose nodes, "
                       "tensor or pipeline so that they are",
                       Error);
  CHECK_THROWS_WITH_AS(step(a100s(1, 3), {.tensor = 3}),
                       "error: 32 attention heads cannot be cut over 3 GPUs", Error);
  TransformerShape two = narrow();
  two.layers = 2;
  CHECK_THROWS_WITH_AS(step(a100s(1, 4), {.pipeline = 4}, two), "error: 2 layers make no 4 stages", Error);
}

TEST_CASE(
    "sharded weights are gathered behind the kernels where these are long, and show where they are short") {
  const auto waits = [](Mesh mesh, bool lists = false) {
    mesh.gathers_tensors = lists;
    const SplitStep s = step(a100s(2, 16), mesh, narrow());
    return s.parts.exchange_wait / s.compute();
  };
  // Many sequences hide two gathers and a scatter of a layer but for the first and the last; one does not.
  CHECK(waits({.micro_batch = 16, .zero_stage = 3}) < 0.15);
  CHECK(waits({.micro_batch = 1, .zero_stage = 3}) > 1.5 * waits({.micro_batch = 16, .zero_stage = 3}));
  // Stage 2 gathers all weights at the end of the step, where nothing hides it.
  CHECK(waits({.micro_batch = 1, .zero_stage = 2}) > waits({.micro_batch = 1, .zero_stage = 3}));
  // DeepSpeed hides nothing and gathers again for what it computes again.
  CHECK(waits({.zero_stage = 3}, true) > waits({.zero_stage = 3}));
  // Its lists have an entry for every GPU (models_listed_shards_test.cpp), 8 us and more each.
  const auto lists = [](int nodes) {
    return step(a100s(nodes, 8 * nodes), {.zero_stage = 3, .gathers_tensors = true}, narrow())
        .parts.exchange_wait;
  };
  CHECK(lists(16) - lists(2) > 8 * 3 * 4 * (128 - 16) * Duration{8e-6});
  // Gradients of every micro-batch are scattered, while stage 1 sums them once.
  CHECK(step(a100s(2, 16), {.micro_batches = 8, .zero_stage = 2}).parts.exchange_busy >
        step(a100s(2, 16), {.micro_batches = 8, .zero_stage = 1}).parts.exchange_busy);
  CHECK_THROWS_AS(step(a100s(1, 8), {.pipeline = 2, .zero_stage = 3, .gathers_tensors = true}, narrow()),
                  Error);
  // Weights of a pipeline are gathered for every pass, gradients scattered behind every micro-batch.
  const auto busy = [](int stage) {
    return step(a100s(2, 16), {.pipeline = 2, .micro_batches = 8, .zero_stage = stage}).parts.exchange_busy;
  };
  CHECK(busy(2) > busy(1));
  CHECK(busy(3) > busy(2));
}

TEST_CASE("a shard group gathers among its own, and sums each shard over the groups") {
  const Cluster two = a100s(2, 16), one = a100s(1, 8);
  const StageWork work = step(two, {.zero_stage = 3, .shard_group = 8}).work->stages.front();
  const Bytes layer{2 * transformer_workload(narrow()).parameters() / 8};
  CommModel inside{one, {}}, over{two, {}};
  CHECK(work.gather.time == inside.time(Collective::all_gather, layer));
  // The eight groups of two GPUs share the adapters: eight shards of an eighth.
  CHECK(work.scatter.time.base() == doctest::Approx((inside.time(Collective::reduce_scatter, layer) +
                                                     over.time(Collective::all_reduce, layer))
                                                        .base()));
  const StageWork all = step(two, {.zero_stage = 3}).work->stages.front();
  CHECK(work.gather.time < all.gather.time);
  // Stage 1 keeps the update of an eighth instead of a sixteenth.
  const auto update = [&](int group) {
    return step(two, {.zero_stage = 1, .shard_group = group}).parts.optimizer.base();
  };
  CHECK(update(8) == doctest::Approx(2 * update(0)));
  CHECK(update(16) == update(0));
  CHECK_THROWS_WITH_AS(step(two, {.zero_stage = 1, .shard_group = 3}),
                       "error: the 16 GPUs with the same weights are no multiple of the 3 of a shard group\n "
                       " hint: choose nodes or shard_group so that they are",
                       Error);
}

TEST_CASE("a token goes to each holder of its experts once") {
  TransformerShape s = with_experts();
  CHECK(holders_of_a_token(s, 1) == doctest::Approx(1));
  CHECK(holders_of_a_token(s, 64) == doctest::Approx(8));  // one expert each: as many as it takes
  // Two halves: all eight of one half with probability C(32,8)/C(64,8) = 0.00238, twice.
  CHECK(holders_of_a_token(s, 2) == doctest::Approx(2 * (1 - 0.0023764)).epsilon(1e-4));
  s.top_k = 64;
  CHECK(holders_of_a_token(s, 16) == doctest::Approx(16));
}

TEST_CASE("a GPU holds its part of the experts and does as much for them as with all") {
  const TransformerShape s = with_experts();
  const Workload all = transformer_workload(s);
  for (const auto& ways : {std::pair{1, 8}, {2, 8}, {2, 64}}) {
    const int tensor = ways.first, expert = ways.second;
    CAPTURE(tensor);
    CAPTURE(expert);
    const Workload part = transformer_workload(with_local_experts(shard_of(s, tensor), tensor, expert));
    CHECK(expert_parameters(part) == doctest::Approx(expert_parameters(all) / expert));
    double flop = 0, whole = 0;
    const auto of_experts = [](const Operator& op) {
      return op.place.block == LayerBlock::experts ? op.forward_flop.base() : 0;
    };
    for (const Operator& op : part.operators) flop += of_experts(op);
    for (const Operator& op : all.operators) whole += of_experts(op);
    CHECK(flop == doctest::Approx(whole / tensor));
  }
  CHECK_THROWS_AS(with_local_experts(s, 1, 48), Error);
  CHECK_THROWS_AS(with_local_experts(narrow(), 1, 8), Error);
}

TEST_CASE("experts over GPUs are four exchanges of all with all a layer, and fewer gradients to sum") {
  const TransformerShape s = with_experts();
  const Cluster node = a100s(1, 8);
  const SplitStep one = step(node, {.expert = 8, .micro_batches = 1}, s);
  const SplitStep two = step(node, {.expert = 8, .micro_batches = 2}, s);
  CommModel among{node, {}};
  const Bytes tokens{2.0 * 2048 * 4096};
  const Duration once = among.time(Collective::all_to_all, holders_of_a_token(s, 8) * tokens);
  CHECK(one.parts.expert_exchange.base() == doctest::Approx(4 * 8 * once.base()));
  CHECK(two.parts.expert_exchange.base() == doctest::Approx(2 * one.parts.expert_exchange.base()));
  const SplitStep whole = step(node, {.micro_batches = 1}, s);
  CHECK(whole.parts.expert_exchange == Duration{0});
  CHECK(one.parts.exchange_wait < 0.4 * whole.parts.exchange_wait);
  CHECK(one.parts.total.base() == doctest::Approx((one.compute() + one.parts.expert_exchange +
                                                   one.parts.exchange_wait + one.parts.optimizer)
                                                      .base()));
  // Two sets of eight hold the same experts and sum their gradients; over nodes tokens cross the adapters.
  const SplitStep sets = step(a100s(2, 16), {.expert = 8}, s), wide = step(a100s(2, 16), {.expert = 16}, s);
  CHECK(sets.parts.exchange_wait > one.parts.exchange_wait);
  CHECK(wide.parts.exchange_wait < sets.parts.exchange_wait);
  CHECK(wide.parts.expert_exchange > sets.parts.expert_exchange);
  CHECK_THROWS_AS(step(a100s(3, 24), {.expert = 16}, s), Error);
  CHECK_THROWS_AS(step(node, {.expert = 8, .zero_stage = 3}, s), Error);
}

TEST_CASE("memory holds a GPU's experts, and sharded states of all parameters over all GPUs") {
  const Workload w = transformer_workload(with_experts());
  MemoryOptions options{
      .precision = Precision::mixed, .optimizer = Optimizer::adam, .mesh = Mesh{.expert = 8, .data = 16}};
  const double experts = expert_parameters(w), others = w.parameters() - experts;
  const MemoryUse plain = training_memory(w, options);
  CHECK(plain.gradients.base() == doctest::Approx(6 * (others + experts / 8)));
  options.mesh->zero_stage = 1;
  const MemoryUse sharded = training_memory(w, options);
  CHECK(sharded.optimizer.base() == doctest::Approx(8 * (others + experts) / 16));
  options.mesh = Mesh{.data = 16, .zero_stage = 1, .shard_group = 4};
  CHECK(training_memory(w, options).optimizer.base() == doctest::Approx(8 * (others + experts) / 4));
}

TEST_CASE("sums of activations that a slow host hides come out when the network is slower") {
  // The host takes 1 ms to start a kernel, so all sums of 0.1 to 1 ms pass while the GPU waits for it.
  const GpuCostModel gpu = GpuCostModel::create(gpu_rates(gpu_spec(catalog(), "a100_sxm4_80gb")),
                                                {.library = LibraryGeneration::cudnn8});
  FrameworkProfile framework = framework_profile({.name = "megatron", .version = ""});
  framework.host_per_kernel = Duration{1e-3};
  const Cluster two = a100s(1, 2);
  const auto exchange = [&](double compute, double network) {
    return split_step(two, narrow(), gpu, framework, {},
                      {.mesh = {.tensor = 2}, .compute_scale = compute, .network_scale = network})
        .tensor_exchange();
  };
  const Duration sum = CommModel{two, {}}.time(Collective::all_reduce, Bytes{2.0 * 2048 * 4096});
  // Two sums of each of eight layers in both directions, the embedding's and the vocabulary's.
  const double sums = 2 * 2 * 8 + 2;
  CHECK(exchange(1, 1) < 0.5 * sums * sum);
  CHECK(exchange(1, 1e-3) > 0.9 * 1e3 * sums * sum);
  // A faster GPU and host leave less time to hide the sums in.
  CHECK(exchange(1e3, 1) > 0.9 * sums * sum);
  // Rates times k give time over k.
  CHECK(exchange(0.5, 0.5).base() == doctest::Approx(2 * exchange(1, 1).base()));
}

TEST_CASE("a ring of keys and values that attention hides comes out with either pace") {
  const Cluster ring = a100s(1, 2);
  const auto exchange = [&](double compute, double network) {
    return step(ring, {.context = 2}, narrow(), {.compute_scale = compute, .network_scale = network})
        .tensor_exchange();
  };
  CHECK(exchange(1, 1).base() == 0);
  CHECK(exchange(1, 1e-3) > Duration{0});
  CHECK(exchange(1e3, 1).base() == doctest::Approx(exchange(1, 1e-3).base() / 1e3));
}
