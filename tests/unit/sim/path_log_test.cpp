// The critical path of a simulated program.
#include "sim/program/path_log.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/random.hpp"
#include "sim/program/simulation.hpp"

using namespace rackcast;

namespace {

ProgramOptions with_path() {
  ProgramOptions o;
  o.fold_space = o.fold_time = false;
  o.path = true;
  return o;
}

constexpr std::int64_t second = 1'000'000'000'000;  // in picoseconds

/// An actor that is asleep for each of these seconds in turn, signals slot 0 after each and waits before each
/// where `waits`.
std::uint32_t add_sleeper(FlowProgram& program, const std::vector<double>& seconds, bool waits) {
  Script script("sleeper");
  const auto first = static_cast<std::uint32_t>(program.durations.size());
  for (std::uint32_t i = 0; i < seconds.size(); ++i) {
    if (waits) script.wait(0);
    script.sleep(i).signal(0);
    program.add_duration(Duration{seconds[i]});
  }
  return program.add_actor({.script = program.add_script(script), .first_duration = first});
}

}  // namespace

TEST_CASE("the critical path leads over the signal that came last") {
  // The maker takes 1, 4 and 1 s, the taker 2 s after each: it waits for the second part only.
  //   maker  |1|2   4   6|
  //   taker    |1.3|....|5.7|7.9|
  FlowProgram program;
  const std::uint32_t maker = add_sleeper(program, {1, 4, 1}, false);
  const std::uint32_t taker = add_sleeper(program, {2, 2, 2}, true);
  program.add_signal({.from = maker, .to = taker});
  const ProgramResult result = simulate(program, with_path());
  CHECK(result.end.base() == doctest::Approx(9));
  REQUIRE(result.path.size() == 4);
  CHECK(result.path[0].actor == maker);
  CHECK(result.path[0].end.ticks == 1 * second);
  CHECK(result.path[1].actor == maker);
  CHECK(result.path[1].start.ticks == 1 * second);
  CHECK(result.path[1].end.ticks == 5 * second);
  CHECK(result.path[2].actor == taker);
  CHECK(result.path[2].end.ticks == 7 * second);
  CHECK(result.path[3].actor == taker);
  CHECK(result.path[3].operation == 7);  // three times wait, sleep, signal
  CHECK(result.path[3].end.ticks == 9 * second);
}

TEST_CASE("a critical path has no gap, and what it leaves out may be shorter without effect") {
  // Chains of actors with random times, each handing its parts to the next one.
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    RandomStream random{seed, "chains"};
    std::vector<std::vector<double>> times(2 + random.below(4));
    const std::size_t parts = 1 + random.below(6);
    for (auto& actor : times)
      for (std::size_t i = 0; i < parts; ++i) actor.push_back(1 + static_cast<double>(random.below(9)));
    const auto simulated = [&](const std::vector<std::vector<double>>& of) {
      FlowProgram program;
      std::vector<std::uint32_t> actors;
      for (const auto& actor : of) actors.push_back(add_sleeper(program, actor, !actors.empty()));
      for (std::size_t i = 1; i < actors.size(); ++i)
        program.add_signal({.from = actors[i - 1], .to = actors[i]});
      return simulate(program, with_path());
    };
    const ProgramResult result = simulated(times);
    REQUIRE(!result.path.empty());
    SimTime now{};
    std::vector<std::vector<double>> others(times.size(), std::vector<double>(parts, 0.5));
    for (const PathStep& step : result.path) {
      CHECK(step.start == now);
      now = step.end;
      // Of an actor that waits each part is three operations, else two.
      const std::size_t part = step.operation / (step.actor == 0 ? 2 : 3);
      others[step.actor][part] = times[step.actor][part];
    }
    CHECK(now.ticks == std::llround(result.end.base() * double(second)));
    // The others may be as short as one likes.
    CHECK(simulated(others).end.base() == result.end.base());
  }
}

TEST_CASE("a critical path is refused where actors or laps are left out") {
  FlowProgram program;
  add_sleeper(program, {1}, false);
  ProgramOptions options;
  options.path = true;
  CHECK_THROWS_AS(simulate(program, options), Error);
}
