#include "sim/engine/engine.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/base/error.hpp"

using namespace rackcast;

namespace {

using Log = std::vector<std::string>;

Process sleeper(Engine& engine, Log& log, std::string name, double seconds,
                Priority priority = Priority::normal) {
  co_await engine.sleep(Duration{seconds}, priority);
  log.push_back(name);
}

Process many_sleeps(Engine& engine, std::vector<double>& times, std::vector<double> steps) {
  for (const double step : steps) {
    co_await engine.sleep(Duration{step});
    times.push_back(engine.time().base());
  }
}

Process throwing(Engine& engine) {
  co_await engine.sleep(Duration{1});
  throw Error("the disk is full", {"disk.json", 3, 4, "/disk", {}}, "buy one", ErrorKind::invalid_input);
}

Process throwing_std(Engine& engine) {
  co_await engine.sleep(Duration{1});
  throw std::runtime_error("odd");
}

Process forever(Engine& engine, int& rounds) {
  for (;;) {
    co_await engine.sleep(Duration{1});
    ++rounds;
  }
}

}  // namespace

TEST_CASE("events of one instant run by priority, then in the order of scheduling") {
  Engine engine;
  Log log;
  engine.spawn("c", sleeper(engine, log, "late", 1, Priority::late));
  engine.spawn("a", sleeper(engine, log, "first", 1));
  engine.spawn("b", sleeper(engine, log, "second", 1));
  engine.spawn("d", sleeper(engine, log, "urgent", 1, Priority::urgent));
  engine.spawn("e", sleeper(engine, log, "earlier", 0.5));
  const RunSummary summary = engine.run();
  CHECK(log == Log{"earlier", "urgent", "first", "second", "late"});
  CHECK(summary.reason == StopReason::finished);
  CHECK(summary.events == 10);  // five starts and five wake-ups
  CHECK(summary.end.base() == 1);
}

TEST_CASE("sleeps of very different lengths interleave in time order") {
  Engine engine;
  std::vector<double> times;
  engine.spawn("short", many_sleeps(engine, times, {1e-12, 1e-9, 1e-6, 1e-3, 1}));
  engine.spawn("long", many_sleeps(engine, times, {0.5e-6, 1e-4, 3600, 86400}));
  engine.run();
  CHECK(times.size() == 9);
  CHECK(std::is_sorted(times.begin(), times.end()));
  CHECK(engine.now().ticks == 90000'000100500000);  // 0.5 us + 100 us + 1 h + 1 d in ps
}

TEST_CASE("an Error that leaves a process names the process and keeps kind, place and hint") {
  Engine engine;
  engine.spawn("loader/3", throwing(engine));
  try {
    engine.run();
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.message() == "process \"loader/3\": the disk is full");
    CHECK(error.kind() == ErrorKind::invalid_input);
    CHECK(error.where().file == "disk.json");
    CHECK(error.hint() == "buy one");
  }
}

TEST_CASE("another exception that leaves a process becomes an internal Error") {
  Engine engine;
  engine.spawn("p", throwing_std(engine));
  CHECK_THROWS_WITH_AS(engine.run(), doctest::Contains("process \"p\": odd"), Error);
}

TEST_CASE("a daemon does not keep the run alive") {
  Engine engine;
  Log log;
  int rounds = 0;
  engine.spawn("daemon", forever(engine, rounds), {.daemon = true});
  engine.spawn("work", sleeper(engine, log, "done", 3.5));
  CHECK(engine.run().end.base() == 3.5);
  CHECK(rounds == 3);
}

TEST_CASE("limits end a run early, and it can go on") {
  Engine engine;
  int rounds = 0;
  engine.spawn("endless", forever(engine, rounds));
  const RunSummary by_time = engine.run({.until = Duration{10}});
  CHECK(by_time.reason == StopReason::time_limit);
  CHECK(by_time.partial());
  CHECK(by_time.end.base() == 10);
  CHECK(rounds == 10);
  const RunSummary by_events = engine.run({.max_events = 5});
  CHECK(by_events.reason == StopReason::event_limit);
  CHECK(by_events.events == 5);
  CHECK(rounds == 15);
  const RunSummary by_clock = engine.run({.wall_clock = Duration{0}});
  CHECK(by_clock.reason == StopReason::wall_clock_limit);
}

TEST_CASE("times are rounded to nearest and checked against the clock's range") {
  const Clock picoseconds{TickLength::picosecond};
  CHECK(picoseconds.ticks(Duration{1.4e-12}).ticks == 1);
  CHECK(picoseconds.ticks(Duration{1.6e-12}).ticks == 2);
  CHECK(picoseconds.duration({2'500'000'000'000}).base() == 2.5);
  CHECK_THROWS_AS((void)picoseconds.ticks(Duration{1e7}), Error);  // 116 days
  CHECK_THROWS_AS((void)picoseconds.ticks(Duration{0.0 / 0.0}), Error);
  CHECK(Clock{TickLength::microsecond}.ticks(Duration{1e7}).ticks == 10'000'000'000'000);
  CHECK_THROWS_AS((void)picoseconds.after({9'000'000'000'000'000'000}, {900'000'000'000'000'000}), Error);
}

TEST_CASE("a negative sleep is an error in the process") {
  Engine engine;
  Log log;
  engine.spawn("p", sleeper(engine, log, "never", -1));
  CHECK_THROWS_WITH_AS(engine.run(), doctest::Contains("must not be negative"), Error);
}

TEST_CASE("processes that never ran and processes that wait are destroyed with the engine") {
  int rounds = 0;
  Engine engine;
  engine.spawn("waiting", forever(engine, rounds));
  engine.run({.until = Duration{2}});
  engine.spawn("new", forever(engine, rounds));
  const Process unused = forever(engine, rounds);
  CHECK(rounds == 2);
}
