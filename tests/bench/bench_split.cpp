// One step of networks that are split over GPUs, from the names in the catalogue to the time: Llama 3.1 405B
// on 16,384 and 131,072 H100 and DeepSeek-V3 on 2,048. Each measurement starts without anything remembered.
//
// Targets on one core: 1 s and 500 MB, 3 s and 1 GB, 1 s.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>

#include "child_run.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/scenario.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

constexpr const char* llama =
    R"("model": "llama3.1-405b", "parallelism": {"tensor": 8, "pipeline": 16, "micro_batch": 1,
       "micro_batches": 16, "zero_stage": 1})";
constexpr const char* deepseek =
    R"("model": "deepseek-v3", "parallelism": {"pipeline": 16, "expert": 64, "micro_batch": 1,
       "micro_batches": 64, "zero_stage": 1})";

double step_seconds(const std::string& workload, std::int64_t nodes) {
  const char* fabric = nodes > 1024 ? R"({"kind": "three_level", "rails": "separate"})" : "{}";
  const Scenario s = load_scenario(
      RACKCAST_SOURCE_DIR "/scenarios/saturn_v.json",
      {fmt::format(R"(cluster={{"node": "dgx_h100", "nodes": {}, "fabric": {}}})", nodes, fabric),
       fmt::format(
           R"(workloads=[{{{}, "epochs": 1, "precision": "mixed", "framework": {{"name": "megatron_core"}}}}])",
           workload)});
  const Catalog catalog = Catalog::builtin();
  Evaluator evaluator{catalog};
  const Question question{
      s.cluster, s.workloads.front(), {}, s.data.samples, s.data.bytes_per_sample, s.storage, s.input};
  return evaluator.run(question).parts.total.base();
}

void split_step(benchmark::State& state, const std::string& workload) {
  const std::int64_t nodes = state.range(0);
  double seconds = 0;
  for (auto _ : state) seconds = step_seconds(workload, nodes);
  state.counters["step_s"] = seconds;
  const bench::ChildCost cost = bench::run_in_child([&] { return step_seconds(workload, nodes); });
  state.counters["MB"] = static_cast<double>(cost.peak_bytes) / 1e6;
}
BENCHMARK_CAPTURE(split_step, llama3_405b, std::string(llama))
    ->Arg(2048)
    ->Arg(16'384)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(split_step, deepseek_v3, std::string(deepseek))->Arg(256)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
