// ResNet-50: the repeating step on 1 to 660 DGX-1V and on 16,384 and 131,072 H100, from the names in the
// catalogue to the time, and the whole answer for 90 epochs on 660 nodes; parameter servers on up to 1,024.
// Each measurement starts without anything remembered.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>

#include "child_run.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/scenario.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

Scenario saturn_v(const std::vector<std::string>& sets = {}) {
  return load_scenario(RACKCAST_SOURCE_DIR "/scenarios/saturn_v.json", sets);
}

/// One network for the ports of a node, or where three levels of switches do not reach them all, one per
/// port.
double step_seconds(const std::string& node, std::int64_t nodes) {
  const char* fabric = nodes > 8192 ? R"({"kind": "three_level", "rails": "separate"})" : "{}";
  const Scenario s = saturn_v(
      {fmt::format("cluster={{\"node\": \"{}\", \"nodes\": {}, \"fabric\": {}}}", node, nodes, fabric)});
  const Catalog catalog = Catalog::builtin();
  Evaluator evaluator{catalog};
  const Question question{
      s.cluster, s.workloads.front(), {}, s.data.samples, s.data.bytes_per_sample, s.storage, s.input};
  return evaluator.run(question).parts.total.base();
}

double run_seconds() {
  const Catalog catalog = Catalog::builtin();
  return simulate(saturn_v(), catalog).prediction.time_to_train.value;
}

void note_memory(benchmark::State& state, const std::function<double()>& function) {
  const bench::ChildCost cost = bench::run_in_child(function);
  state.counters["MB"] = static_cast<double>(cost.peak_bytes) / 1e6;
}

void one_step(benchmark::State& state, const std::string& node) {
  const std::int64_t nodes = state.range(0);
  double seconds = 0;
  for (auto _ : state) seconds = step_seconds(node, nodes);
  state.counters["step_ms"] = seconds * 1e3;
  note_memory(state, [&] { return step_seconds(node, nodes); });
}
BENCHMARK_CAPTURE(one_step, dgx1v, std::string("dgx1v_16gb"))
    ->Arg(1)
    ->Arg(8)
    ->Arg(80)
    ->Arg(660)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_step, dgx_h100, std::string("dgx_h100"))
    ->Arg(2048)
    ->Arg(16'384)
    ->Unit(benchmark::kMillisecond);

void ninety_epochs_on_660_nodes(benchmark::State& state) {
  double seconds = 0;
  for (auto _ : state) seconds = run_seconds();
  state.counters["time_to_train_s"] = seconds;
  note_memory(state, run_seconds);
}
BENCHMARK(ninety_epochs_on_660_nodes)->Unit(benchmark::kMillisecond);

/// A network over MXNet's distributed KVStore, servers on all nodes: the whole answer, in which there are two
/// messages for every pair of nodes and large array. AlexNet has few arrays, DenseNet-201 has 402, of which
/// dozens are under way at a time. "growth" is its CPU time over that on half the nodes, measured beside it:
/// 2 is in proportion to the nodes, 4 to their pairs.
double key_value_store_seconds(const std::string& model, std::int64_t nodes) {
  const Catalog catalog = Catalog::builtin();
  const Scenario s = saturn_v({fmt::format("cluster={{\"node\": \"dgx1_p100\", \"nodes\": {}}}", nodes),
                               fmt::format(R"(workloads=[{{"model": "{}", "epochs": 1, "batch_per_gpu": 32,
           "framework": {{"name": "mxnet"}}, "exchange": "ps_lite"}}])",
                                           model)});
  return simulate(s, catalog).prediction.time_to_train.value;
}

void key_value_store(benchmark::State& state, const std::string& model) {
  const std::int64_t nodes = state.range(0);
  double seconds = 0;
  for (auto _ : state) seconds = key_value_store_seconds(model, nodes);
  state.counters["time_to_train_s"] = seconds;
  const auto cpu = [&](std::int64_t of) {
    return bench::run_in_child([&] { return key_value_store_seconds(model, of); }).cpu_seconds;
  };
  state.counters["growth"] = cpu(nodes) / cpu(nodes / 2);
}
BENCHMARK_CAPTURE(key_value_store, few_arrays, std::string("alexnet"))
    ->Arg(128)
    ->Arg(256)
    ->Arg(512)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(key_value_store, many_arrays, std::string("densenet201"))
    ->Arg(16)
    ->Arg(32)
    ->Arg(64)
    ->Arg(128)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
