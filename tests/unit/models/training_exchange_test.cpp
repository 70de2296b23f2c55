// How the exchange of gradients and the step go together: who waits for whom, what is sent when, and what
// shares a link.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "models/collectives/cluster.hpp"
#include "models/exchange/compression.hpp"
#include "models/frameworks/framework.hpp"
#include "models/gpu/cost.hpp"
#include "models/gpu/model_library.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/networks/workload.hpp"
#include "models/step/data_parallel.hpp"
#include "models/step/gradient_buckets.hpp"
#include "models/step/training.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/node_spec.hpp"

using namespace rackcast;

namespace {

const Catalog& hardware() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

struct Machine {
  explicit Machine(const std::string& node, const std::string& network, int nodes,
                   const std::string& software = "pytorch")
      : cluster{make_cluster(hardware(), node_spec(hardware(), node), {.nodes = nodes, .fabric = {}})},
        workload{load_workload(network)},
        framework{framework_profile({.name = software})},
        gpu{GpuCostModel::create(gpu_rates(cluster.node.gpu), framework.lowering(),
                                 GpuModelLibrary::builtin())} {}

  [[nodiscard]] TrainingSpec spec(double batch = 64, const ExchangeSpec& exchange = {}) const {
    TrainingSpec out;
    out.workload = &workload;
    out.gpu = &gpu;
    out.framework = &framework;
    out.batch_per_gpu = batch;
    out.exchange = exchange;
    return out;
  }
  [[nodiscard]] TrainingRun run(const TrainingSpec& spec) const { return simulate_training(cluster, spec); }
  [[nodiscard]] int ranks() const { return static_cast<int>(cluster.ranks.size()); }

  Cluster cluster;
  Workload workload;
  FrameworkProfile framework;
  GpuCostModel gpu;
};

double samples_per_s(const TrainingRun& run) {
  return run.samples_per_step / run.parts.total.base();
}

double sum_of(const StepParts& p) {
  return (p.input_wait + p.forward + p.backward + p.straggler_wait + p.exchange_wait + p.table_exchange +
          p.optimizer)
      .base();
}

/// On the first nodes; the last ones are those that may be slow.
ExchangeSpec servers(ServerMode mode, int count = 3) {
  ExchangeSpec x;
  x.servers.count = count;
  x.strategy = ExchangeStrategy::parameter_server;
  x.servers.mode = mode;
  x.servers.split = Bytes{4e6};
  return x;
}

}  // namespace

TEST_CASE("issue 23, item 15: under asynchronous servers a slow node slows itself alone") {
  const Machine eight{"dgx1v_16gb", "resnet50", 8};
  for (const bool fold : {true, false}) {
    CAPTURE(fold);
    const auto rate = [&](ServerMode mode, std::vector<Stragglers> slow) {
      TrainingSpec spec = eight.spec(64, servers(mode));
      spec.stragglers = std::move(slow);
      spec.fold = fold;
      spec.steps = 40;
      const TrainingRun run = eight.run(spec);
      CHECK(sum_of(run.parts) == doctest::Approx(run.parts.total.base()).epsilon(1e-9));
      return samples_per_s(run);
    };
    const double whole = rate(ServerMode::asynchronous, {});
    // Seven nodes at their pace and one at 0.3 of it: (7 + 0.3) / 8 = 0.9125.
    CHECK(rate(ServerMode::asynchronous, {{1, 0.3, 1}}) / whole == doctest::Approx(0.9125).epsilon(0.01));
    CHECK(rate(ServerMode::synchronous, {{1, 0.3, 1}}) / rate(ServerMode::synchronous, {}) < 0.35);
    // A slow port holds up those behind it alone: the other seven keep 7/8 of the rate at least.
    CHECK(rate(ServerMode::asynchronous, {{1, 1, 0.001}}) / whole > 0.85);
    if (fold) CHECK(rate(ServerMode::synchronous, {{1, 1, 0.001}}) / whole < 0.3);
  }
}

TEST_CASE(
    "issue 23, item 15: workers that nobody waits for have their own part of the node's cores and drives") {
  const Machine four{"dgx1v_16gb", "resnet50", 4};
  TrainingSpec spec = four.spec(64, servers(ServerMode::asynchronous));
  // Cores decode half of what the GPUs would train on.
  const double hungry = samples_per_s(four.run(spec));
  spec.input.stages = {{"cores", "decoding", hungry / 2, 1, true}};
  CHECK(samples_per_s(four.run(spec)) == doctest::Approx(hungry / 2).epsilon(0.01));
  // One node at a hundredth of the pace leaves its cores idle; the others cannot use them.
  spec.stragglers = {{1, 0.01, 1}};
  const TrainingRun run = four.run(spec);
  CHECK(samples_per_s(run) == doctest::Approx(hungry / 2 * 3 / 4 + hungry / 4 * 0.01).epsilon(0.02));
  CHECK(run.period == 0);  // crews that never meet are averaged, and the run says so
}

TEST_CASE("issue 23, item 37: workers that never meet are simulated until their paces settle") {
  const Machine eight{"dgx1v_16gb", "resnet50", 8};
  TrainingSpec spec = eight.spec(64, servers(ServerMode::asynchronous));
  spec.stragglers = {{1, 0.3, 1}};
  const TrainingRun settled = eight.run(spec);
  CHECK(settled.steps < 100);
  spec.fold = false;
  spec.steps = 400;
  const TrainingRun all = eight.run(spec);
  CHECK(all.steps > 400);  // of the seven fast nodes, which take more than their part of the samples
  CHECK(samples_per_s(settled) == doctest::Approx(samples_per_s(all)).epsilon(0.003));
}

TEST_CASE("an input path that is slower than the GPUs by less than a hundredth is a bottleneck beside them") {
  const Machine one{"dgx1v_16gb", "resnet50", 1};
  TrainingSpec spec = one.spec(64, {});
  const double hungry = samples_per_s(one.run(spec));
  const auto binds = [&](double share) {
    spec.input.stages = {{"cores", "decoding", hungry * share, 1, true}};
    return one.run(spec).binds;
  };
  CHECK(binds(1.005) == "GPU compute");
  CHECK(binds(0.995) == "GPU compute and decoding");
  CHECK(binds(0.97) == "decoding");
}

TEST_CASE("issue 23, item 16: local SGD averages weights behind the update, and nothing hides that") {
  const Machine four{"dgx1_p100", "vgg16", 4};
  ExchangeSpec x;
  x.strategy = ExchangeStrategy::local_sgd;
  x.local_steps = 8;
  const TrainingRun run = four.run(four.spec(32, x));
  CHECK(run.parts.exchange_busy > Duration{0});
  // All of it is waited for: one exchange in eight steps.
  CHECK(run.parts.exchange_wait.base() == doctest::Approx(run.parts.exchange_busy.base()).epsilon(0.01));
  CHECK(sum_of(run.parts) == doctest::Approx(run.parts.total.base()).epsilon(1e-9));
  // Weights are kept in fp32 whatever the precision.
  TrainingSpec mixed = four.spec(32, x);
  mixed.precision = Precision::mixed;
  double bytes = 0;
  for (const GradientBucket& b : step_times(mixed, four.ranks()).buckets) bytes += b.gradients.base();
  CHECK(bytes == doctest::Approx(4 * four.workload.trained_parameters()));
}

TEST_CASE("issue 23, item 18: 16-bit gradients take two bytes whatever they are made from") {
  const Compression &fp16 = compression("fp16"), &none = compression("none");
  const double parameters = 1e6;
  CHECK(sent_bytes(fp16, parameters, Bytes{4e6}) == Bytes{2e6});  // of fp32
  CHECK(sent_bytes(fp16, parameters, Bytes{2e6}) == Bytes{2e6});  // of mixed precision: they are so already
  CHECK(sent_bytes(none, parameters, Bytes{2e6}) == Bytes{2e6});
  CHECK(sent_bytes(compression("int8"), parameters, Bytes{2e6}) == Bytes{1e6});
  CHECK(sent_bytes(compression("1bit"), parameters, Bytes{2e6}).base() == doctest::Approx(1e6 / 8));
  CHECK(reduced_bytes(fp16, 8, parameters, Bytes{2e6}) == Bytes{2e6});
  // Nothing is cast where nothing becomes narrower; from fp32 half of the passes pack, half unpack.
  CHECK(compression_traffic(fp16, parameters, Bytes{2e6}).packing == Bytes{0});
  CHECK(compression_traffic(fp16, parameters, Bytes{4e6}).packing == Bytes{6e6});
  CHECK(compression_traffic(fp16, parameters, Bytes{4e6}).unpacking == Bytes{6e6});
  const Machine four{"dgx1_p100", "vgg16", 4};
  ExchangeSpec narrow;
  narrow.compression = "fp16";
  TrainingSpec plain = four.spec(32), named = four.spec(32, narrow);
  plain.precision = named.precision = Precision::mixed;
  CHECK(four.run(named).parts.total == four.run(plain).parts.total);
  // With servers as well.
  ExchangeSpec s = servers(ServerMode::synchronous), t = s;
  t.compression = "fp16";
  plain.exchange = s, named.exchange = t;
  CHECK(four.run(named).parts.total == four.run(plain).parts.total);
}

TEST_CASE("issue 23, item 19: shards of split layers are summed among their copies alone") {
  const Machine one{"dgx1v_16gb", "vgg16", 1}, two{"dgx1v_16gb", "vgg16", 2};
  ExchangeSpec x;
  x.strategy = ExchangeStrategy::model_parallel;
  x.ways = 8;
  // Every GPU has another eighth of every layer: there is nothing to sum.
  const TrainingRun alone = one.run(one.spec(32, x));
  CHECK(alone.parts.exchange_busy == Duration{0});
  CHECK(step_times(one.spec(32, x), one.ranks()).buckets.empty());
  // Two copies: each GPU has one other with its shard, on the other node, and eight pairs share the ports.
  const auto wire = [](const Machine& on, const ExchangeSpec& exchange) {
    const TrainingSpec spec = on.spec(32, exchange);
    const DataParallelPlan plan = plan_data_parallel(on.cluster, spec, step_times(spec, on.ranks()).buckets);
    double most = 0;
    for (const PlanResource& r : plan.resources) {
      double bytes = 0;
      if (r.what == "InfiniBand")
        for (const Exchange& e : plan.crews.front().exchanges)
          for (const FlowStage& stage : e.stages) bytes += stage.work * r.use_by(stage.pattern);
      most = std::max(most, bytes);
    }
    return most;
  };
  // 2 (n - 1) / n of the payload leave each node: with two copies of 4 bytes a parameter all of the weights,
  // over four ports. Protocols add flags.
  const double parameters = two.workload.trained_parameters();
  CHECK(wire(two, x) > 0.99 * 4 * parameters / 4);
  CHECK(wire(two, x) < 1.6 * 4 * parameters / 4);
  // Groups of four: two copies in each node, so the ports carry what plain data parallelism does.
  x.ways = 4;
  CHECK(wire(two, x) > 0.99 * 4 * parameters / 4);
  // Hybrid: convolutions among all, fully connected layers among copies, never in one bucket.
  x.strategy = ExchangeStrategy::hybrid;
  double shards = 0, whole = 0;
  for (const GradientBucket& b : step_times(two.spec(32, x), two.ranks()).buckets)
    (b.shards ? shards : whole) += b.parameters;
  double connected = 0;
  for (const Operator& op : two.workload.operators)
    if (op.family == OperatorFamily::gemm) connected += op.trained_parameters();
  CHECK(shards == doctest::Approx(connected / 4));
  CHECK(whole == doctest::Approx(parameters - connected));
  // A GPU updates what it holds.
  CHECK(alone.parts.optimizer < 0.2 * one.run(one.spec(32)).parts.optimizer);
}

TEST_CASE("issue 23, item 20: waits of split layers vary with the network") {
  const Machine one{"dgx1v_16gb", "vgg16", 1};
  ExchangeSpec x;
  x.strategy = ExchangeStrategy::model_parallel;
  x.ways = 8;
  TrainingSpec spec = one.spec(32, x), slow = spec;
  slow.network_scale = 0.5;
  const auto waits = [&](const TrainingSpec& s) {
    const DataParallelPlan plan = plan_data_parallel(one.cluster, s, {});
    return plan.extra_forward + plan.extra_backward;
  };
  CHECK(waits(spec) > Duration{0});
  CHECK(waits(slow).base() == doctest::Approx(2 * waits(spec).base()));
}

TEST_CASE("issue 23, item 20: packing comes before a bucket leaves, unpacking behind its return") {
  const Machine four{"dgx1_p100", "vgg16", 4};
  ExchangeSpec x;
  x.compression = "topk";
  const StepTimes plain = step_times(four.spec(32), four.ranks()),
                  packed = step_times(four.spec(32, x), four.ranks());
  REQUIRE(packed.buckets.size() == plain.buckets.size());
  for (std::size_t b = 0; b < packed.buckets.size(); ++b) {
    // 10 passes of 4 bytes, of which 1.02 unpack.
    const Duration packing = packed.buckets[b].before - plain.buckets[b].before;
    const double bytes = (10 - 1.02) * 4 * packed.buckets[b].parameters;
    const double rate = 0.8 * four.gpu.gpu().memory.base();
    CHECK(packing.base() > 0.99 * bytes / rate);
    CHECK(packing.base() < 1.2 * bytes / rate);  // the slowest rank's pace
  }
  CHECK(packed.backward_tail == plain.backward_tail);
  CHECK(packed.unpacking > Duration{0});
  // Alone, nobody packs.
  CHECK(step_times(four.spec(32, x), 1).unpacking == Duration{0});
}

TEST_CASE(
    "issue 23, item 20: Horovod's cycle knows nothing of the step, so the last gradients wait for half of "
    "it") {
  const Machine four{"dgx1_p100", "resnet50", 4};
  ExchangeSpec x;
  x.cycle = Duration{5e-3};
  x.bucket = Bytes{1e12};
  // Until the last gradients leave, since back-propagation began.
  const auto leaves = [&](double batch) {
    const StepTimes times = step_times(four.spec(batch, x), four.ranks());
    Duration sum = times.buckets.back().delay;
    for (const GradientBucket& bucket : times.buckets) sum += bucket.before;
    return sum;
  };
  for (const double batch : {16, 17, 18, 19, 20, 21}) {
    for (const bool after : {true, false}) {
      CAPTURE(batch);
      CAPTURE(after);
      x.after_backward = after;
      x.cycle = Duration{0};
      const Duration at_once = leaves(batch);
      x.cycle = Duration{5e-3};
      CHECK((leaves(batch) - at_once).base() == doctest::Approx(2.5e-3).epsilon(1e-6));
    }
  }
  // Ticks are a cycle apart.
  const StepTimes times = step_times(four.spec(64, x), four.ranks());
  REQUIRE(times.buckets.size() > 3);
  for (std::size_t b = 1; b + 1 < times.buckets.size(); ++b) {
    const double cycles = times.buckets[b].before / x.cycle;
    CHECK(cycles == doctest::Approx(std::round(cycles)).epsilon(1e-9));
  }
}

TEST_CASE("issue 23, item 25: whatever is on its way, a link is shared by bytes") {
  const Machine four{"dgx1v_16gb", "resnet50", 4};
  TrainingSpec spec = four.spec();
  spec.input.stored_sample = Bytes{1e5};
  spec.save.asked = spec.save.restore = true;
  spec.save.state = Bytes{1e9};
  spec.save.write = spec.save.read = Bandwidth{1e9};
  ClusterShape shape{.nodes = 4, .fabric = {}};
  shape.fabric.storage_servers = 8;
  const Cluster stored = make_cluster(hardware(), four.cluster.node, shape);
  const DataParallelPlan plan = plan_data_parallel(stored, spec, step_times(spec, four.ranks()).buckets);
  REQUIRE(plan.weights.size() == static_cast<std::size_t>(plan.patterns));
  // On the link that holds a pattern up most, a share of one is one byte per second.
  for (int pattern = 0; pattern < plan.patterns; ++pattern) {
    double longest = 0, units = 0;
    for (const PlanResource& r : plan.resources) {
      if (r.is_input_only || r.use_by(pattern) / r.capacity <= longest) continue;
      longest = r.use_by(pattern) / r.capacity;
      units = r.use_by(pattern);
    }
    CAPTURE(pattern);
    REQUIRE(units > 0);
    CHECK(plan.weights[static_cast<std::size_t>(pattern)] * units == doctest::Approx(1));
  }
}

TEST_CASE("issue 23, item 26: GPUs relay by the release of NCCL, not by the generation of NVLink") {
  // The fifth GPU of the cube mesh has links to one other alone: without a relay the ring takes PCIe. With it
  // one ring fits on the P100's links and two on the V100's.
  for (const auto& node : {std::pair{"dgx1_p100", 1.3}, std::pair{"dgx1v_16gb", 2.0}}) {
    const auto& [name, times] = node;
    CAPTURE(node.first);
    const Cluster five =
        make_cluster(hardware(), node_spec(hardware(), name), {.nodes = 1, .fabric = {}, .gpus = 5});
    const auto rate = [&](const char* version) {
      CommSpec comm;
      comm.version = version;
      return Bytes{1e9} / CommModel{five, comm}.time(Collective::all_reduce, Bytes{1e9});
    };
    CHECK(rate("2.8.3") > times * rate("2.7.8"));
    CHECK(rate("2.16.2") > times * rate("2.7.8"));
    CHECK(rate("2.4.7") < 1.1 * rate("2.7.8"));
  }
}

TEST_CASE(
    "issue 23, item 26: PCIe switches that pass nothing on are a fact of the node, or of the scenario") {
  CHECK(node_spec(hardware(), "dgx1_p100").peer_to_peer);
  CHECK_FALSE(node_spec(hardware(), "pcie_rtx4090_4gpu").peer_to_peer);
  CHECK_FALSE(node_spec(hardware(), {.node = "dgx1_p100", .peer_to_peer = false}).peer_to_peer);
  CHECK(node_spec(hardware(), {.node = "pcie_rtx4090_4gpu", .peer_to_peer = true}).peer_to_peer);
}
