// Events per second of the bare engine: processes that only sleep.
#include <benchmark/benchmark.h>

#include <string>

#include "sim/base/random.hpp"
#include "sim/engine/engine.hpp"

using namespace rackcast;

namespace {

constexpr std::int64_t events_per_run = 10'000'000;

/// Sleeps of random length between 0 and 1 us, so that wake-ups of the others fall in between.
Process sleeper(Engine& engine, std::int64_t rounds, std::uint64_t seed) {
  RandomStream random(seed, "sleeper");
  for (std::int64_t i = 0; i < rounds; ++i) {
    co_await engine.sleep_until({engine.now().ticks + 1 + static_cast<std::int64_t>(random.next() >> 44)});
  }
}

void sleeping_processes(benchmark::State& state) {
  const std::int64_t pending = state.range(0);
  std::uint64_t events = 0;
  for (auto _ : state) {
    state.PauseTiming();
    Engine engine;
    for (std::int64_t p = 0; p < pending; ++p) {
      engine.spawn("sleeper", sleeper(engine, events_per_run / pending, static_cast<std::uint64_t>(p)));
    }
    state.ResumeTiming();
    events += engine.run().events;
  }
  state.counters["events/s"] = benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}
BENCHMARK(sleeping_processes)->Arg(1)->Arg(1000)->Arg(100'000)->Unit(benchmark::kMillisecond);

/// All wake up at the same instants, as in a step that all ranks take together.
Process in_step(Engine& engine, std::int64_t rounds) {
  for (std::int64_t i = 0; i < rounds; ++i) co_await engine.sleep(Duration{1e-6});
}

void processes_in_step(benchmark::State& state) {
  const std::int64_t pending = state.range(0);
  std::uint64_t events = 0;
  for (auto _ : state) {
    state.PauseTiming();
    Engine engine;
    for (std::int64_t p = 0; p < pending; ++p) engine.spawn("p", in_step(engine, events_per_run / pending));
    state.ResumeTiming();
    events += engine.run().events;
  }
  state.counters["events/s"] = benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}
BENCHMARK(processes_in_step)->Arg(1)->Arg(1000)->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
