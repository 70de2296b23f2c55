#include "sim/engine/sync.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/engine/queue.hpp"

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

Process rounds(Engine& engine, Barrier& barrier, Log& log, std::string name, double pace) {
  for (int round = 0; round < 2; ++round) {
    co_await engine.sleep(Duration{pace});
    co_await barrier.arrive();
    log.push_back(fmt::format("{}{} at {:g}", name, round, engine.time().base()));
  }
}

Process pass(Engine& engine, Gate& gate, Log& log, std::string name) {
  co_await gate.pass();
  log.push_back(fmt::format("{} at {:g}", name, engine.time().base()));
}

Process opener(Engine& engine, Gate& gate) {
  co_await engine.sleep(Duration{2});
  gate.open();
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

TEST_CASE("a barrier holds all parties, round after round") {
  Engine engine;
  Log log;
  Barrier barrier(engine, "step", 2);
  engine.spawn("slow", rounds(engine, barrier, log, "slow", 3));
  engine.spawn("fast", rounds(engine, barrier, log, "fast", 1));
  engine.run();
  CHECK(log == Log{"slow0 at 3", "fast0 at 3", "slow1 at 6", "fast1 at 6"});
  CHECK_THROWS_AS(Barrier(engine, "none", 0), Error);
}

TEST_CASE("a gate lets everybody through once open") {
  Engine engine;
  Log log;
  Gate gate(engine, "data set ready");
  engine.spawn("a", pass(engine, gate, log, "a"));
  engine.spawn("b", pass(engine, gate, log, "b"));
  engine.spawn("opener", opener(engine, gate));
  engine.run();
  engine.spawn("c", pass(engine, gate, log, "c"));
  engine.run();
  CHECK(log == Log{"a at 2", "b at 2", "c at 2"});
}

TEST_CASE("a deadlock names who waits for what") {
  Engine engine;
  Log log;
  Queue<int> queue(engine, "batches/3", 1);
  Barrier barrier(engine, "step", 2);
  Gate gate(engine, "ready");
  engine.spawn("loader/3", pop_one(engine, queue, log, "x"));
  engine.spawn("trainer", rounds(engine, barrier, log, "t", 1));
  engine.spawn("gated", pass(engine, gate, log, "g"));
  try {
    engine.run();
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::internal);
    CHECK(error.message() ==
          "deadlock after 1 s of simulated time: no event is pending, but 3 processes wait\n"
          "  process \"loader/3\" waits for queue \"batches/3\" (empty)\n"
          "  process \"trainer\" waits for barrier \"step\" (1 of 2 arrived)\n"
          "  process \"gated\" waits for gate \"ready\" (closed)");
  }
}

TEST_CASE("a deadlock report is bounded") {
  Engine engine;
  Log log;
  Gate gate(engine, "ready");
  for (int i = 0; i < 1000; ++i) engine.spawn(fmt::format("p{}", i), pass(engine, gate, log, "x"));
  CHECK_THROWS_WITH_AS(engine.run(), doctest::Contains("and 980 more"), Error);
}
