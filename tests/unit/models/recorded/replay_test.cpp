// Recorded steps on a cluster: worked out by hand.
#include "models/recorded/replay.hpp"

#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "models/collectives/cluster.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/recorded/kineto_file.hpp"
#include "sim/base/error.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {
namespace {

const Catalog& replay_catalog() {
  static const Catalog all = Catalog::builtin();
  return all;
}

Cluster boxes(int nodes, std::optional<int> gpus = {}) {
  ClusterShape shape;
  shape.nodes = nodes;
  shape.gpus = gpus;
  return make_cluster(replay_catalog(), node_spec(replay_catalog(), "dgx_a100_640gb"), shape);
}

const GpuCostModel& model_of(const char* gpu) {
  static std::map<std::string, GpuCostModel> known;
  auto found = known.find(gpu);
  if (found == known.end())
    found = known.emplace(gpu, GpuCostModel::create(gpu_rates(gpu_spec(replay_catalog(), gpu)))).first;
  return found->second;
}

ReplaySpec same_gpu() {
  ReplaySpec spec;
  spec.gpu = &model_of("a100_sxm4_80gb");
  return spec;
}

RecordedTask one_kernel(std::uint64_t id, double seconds, std::vector<std::size_t> after = {}) {
  RecordedTask out;
  out.id = id;
  out.time = Duration{seconds};
  out.queue = "kernels";
  out.after = std::move(after);
  return out;
}

RecordedTask one_exchange(RecordedKind kind, std::uint64_t id, double bytes, std::vector<std::size_t> after) {
  RecordedTask out;
  out.id = id;
  out.kind = kind;
  out.payload = Bytes{bytes};
  out.after = std::move(after);
  out.queue = kind == RecordedKind::send      ? "messages sent"
              : kind == RecordedKind::receive ? "messages received"
                                              : "collectives";
  return out;
}

Duration alone(const Cluster& cluster, Collective operation, double bytes) {
  return CommModel{cluster, {}}.time(operation, Bytes{bytes});
}

constexpr double us = 1e-6;

}  // namespace

TEST_CASE("a recorded step on one GPU takes its kernels and what the host needs between two steps") {
  const RecordedStep step =
      read_kineto({std::string{RACKCAST_SOURCE_DIR} + "/tests/data/traces/kineto_two_gpus.json"});
  const TrainingRun run = replay(boxes(1, 1), step, same_gpu());
  // The host waits for the update, takes 105 us until the step ends and 15 us to launch the first copy.
  CHECK(run.parts.total.base() == doctest::Approx((880 + 120) * us));
  CHECK(run.parts.forward.base() == doctest::Approx((280 + 120) * us));
  CHECK(run.parts.backward.base() == doctest::Approx(500 * us));
  CHECK(run.parts.optimizer.base() == doctest::Approx(100 * us));
  CHECK(run.host_share == doctest::Approx(0.12));
  CHECK(run.binds == "GPU compute");
}

TEST_CASE("of the all-reduces of a recorded step, the last one is exposed") {
  const RecordedStep step =
      read_kineto({std::string{RACKCAST_SOURCE_DIR} + "/tests/data/traces/kineto_two_gpus.json"});
  for (const auto& [nodes, gpus] : {std::pair{1, 2}, std::pair{1, 8}, std::pair{4, 32}}) {
    const Cluster cluster = boxes(nodes, gpus);
    const Duration first = alone(cluster, Collective::all_reduce, 20e6);
    const Duration last = alone(cluster, Collective::all_reduce, 16e6);
    const double late = std::max(0.0, first.base() - 250 * us);
    const TrainingRun run = replay(cluster, step, same_gpu());
    CHECK(run.parts.exchange_wait.base() == doctest::Approx(late + last.base()).epsilon(1e-6));
    CHECK(run.parts.total.base() == doctest::Approx(1000 * us + late + last.base()).epsilon(1e-6));
    CHECK(run.ranks == gpus);
  }
}

TEST_CASE("ranks that were recorded each on its own wait for the slowest in a collective") {
  RecordedStep step;
  step.world = 4;
  for (int r = 0; r < 4; ++r) {
    RecordedRank& rank = step.ranks.emplace_back();
    rank.rank = r;
    rank.tasks.push_back(one_kernel(0, (r + 1) * 1e-3));
    rank.tasks.push_back(one_exchange(RecordedKind::collective, 1, 1e8, {0}));
    rank.tasks.push_back(one_kernel(2, 1e-3, {1}));
  }
  const Cluster cluster = boxes(1, 4);
  const TrainingRun run = replay(cluster, step, same_gpu());
  CHECK(run.parts.total.base() ==
        doctest::Approx(5e-3 + alone(cluster, Collective::all_reduce, 1e8).base()).epsilon(1e-6));
}

TEST_CASE("two groups that exchange at the same time share the adapters of their nodes") {
  // Both of all 16 ranks, each of which could fill the adapters alone.
  const auto record = [](bool both) {
    RecordedStep step;
    step.world = 16;
    for (int r = 0; r < 16; ++r) {
      RecordedRank& rank = step.ranks.emplace_back();
      rank.rank = r;
      rank.tasks.push_back(one_kernel(0, 1e-3));
      for (int group = 0; group < (both ? 2 : 1); ++group) {
        RecordedTask sum =
            one_exchange(RecordedKind::collective, 1 + static_cast<std::uint64_t>(group), 4e8, {0});
        sum.group = group == 0 ? "a" : "b";
        sum.queue = "collectives of " + sum.group;
        rank.tasks.push_back(sum);
      }
    }
    for (int r = 0; r < 16; ++r)
      for (const char* name : {"a", "b"}) step.groups[name].push_back(r);
    return step;
  };
  const Cluster cluster = boxes(2);
  const double one = replay(cluster, record(false), same_gpu()).parts.total.base() - 1e-3;
  const double both = replay(cluster, record(true), same_gpu()).parts.total.base() - 1e-3;
  CHECK(both > 1.6 * one);
  CHECK(both < 2.001 * one);
}

TEST_CASE("a message is received when it was sent, and its way was free") {
  RecordedStep step;
  step.world = 2;
  step.ranks.resize(2);
  step.ranks[1].rank = 1;
  step.ranks[0].tasks = {one_kernel(0, 2e-3), one_exchange(RecordedKind::send, 1, 1e8, {0})};
  step.ranks[0].tasks[1].peer = 1;
  step.ranks[0].tasks[1].operation = Collective::send_recv;
  step.ranks[1].tasks = {one_exchange(RecordedKind::receive, 0, 1e8, {}), one_kernel(1, 1e-3, {0})};
  step.ranks[1].tasks[0].operation = Collective::send_recv;
  const Cluster cluster = boxes(1, 2);
  const TrainingRun run = replay(cluster, step, same_gpu());
  // A step of rank 0 is over when its message is sent; rank 1 works beside the next one.
  CHECK(run.parts.total.base() ==
        doctest::Approx(2e-3 + alone(cluster, Collective::send_recv, 1e8).base()).epsilon(1e-3));
  CHECK(run.parts.forward.base() == doctest::Approx(2e-3));
}

TEST_CASE("on another GPU kernels are scaled by what the models of both say of their work") {
  RecordedStep step;
  RecordedRank& rank = step.ranks.emplace_back();
  rank.tasks = {one_kernel(0, 10e-3)};
  ReplaySpec spec;
  spec.precision = Precision::mixed;
  spec.gpu = &model_of("h100_sxm5_80gb");
  spec.recorded = &model_of("a100_sxm4_80gb");
  const Cluster cluster = boxes(1, 1);
  const double memory = replay(cluster, step, spec).parts.total.base() / 10e-3;
  rank.tasks[0].matrix = true;
  const double matrix = replay(cluster, step, spec).parts.total.base() / 10e-3;
  // 2.04 TB/s against 3.35; 312 TFLOP/s against 989.
  CHECK(memory > 0.55);
  CHECK(memory < 0.72);
  CHECK(matrix > 0.3);
  CHECK(matrix < memory);
  rank.tasks[0].flop = Flop{1e6};  // so little that starting it takes longest
  CHECK(replay(cluster, step, spec).parts.total.base() > matrix * 10e-3);
  ReplaySpec here = same_gpu();
  here.gpu = spec.gpu;
  const TrainingRun same = replay(cluster, step, here);
  CHECK(same.compute_log_sigma < replay(cluster, step, spec).compute_log_sigma);
}

TEST_CASE("a step whose ranks do not all exchange with all takes as many GPUs as were recorded") {
  RecordedStep step;
  step.world = 4;
  step.groups["half"] = {0, 1};
  RecordedRank& rank = step.ranks.emplace_back();
  rank.tasks = {one_kernel(0, 1e-3), one_exchange(RecordedKind::collective, 1, 1e6, {0})};
  rank.tasks[1].group = "half";
  CHECK(replay(boxes(1, 4), step, same_gpu()).ranks == 4);
  CHECK_THROWS_WITH_AS((void)replay(boxes(1, 8), step, same_gpu()), doctest::Contains("of 4 ranks"), Error);
}

TEST_CASE("ranks that exchange in another order wait for ever, which is said") {
  RecordedStep step;
  step.world = 2;
  step.groups["a"] = step.groups["b"] = {0, 1};
  for (int r = 0; r < 2; ++r) {
    RecordedRank& rank = step.ranks.emplace_back();
    rank.rank = r;
    rank.tasks.push_back(one_kernel(0, 1e-3));
    for (std::uint64_t i = 0; i < 2; ++i) {
      rank.tasks.push_back(one_exchange(RecordedKind::collective, 1 + i, 1e6, {i}));
      rank.tasks.back().group = (i == 0) == (r == 0) ? "a" : "b";
      rank.tasks.back().queue = "collectives";
    }
  }
  CHECK_THROWS_WITH_AS((void)replay(boxes(1, 2), step, same_gpu()), doctest::Contains("in a circle"), Error);
}

}  // namespace rackcast
