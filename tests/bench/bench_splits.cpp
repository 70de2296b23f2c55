// The search for the split of a network ("parallelism": "auto"), from the names in the catalogue to the best
// five splits. Each measurement starts without anything remembered.
//
// Target on one core: 10,000 candidates in 10 s.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>

#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/splits/split_search.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

void split_search(benchmark::State& state, const std::string& model) {
  const Scenario s = load_scenario(
      RACKCAST_SOURCE_DIR "/scenarios/saturn_v.json",
      {fmt::format(R"(cluster={{"node": "dgx_h100", "nodes": {}}})", state.range(0)),
       fmt::format(R"(workloads=[{{"model": "{}", "epochs": 1, "precision": "bf16", "global_batch": 1536,
                      "parallelism": "auto"}}])",
                   model)});
  const Catalog catalog = Catalog::builtin();
  for (auto _ : state) {
    Evaluator evaluator{catalog};
    const auto choice = evaluator.split_choice(question(s, s.workloads.front()));
    state.counters["candidates"] = static_cast<double>(choice->found.considered);
    state.counters["simulated"] = static_cast<double>(choice->found.simulated);
    state.counters["step_s"] = choice->fits() ? choice->found.best.front().step.total.base() : 0;
  }
}
BENCHMARK_CAPTURE(split_search, gpt3_175b, std::string("gpt3-175b"))
    ->Arg(16)
    ->Arg(64)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(split_search, llama3_70b, std::string("llama3-70b"))
    ->Arg(32)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(split_search, deepseek_v3, std::string("deepseek-v3"))
    ->Arg(64)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
