// Streams of tasks that wait for each other and share what there is.
#include "models/graph/step_graph.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "models/graph/graph_run.hpp"
#include "sim/base/error.hpp"
#include "sim/engine/trace.hpp"

using namespace rackcast;

namespace {

StepTask task(const char* name, double seconds, StepPartOf part = &StepParts::forward) {
  return {name, part, Duration{seconds}};
}

constexpr StepPartOf bubble = &StepParts::pipeline_wait;

/// `laps` of one second of work on a first stream, each handed to a second one that takes two.
struct Pair {
  StepGraph graph;
  std::uint32_t first, second;

  explicit Pair(std::uint64_t laps)
      : first{graph.add_stream("GPU 0", "kernels")}, second{graph.add_stream("GPU 1", "kernels")} {
    const StepChannel ready = graph.add_channel(second);
    graph.stream(first).repeat(laps).run(task("make", 1)).signal(ready).end();
    graph.stream(second).repeat(laps).wait(ready, {"idle", bubble}).run(task("take", 2)).end();
  }
};

}  // namespace

TEST_CASE("streams wait for each other, and the time of each is told apart by name and part") {
  const Pair pair{5};
  const GraphRun run = run_graph(pair.graph);
  CHECK(run.total.base() == doctest::Approx(1 + 5 * 2));
  CHECK(run.time(pair.first, "make").base() == doctest::Approx(5));
  CHECK(run.time(pair.second, "take").base() == doctest::Approx(10));
  CHECK(run.time(pair.second, "idle").base() == doctest::Approx(1));
  const StepParts parts = run.parts(pair.second);
  CHECK(parts.forward.base() == doctest::Approx(10));
  CHECK(parts.pipeline_wait.base() == doctest::Approx(1));
  CHECK(parts.total.base() == doctest::Approx(11));
  // The first ends early: what is its own adds up to its own end.
  CHECK(run.parts(pair.first).total.base() == doctest::Approx(5));
}

TEST_CASE("laps that repeat are simulated once, and the accounts are those of all of them") {
  // The maker runs ahead, so its permits pile up: only equal paces repeat.
  StepGraph graph;
  const std::uint32_t first = graph.add_stream("GPU 0", "kernels"),
                      second = graph.add_stream("GPU 1", "kernels");
  const StepChannel ready = graph.add_channel(second), room = graph.add_channel(first, 2);
  graph.stream(first).repeat(100'000).wait(room, {"room", bubble}).run(task("make", 1)).signal(ready).end();
  graph.stream(second).repeat(100'000).wait(ready, {"idle", bubble}).run(task("take", 2)).signal(room).end();
  const GraphRun run = run_graph(graph);
  CHECK(run.events < 1000);
  CHECK(run.total.base() == doctest::Approx(200'001));
  CHECK(run.time(first, "make").base() == doctest::Approx(100'000));
  CHECK(run.time(first, "room").base() == doctest::Approx(99'997));
  CHECK(run.time(second, "take").base() == doctest::Approx(200'000));
  CHECK(run.time(second, "idle").base() == doctest::Approx(1));
}

TEST_CASE(
    "a collective on links in bytes slows the kernels of the GPUs that it holds, and shares its links") {
  // 8 GB over 2 GB/s beside 10 s of kernels: 4 s at three quarters of their rate, and 7 s more.
  StepGraph graph;
  const ResourceId gpu = graph.add_resource("multiprocessors", 1, 0.25),
                   link = graph.add_resource("link", 2e9);
  const std::uint32_t kernels = graph.add_stream("GPU 0", "kernels"), sums = graph.add_stream("", "sums");
  const StepChannel summed = graph.add_channel(kernels);
  graph.stream(kernels)
      .run(StepFlow{"backward", &StepParts::backward, {.work = 10}, {{gpu, 1}}})
      .wait(summed, {"waiting", &StepParts::exchange_wait})
      .mark(7);
  graph.stream(sums)
      .run(StepFlow{"sum", &StepParts::exchange_busy, {.work = 8e9}, {{link, 1}}, {gpu}})
      .signal(summed);
  const GraphRun run = run_graph(graph);
  CHECK(run.total.base() == doctest::Approx(11));
  CHECK(run.time(sums, "sum").base() == doctest::Approx(4));
  REQUIRE(run.marks[kernels].size() == 1);
  CHECK(run.marks[kernels].front().label == 7);
}

TEST_CASE("a run of laps is looked at lap by lap, and ends when it has been seen enough of") {
  StepGraph graph;
  const std::uint32_t gpu = graph.add_stream("GPU 0", "kernels"), loader = graph.add_stream("", "loader");
  const StepChannel batches = graph.add_channel(gpu), places = graph.add_channel(loader, 2);
  graph.stream(gpu).repeat(1'000'000).wait(batches, {"input", &StepParts::input_wait}).signal(places);
  graph.stream(gpu).run(task("forward", 1)).end();
  graph.stream(loader).daemon().repeat(forever).run(task("batch", 2, nullptr)).wait(places, {{}, nullptr});
  graph.stream(loader).signal(batches).end();
  std::vector<Duration> forward;
  GraphRunOptions options;
  options.at_lap = [&](const GraphLap& lap) {
    forward.push_back(lap.parts(gpu).forward);
    return LapDecision{.quiet_laps = 0, .stop = lap.info.cycle > 0};
  };
  const GraphRun run = run_graph(graph, options);
  CHECK(forward.size() < 10);
  CHECK(forward.back().base() == doctest::Approx(static_cast<double>(forward.size())));
  // The first batch is there after 2 s, and each lap waits for the next: a second of its two.
  CHECK(run.total.base() == doctest::Approx(2.0 * static_cast<double>(forward.size()) + 1));
  CHECK(run.parts(gpu).input_wait.base() == doctest::Approx(static_cast<double>(forward.size()) + 1));
  options.at_lap = {};
  options.limits.max_events = 50;
  options.may_be_partial = true;
  options.fold = false;
  CHECK(run_graph(graph, options).partial());
  options.may_be_partial = false;
  CHECK_THROWS_AS(run_graph(graph, options), LimitReached);
}

TEST_CASE("two groups that share an uplink take twice as long") {
  StepGraph graph;
  const ResourceId uplink = graph.add_resource("uplink");
  StepTask sum = task("all-reduce", 3, &StepParts::exchange_wait);
  sum.takes = {{uplink, 1}};
  for (const char* group : {"group 0", "group 1"}) graph.stream(graph.add_stream(group, "sums")).run(sum);
  CHECK(run_graph(graph).total.base() == doctest::Approx(6));
  // Each of them with half of it for all its needs: nobody waits.
  StepGraph half;
  const ResourceId wide = half.add_resource("uplink");
  sum.takes = {{wide, 0.5}};
  for (const char* group : {"group 0", "group 1"}) half.stream(half.add_stream(group, "sums")).run(sum);
  CHECK(run_graph(half).total.base() == doctest::Approx(3));
}

TEST_CASE("a collective holds its multiprocessors however slow its links are, and kernels get what is left") {
  StepGraph graph;
  const ResourceId gpu = graph.add_resource("multiprocessors", 1, 0.25),
                   uplink = graph.add_resource("uplink");
  const std::uint32_t kernels = graph.add_stream("GPU", "kernels"), sums = graph.add_stream("GPU", "sums"),
                      others = graph.add_stream("another GPU", "sums");
  StepTask work = task("forward", 10), sum = task("sum", 2, &StepParts::exchange_busy);
  work.takes = {{gpu, 1}};
  sum.takes = {{uplink, 1}};
  graph.stream(others).run(sum);
  sum.holds = {gpu};
  graph.stream(kernels).run(work);
  graph.stream(sums).run(sum);
  const GraphRun run = run_graph(graph);
  CHECK(run.time(sums, "sum").base() == doctest::Approx(4));        // two share the uplink
  CHECK(run.total.base() == doctest::Approx(4 + (10 - 4 * 0.75)));  // three quarters for four seconds
}

TEST_CASE("a trace has every lap on the lanes of the streams, waits among them") {
  const Pair pair{3};
  Tracer tracer{Clock{TickLength::picosecond}};
  run_graph(pair.graph, {.tracer = &tracer});
  std::map<std::string, int> count;
  for (const Tracer::Span& span : tracer.spans())
    ++count[std::string{span.group} + ", " + std::string{span.row} + ": " + std::string{span.name}];
  CHECK(count == std::map<std::string, int>{
                     {"GPU 0, kernels: make", 3}, {"GPU 1, kernels: idle", 1}, {"GPU 1, kernels: take", 3}});
}

TEST_CASE("streams in a circle and limits are named, not waited for") {
  StepGraph circle;
  const std::uint32_t a = circle.add_stream("GPU 0", "kernels"), b = circle.add_stream("GPU 1", "kernels");
  const StepChannel to_a = circle.add_channel(a), to_b = circle.add_channel(b);
  circle.stream(a).wait(to_a, {"idle", bubble}).signal(to_b);
  circle.stream(b).wait(to_b, {"idle", bubble}).signal(to_a);
  CHECK_THROWS_AS(run_graph(circle), Error);
  Limits few;
  few.max_events = 2;
  CHECK_THROWS_AS(run_graph(Pair{5}.graph, {.limits = few}), LimitReached);
}

TEST_CASE(
    "a traced graph tells its critical path: the stream that makes until the first part, then the taker") {
  const Pair pair{5};
  Tracer tracer{Clock{TickLength::picosecond}};
  run_graph(pair.graph, {.tracer = &tracer});
  const std::vector<Tracer::PathTask> path = tracer.path();
  REQUIRE(path.size() == 2);
  CHECK(path[0].where == "GPU 0, kernels");
  CHECK(path[0].name == "make");
  CHECK(tracer.clock().duration(path[0].end).base() == doctest::Approx(1));
  CHECK(path[1].where == "GPU 1, kernels");
  CHECK(path[1].name == "take");  // five laps that follow each other are one
  CHECK(path[1].start == path[0].end);
  CHECK(tracer.clock().duration(path[1].end).base() == doctest::Approx(11));
}
