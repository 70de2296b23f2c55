#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "sim/base/error.hpp"
#include "sim/program/simulation.hpp"

using namespace rackcast;

namespace {

/// Ring all-reduce of 1 unit of work over n ranks, chunk by chunk: each rank sends over its own port out and
/// the neighbour's port in, all of `capacity`. All wait for each other after each round.
struct RingProgram {
  explicit RingProgram(std::uint32_t n, double capacity = 100, Duration latency = Duration{1e-3},
                       std::uint64_t rounds = 1) {
    const ResourceId out = program.add_resources("out", n, capacity);
    const ResourceId in = program.add_resources("in", n, capacity);
    Script script("rank");
    script.repeat(rounds, true).repeat(2 * (n - 1), true).flow(0, "chunk").signal(0).wait(0).end().mark(7);
    script.signal(1).wait(1).end();
    const std::uint32_t rank = program.add_script(script);
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t right = (i + 1) % n;
      const std::array<Usage, 2> route{{{{out.index + i}, 1}, {{in.index + right}, 1}}};
      program.add_actor({.script = rank,
                         .first_flow = program.add_flow({.work = 1.0 / n, .latency = latency}, route),
                         .number = i});
      program.add_signal({.from = i, .to = right});
    }
    const std::uint32_t barrier =
        program.add_actor({.script = program.add_script(
                               Script("barrier").repeat(forever).wait(0, n).signal(0).end().daemon())});
    for (std::uint32_t i = 0; i < n; ++i) {
      program.add_signal({.from = i, .slot = 1, .to = barrier});
      program.add_signal({.from = barrier, .to = i, .channel = 1});
    }
  }
  FlowProgram program;
};

ProgramOptions unfolded() {
  ProgramOptions o;
  o.fold_space = o.fold_time = false;
  return o;
}

void check_same(const FlowProgram& program, const ProgramResult& a, const ProgramResult& b) {
  CHECK(a.end.base() == doctest::Approx(b.end.base()).epsilon(1e-9));
  for (std::uint32_t i = 0; i < program.actors.size(); ++i) {
    CAPTURE(i);
    const std::vector<Mark> x = a.marks(i);
    const std::vector<Mark> y = b.marks(i);
    REQUIRE(x.size() == y.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      CAPTURE(k);
      CHECK(x[k].label == y[k].label);
      CHECK(std::abs(static_cast<double>(x[k].time.ticks - y[k].time.ticks)) <=
            1e-9 * static_cast<double>(y[k].time.ticks));
    }
  }
}

}  // namespace

TEST_CASE("a ring of equal ranks is one actor and a few steps") {
  const RingProgram ring(64);
  const ProgramResult folded = simulate(ring.program);
  // 2 * 63 steps of 1 ms + (1/64) / 100 per s
  CHECK(folded.end.base() == doctest::Approx(126 * (1e-3 + 1.0 / 6400)));
  CHECK(folded.cells == 2);  // the ranks and the barrier
  CHECK(folded.laps < 8);
  const ProgramResult full = simulate(ring.program, unfolded());
  CHECK(full.most_cells == 65);
  CHECK(full.events > 64 * 126);
  check_same(ring.program, folded, full);
}

TEST_CASE("a slow port tells the ranks apart by their distance from it, with the same times") {
  RingProgram ring(12);
  ring.program.resources[3].capacity = 25;
  const ProgramResult folded = simulate(ring.program);
  CHECK(folded.cells == 13);  // and the barrier
  check_same(ring.program, folded, simulate(ring.program, unfolded()));
}

TEST_CASE("a port that degrades and recovers splits the ranks for a while") {
  // A round of 16 ranks takes 30 * (1 ms + 0.625 ms); the port is slow from 1 s to 2 s of about 10 s.
  RingProgram ring(16, 100, Duration{1e-3}, 200);
  ring.program.add_change({.time = Duration{1.0}, .index = 5, .value = 20});
  ring.program.add_change({.time = Duration{2.0}, .index = 5, .value = 100});
  const ProgramResult folded = simulate(ring.program);
  CHECK(folded.cells == 2);  // the ranks and the barrier
  CHECK(folded.most_cells == 17);
  CHECK(folded.eras.back().logs.size() == 2);  // together again
  CHECK(folded.laps < 400);                    // of 200 * 30 in full
  check_same(ring.program, folded, simulate(ring.program, unfolded()));
}

TEST_CASE("a failure decided at run time splits at the lap where it happens") {
  RingProgram ring(8, 100, Duration{1e-3}, 50);
  const auto fail_at_ten = [](const LapInfo& lap) {
    LapDecision d;
    if (lap.laps == 10) d.changes.push_back({.index = 2, .value = 10});
    if (lap.laps == 12) d.changes.push_back({.index = 2, .value = 100});
    if (lap.laps < 10) d.quiet_laps = 10 - lap.laps - 1;
    if (lap.laps >= 10 && lap.laps < 12) d.quiet_laps = 0;
    return d;
  };
  ProgramOptions options;
  options.at_lap = fail_at_ten;
  ProgramOptions full = unfolded();
  full.at_lap = fail_at_ten;
  const ProgramResult folded = simulate(ring.program, options);
  CHECK(folded.cells == 2);  // the ranks and the barrier
  CHECK(folded.most_cells == 9);
  check_same(ring.program, folded, simulate(ring.program, full));
}

TEST_CASE("an event limit ends a run with what is known") {
  const RingProgram ring(8);
  ProgramOptions options = unfolded();
  options.limits.max_events = 100;
  const ProgramResult partial = simulate(ring.program, options);
  CHECK(partial.partial());
  CHECK(partial.reason == StopReason::event_limit);
  CHECK(partial.events == 100);
}

TEST_CASE("a program that hangs names who waits for what") {
  FlowProgram program;
  const std::uint32_t script = program.add_script(Script("lonely").wait(2, 3));
  program.add_actor({.script = script, .number = 4});
  try {
    simulate(program);
    FAIL("did not throw");
  } catch (const Error& e) {
    CHECK(std::string(e.what()).find("lonely/4") != std::string::npos);
    CHECK(std::string(e.what()).find("3 permits on its channel 2 (has 0)") != std::string::npos);
  }
}
