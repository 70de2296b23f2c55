// Ring all-reduce of 100 MB over n ranks with every chunk simulated: 2(n-1) steps of n flows.
//
// Each rank sends chunk after chunk to its right neighbour over its own and the neighbour's network port, and
// starts step s + 1 once it has received step s. The result is checked against
// t = 2(n-1)(latency + payload / (n * bandwidth)) (Patarasuk & Yuan, JPDC 69(2), 2009).
#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <deque>
#include <string>
#include <vector>

#include "sim/engine/fluid.hpp"
#include "tests/bench/queue.hpp"

using namespace rackcast;

namespace {

constexpr double payload = 100e6;
constexpr double bandwidth = 25e9;
constexpr double latency = 2e-6;

Process rank(Engine&, Network& network, std::array<Usage, 2> route, std::int64_t steps, double chunk,
             Queue<std::int64_t>& received, Queue<std::int64_t>& right_received) {
  const Activity send{.work = chunk, .uses = route, .latency = Duration{latency}};
  for (std::int64_t step = 0; step < steps; ++step) {
    co_await network.run(send);
    co_await right_received.push(step);
    co_await received.pop();
  }
}

/// As rank, with ports shared by `sharing` neighbours: components of many flows instead of one.
double ring_time(std::int64_t n, std::int64_t sharing) {
  Engine engine;
  Network network(engine);
  std::vector<ResourceId> out;
  std::vector<ResourceId> in;
  std::deque<Queue<std::int64_t>> received;
  const std::int64_t ports = n / sharing;
  for (std::int64_t p = 0; p < ports; ++p) {
    out.push_back(network.add_resource("out", Bandwidth{bandwidth * static_cast<double>(sharing)}));
    in.push_back(network.add_resource("in", Bandwidth{bandwidth * static_cast<double>(sharing)}));
  }
  for (std::int64_t r = 0; r < n; ++r) received.emplace_back(engine, "received/" + std::to_string(r), 2 * n);
  for (std::int64_t r = 0; r < n; ++r) {
    const std::int64_t right = (r + 1) % n;
    const std::array<Usage, 2> route{
        {{out[static_cast<std::size_t>(r / sharing)]}, {in[static_cast<std::size_t>(right / sharing)]}}};
    engine.spawn("rank/" + std::to_string(r),
                 rank(engine, network, route, 2 * (n - 1), payload / static_cast<double>(n),
                      received[static_cast<std::size_t>(r)], received[static_cast<std::size_t>(right)]));
  }
  engine.run();
  return engine.time().base();
}

void ring(benchmark::State& state, std::int64_t sharing) {
  const std::int64_t n = state.range(0);
  double time = 0;
  for (auto _ : state) time = ring_time(n, sharing);
  const double ranks = static_cast<double>(n);
  const double closed_form = 2 * (ranks - 1) * (latency + payload / (ranks * bandwidth));
  if (std::fabs(time / closed_form - 1) > 1e-6) state.SkipWithError("differs from the closed form");
  state.counters["simulated_ms"] = time * 1e3;
  state.SetItemsProcessed(state.iterations() * 2 * (n - 1) * n);
}

BENCHMARK_CAPTURE(ring, a_port_per_rank, 1)
    ->RangeMultiplier(2)
    ->Range(8, 1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ring, eight_ranks_share_a_port, 8)
    ->RangeMultiplier(2)
    ->Range(8, 1024)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
