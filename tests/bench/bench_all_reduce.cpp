// All-reduce of 100 MB over 8 to 131,072 GPUs, folded and in full: time to describe the cluster and the
// traffic, fold it and simulate it, and how many cells and events that takes.
#include <benchmark/benchmark.h>

#include "all_reduce_program.hpp"
#include "child_run.hpp"
#include "sim/program/simulation.hpp"

using namespace rackcast;

namespace {

constexpr Bytes payload{100e6};
constexpr std::uint32_t tree_chunks = 64;

FlowProgram ring(std::uint32_t gpus) {
  return bench::ring_all_reduce(bench::cluster_of(gpus), payload);
}
FlowProgram ring_by_leaf(std::uint32_t gpus) {
  return bench::ring_all_reduce(bench::cluster_of(gpus), payload, bench::Describe::one_leaf);
}
FlowProgram tree(std::uint32_t gpus) {
  return bench::tree_all_reduce(bench::cluster_of(gpus), payload, tree_chunks);
}
FlowProgram hierarchical(std::uint32_t gpus) {
  return bench::hierarchical_all_reduce(bench::cluster_of(gpus), payload);
}
FlowProgram hierarchical_by_leaf(std::uint32_t gpus) {
  return bench::hierarchical_all_reduce(bench::cluster_of(gpus), payload, bench::Describe::one_leaf);
}

void report(benchmark::State& state, const ProgramResult& result) {
  state.counters["simulated_ms"] = result.end.base() * 1e3;
  state.counters["cells"] = static_cast<double>(result.cells);
  state.counters["events"] = static_cast<double>(result.events);
  state.counters["laps"] = static_cast<double>(result.laps);
}

void measure(benchmark::State& state, FlowProgram (*make)(std::uint32_t), const ProgramOptions& options) {
  const auto gpus = static_cast<std::uint32_t>(state.range(0));
  ProgramResult result;
  for (auto _ : state) result = simulate(make(gpus), options);
  report(state, result);
  const bench::ChildCost cost = bench::run_in_child([&] { return simulate(make(gpus), options).end.base(); });
  state.counters["MB"] = static_cast<double>(cost.peak_bytes) / 1e6;
}

void folded(benchmark::State& state, FlowProgram (*make)(std::uint32_t)) {
  measure(state, make, {});
}

void in_full(benchmark::State& state, FlowProgram (*make)(std::uint32_t)) {
  ProgramOptions options;
  options.fold_space = options.fold_time = false;
  measure(state, make, options);
}

void up_to_a_lot(benchmark::internal::Benchmark* bench) {
  for (std::int64_t n = 8; n <= 131'072; n *= 4) bench->Arg(n);
  bench->Unit(benchmark::kMillisecond);
}
void up_to_some(benchmark::internal::Benchmark* bench) {
  for (std::int64_t n = 8; n <= 1024; n *= 2) bench->Arg(n);
  bench->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(folded, ring, ring)->Apply(up_to_a_lot);
BENCHMARK_CAPTURE(folded, ring_by_leaf, ring_by_leaf)->Apply(up_to_a_lot);
BENCHMARK_CAPTURE(folded, tree, tree)->Apply(up_to_a_lot);
BENCHMARK_CAPTURE(folded, hierarchical, hierarchical)->Apply(up_to_a_lot);
BENCHMARK_CAPTURE(folded, hierarchical_by_leaf, hierarchical_by_leaf)->Apply(up_to_a_lot);
BENCHMARK_CAPTURE(in_full, ring, ring)->Apply(up_to_some);
BENCHMARK_CAPTURE(in_full, tree, tree)->Apply(up_to_some);
BENCHMARK_CAPTURE(in_full, hierarchical, hierarchical)->Apply(up_to_some);

}  // namespace

BENCHMARK_MAIN();
