// What the simulation of a step with parameter servers costs, in sizes of rate problems.
#include <doctest/doctest.h>

#include "models/collectives/cluster.hpp"
#include "models/frameworks/framework.hpp"
#include "models/gpu/cost.hpp"
#include "models/gpu/model_library.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/networks/workload.hpp"
#include "models/step/data_parallel_graph.hpp"
#include "sim/program/simulation.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/node_spec.hpp"

using namespace rackcast;

namespace {

/// Of two steps on so many nodes, each with a server; `fold` false: one link after the other.
SolvedProblems solved(int nodes, bool fold = true) {
  const Catalog catalog = Catalog::builtin();
  const Workload network = load_workload("densenet201");
  const FrameworkProfile framework = framework_profile({.name = "mxnet"});
  const NodeSpec node = node_spec(catalog, NodeChoice{"abci_v100_4gpu", ""});
  const GpuCostModel gpu =
      GpuCostModel::create(gpu_rates(node.gpu), {.library = framework.library}, GpuModelLibrary::builtin());
  ClusterShape shape;
  shape.nodes = nodes;
  const Cluster cluster = make_cluster(catalog, node, shape);
  TrainingSpec spec;
  spec.workload = &network;
  spec.gpu = &gpu;
  spec.framework = &framework;
  spec.batch_per_gpu = 8;
  spec.exchange.strategy = ExchangeStrategy::parameter_server;
  spec.exchange.bucket = Bytes{0};
  spec.exchange.servers.whole_arrays = true;
  spec.fold = fold;
  const StepTimes times = step_times(spec, static_cast<int>(cluster.ranks.size()));
  const DataParallelPlan plan = plan_data_parallel(cluster, spec, times.buckets);
  ProgramOptions options;
  options.fold_space = options.fold_time = false;
  options.at_lap = [](const LapInfo& lap) {
    return LapDecision{.stop = lap.laps == 2};
  };
  return simulate(data_parallel_graph(cluster, spec, plan, times, {}).graph.lowered(), options).solved;
}

}  // namespace

TEST_CASE("what a way to a parameter server costs does not grow with the nodes") {
  // A message takes of one link of every node in each direction, and more or less of those of the server's
  // node: PCIe and InfiniBand, to and fro. That is at most 4 usages for links of a kind together, 4 for the
  // server's own, and one of what adds on the server. Links between switches add some where there are
  // several. With links one by one there are more than twice as many as nodes.
  for (const int nodes : {64, 128}) {
    CAPTURE(nodes);
    const SolvedProblems work = solved(nodes);
    CHECK(work.activities > 1000);
    CHECK(work.usages > 5 * work.activities);
    CHECK(work.usages < 20 * work.activities);
  }
}

TEST_CASE("messages that go the same way are one, and alike links of the nodes are too") {
  // Some dozens of 402 arrays are under way at a time, each over links of 16 nodes.
  const SolvedProblems together = solved(16), one_by_one = solved(16, false);
  CAPTURE(together.usages);
  CAPTURE(one_by_one.usages);
  CHECK(5 * together.usages < one_by_one.usages);
}
