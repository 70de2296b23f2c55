#include "sim/engine/queue.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "sim/base/error.hpp"

using namespace rackcast;

namespace {

using Log = std::vector<std::string>;

Process producer(Engine& engine, Queue<int>& queue, Log& log, int count) {
  for (int i = 0; i < count; ++i) {
    co_await queue.push(i);
    log.push_back(fmt::format("pushed {} at {:g}", i, engine.time().base()));
  }
  queue.close();
}

Process consumer(Engine& engine, Queue<int>& queue, Log& log, double each) {
  while (const auto item = co_await queue.pop()) {
    co_await engine.sleep(Duration{each});
    log.push_back(fmt::format("used {} at {:g}", *item, engine.time().base()));
  }
}

Process push_one(Engine&, Queue<int>& queue, int item) {
  co_await queue.push(item);
}

Process pop_one(Engine&, Queue<int>& queue, Log& log, std::string name) {
  const auto item = co_await queue.pop();
  log.push_back(name + (item ? std::to_string(*item) : "-"));
}

/// Sleeps between pushes, so that it stands still at the second.
Process producer_for_good(Engine& engine, Queue<int>& queue, double pace) {
  for (int i = 0;; ++i) {
    co_await queue.push(i);
    co_await engine.sleep(Duration{pace});
  }
}

Process move_only(Engine&, Queue<std::unique_ptr<int>>& queue, int& seen) {
  co_await queue.push(std::make_unique<int>(7));
  const auto item = co_await queue.pop();
  seen = **item;
}

}  // namespace

TEST_CASE("a full queue holds the producer until there is room") {
  Engine engine;
  Log log;
  Queue<int> queue(engine, "batches", 1);
  engine.spawn("producer", producer(engine, queue, log, 4));
  engine.spawn("consumer", consumer(engine, queue, log, 1));
  engine.run();
  // Item 0 goes to the queue and at once to the consumer, 1 into the queue, 2 waits until 0 is used up at 1
  // s.
  CHECK(log == Log{"pushed 0 at 0", "pushed 1 at 0", "used 0 at 1", "pushed 2 at 1", "used 1 at 2",
                   "pushed 3 at 2", "used 2 at 3", "used 3 at 4"});
}

TEST_CASE("poppers are served in the order in which they came, and close lets the rest go") {
  Engine engine;
  Log log;
  Queue<int> queue(engine, "q", 4);
  engine.spawn("a", pop_one(engine, queue, log, "a"));
  engine.spawn("b", pop_one(engine, queue, log, "b"));
  engine.spawn("c", pop_one(engine, queue, log, "c"));
  engine.spawn("p", producer(engine, queue, log, 2));
  engine.run();
  CHECK(log == Log{"pushed 0 at 0", "pushed 1 at 0", "a0", "b1", "c-"});
}

TEST_CASE("a push to a closed queue is an error") {
  Engine engine;
  Queue<int> queue(engine, "q", 1);
  queue.close();
  engine.spawn("p", push_one(engine, queue, 1));
  CHECK_THROWS_WITH_AS(engine.run(), doctest::Contains("push to queue \"q\", which is closed"), Error);
  CHECK_THROWS_AS(Queue<int>(engine, "none", 0), Error);
}

TEST_CASE("a queue carries items that can only be moved") {
  Engine engine;
  int seen = 0;
  Queue<std::unique_ptr<int>> queue(engine, "q", 1);
  engine.spawn("p", move_only(engine, queue, seen));
  engine.run();
  CHECK(seen == 7);
}

TEST_CASE("a deadlock names who waits for what") {
  Engine engine;
  Log log;
  Queue<int> queue(engine, "batches/3", 1), results(engine, "results", 1);
  engine.spawn("loader/3", pop_one(engine, queue, log, "x"));
  engine.spawn("trainer", producer_for_good(engine, results, 1));
  try {
    engine.run();
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::internal);
    CHECK(error.message() ==
          "deadlock after 1 s of simulated time: no event is pending, but 2 processes wait\n"
          "  process \"loader/3\" waits for queue \"batches/3\" (empty)\n"
          "  process \"trainer\" waits for queue \"results\" (full)");
  }
}

TEST_CASE("a deadlock report is bounded") {
  Engine engine;
  Log log;
  Queue<int> queue(engine, "ready", 1);
  for (int i = 0; i < 1000; ++i) engine.spawn(fmt::format("p{}", i), pop_one(engine, queue, log, "x"));
  CHECK_THROWS_WITH_AS(engine.run(), doctest::Contains("and 980 more"), Error);
}
