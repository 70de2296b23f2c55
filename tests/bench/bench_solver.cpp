// Time of the max-min solver against the size of the problem, with the fitted exponent.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>

#include "sim/base/random.hpp"
#include "sim/engine/max_min.hpp"

using namespace rackcast;

namespace {

/// `activities` flows over 4 random ones of `resources` links of different capacity: many bottleneck levels.
MaxMinProblem random_links(std::int64_t activities, std::int64_t resources) {
  RandomStream random(1, "bench");
  MaxMinProblem p;
  for (std::int64_t r = 0; r < resources; ++r) p.capacity.push_back(random.uniform(1, 2));
  for (std::int64_t i = 0; i < activities; ++i) {
    p.add_activity(1, no_cap);
    const std::uint64_t first = random.below(static_cast<std::uint64_t>(resources));
    for (std::uint64_t hop = 0; hop < 4; ++hop) {
      p.add_usage(static_cast<std::uint32_t>((first + hop * 7919) % static_cast<std::uint64_t>(resources)),
                  1);
    }
  }
  return p;
}

/// The capacities change from solve to solve: the branches of a small problem that is solved over and over
/// would all be predicted, which made it three times faster than it is in a simulation.
void solve_random_links(benchmark::State& state) {
  MaxMinProblem problem = random_links(state.range(0), state.range(1));
  const MaxMinProblem pool = random_links(0, 2 * state.range(1) + 1000);
  MaxMinSolver solver;
  std::size_t from = 0;
  for (auto _ : state) {
    from = (from + 7) % (pool.capacity.size() - problem.capacity.size());
    std::copy_n(pool.capacity.begin() + static_cast<std::ptrdiff_t>(from), problem.capacity.size(),
                problem.capacity.begin());
    benchmark::DoNotOptimize(solver.solve(problem).data());
  }
  state.SetComplexityN(state.range(0));
}
void sizes(benchmark::internal::Benchmark* bench) {
  for (std::int64_t n = 16; n <= 262'144; n *= 4) bench->Args({n, n});
}
BENCHMARK(solve_random_links)->Apply(sizes)->Complexity()->Unit(benchmark::kMicrosecond);

void solve_few_links(benchmark::State& state) {
  const MaxMinProblem problem = random_links(state.range(0), state.range(1));
  MaxMinSolver solver;
  for (auto _ : state) benchmark::DoNotOptimize(solver.solve(problem).data());
}
BENCHMARK(solve_few_links)
    ->Args({1024, 16})
    ->Args({1024, 128})
    ->Args({1024, 1024})
    ->Args({1024, 8192})
    ->Args({65'536, 16})
    ->Args({65'536, 1024})
    ->Args({65'536, 65'536})
    ->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
