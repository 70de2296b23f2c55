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
  CHECK(full.cells == 65);
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

TEST_CASE("a resource that flows hold lacks a part meanwhile, once for all of them") {
  FlowProgram program;
  const ResourceId gpu = program.add_resources("gpu", 1, 1, 0.25);
  const Usage all_of_it[] = {{gpu, 1}};
  const ResourceId held[] = {gpu};
  const std::uint32_t kernels = program.add_script(Script("kernels").flow(0).mark(0));
  const std::uint32_t beside = program.add_script(Script("collective").sleep(0).flow(0));
  program.add_actor({.script = kernels, .first_flow = program.add_flow({.work = 10}, all_of_it)});
  for (const double begin : {2.0, 3.0})
    program.add_actor({.script = beside,
                       .first_duration = program.add_duration(Duration{begin}),
                       .first_flow = program.add_flow({.latency = Duration{4}}, {}, held)});
  // 2 done by 2 s, 5 * 0.75 more by 7 s, and then the other 4.25.
  for (const ProgramOptions& options : {ProgramOptions{}, unfolded()}) {
    const ProgramResult run = simulate(program, options);
    CHECK(run.end.base() == doctest::Approx(11.25));
  }
  program.resources[0].lost_if_held = 1;
  CHECK_THROWS_AS(simulate(program), Error);
}

namespace {

/// `laps` of reading 1 from a disk that gives 2 a second, and half a second without it, while `state` is
/// written to the disk at even shares.
FlowProgram laps_beside_a_write(std::uint64_t laps, double state) {
  FlowProgram program;
  const ResourceId disk = program.add_resources("disk", 1, 2);
  const Usage way[] = {{disk, 1}};
  const std::uint32_t step = program.add_script(Script("step").repeat(laps, true).flow(0).sleep(0).end());
  const std::uint32_t save = program.add_script(Script("writer").flow(0).mark(0));
  program.add_actor({.script = step,
                     .first_duration = program.add_duration(Duration{0.5}),
                     .first_flow = program.add_flow({.work = 1}, way)});
  program.add_actor(
      {.script = save, .first_flow = program.add_flow({.work = state, .outlasts_laps = true}, way)});
  return program;
}

}  // namespace

TEST_CASE("laps beside a flow that outlasts them are skipped until it ends") {
  // Beside the write a lap takes 1.5 s and writes 2, afterwards 1 s: 50'000 and 950'000 of them.
  const ProgramResult run = simulate(laps_beside_a_write(1'000'000, 100'000));
  CHECK(run.events < 1000);
  CHECK(run.end.base() == doctest::Approx(75'000 + 950'000).epsilon(1e-9));
  const FlowProgram small = laps_beside_a_write(300, 301.7);
  const ProgramResult folded = simulate(small), full = simulate(small, unfolded());
  CHECK(folded.laps < 30);
  CHECK(folded.end.base() == doctest::Approx(full.end.base()).epsilon(1e-12));
  const Mark written = folded.marks(1).front(), as_written = full.marks(1).front();
  CHECK(std::abs(written.time.ticks - as_written.time.ticks) <= 10);  // of 4.5e14 picoseconds;
}

TEST_CASE(
    "issue 23, item 21: whoever is asked at a lap learns of a cycle of several laps, and may end the run") {
  for (const std::uint32_t cycle : {1u, 2u, 3u}) {
    FlowProgram program;
    program.add_actor(
        {.script = program.add_script(Script("step").repeat(1'000'000, true).sleep(0, "kernels").end()),
         .first_duration = program.add_duration(Duration{1.0})});
    program.add_actor({.script = program.add_script(Script("save").repeat(forever).sleep(0).end().daemon()),
                       .first_duration = program.add_duration(Duration{1.0 * cycle})});
    std::uint64_t found = 0, asked = 0;
    ProgramOptions options;
    options.account = true;
    options.at_lap = [&](const LapInfo& lap) {
      ++asked;
      found = lap.cycle;
      const Clock clock{TickLength::picosecond};
      CHECK(clock.duration({lap.accounts[0][1]}).base() == doctest::Approx(lap.time.base()));
      return LapDecision{.quiet_laps = 0, .stop = found > 0};
    };
    const ProgramResult run = simulate(program, options);
    CHECK(found == cycle);
    CHECK(run.laps == asked);
    CHECK(run.laps < 12);
    CHECK(run.skips == 0);
    CHECK_FALSE(run.partial());
  }
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
