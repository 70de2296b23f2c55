// What a report draws of one step, from a trace.
#include "scenarios/evaluate/step_timeline.hpp"

#include <doctest/doctest.h>

#include <string>

#include "sim/engine/trace.hpp"

using namespace rackcast;

namespace {

SimTime at(std::int64_t ms) {
  return {ms * 1'000'000'000};  // in picoseconds
}

/// Three steps of 100 ms: 60 forward, 30 backward, 10 update; a link is busy for 25 of each.
Tracer three_steps() {
  Tracer tracer{Clock{TickLength::picosecond}};
  const TrackId gpu = tracer.track("Node 0, GPU 0", "compute stream");
  const TrackId link = tracer.track("Share in use", "storage"), idle = tracer.track("Share in use", "idle");
  for (int step = 0; step < 3; ++step) {
    const std::int64_t t = 100 * step;
    tracer.span(gpu, "forward", at(t), at(t + 60));
    tracer.span(gpu, "backward", at(t + 60), at(t + 90));
    tracer.span(gpu, "optimizer", at(t + 90), at(t + 100));
    tracer.counter(link, at(t), 1);
    tracer.counter(link, at(t + 25), 0);
    tracer.counter(idle, at(t), 0.001);
  }
  tracer.span(tracer.track("Node 0, host", "data loader"), "batch", at(50), at(300));
  return tracer;
}

}  // namespace

TEST_CASE("a timeline is one whole step, from update to update") {
  const StepTimeline t = step_timeline(three_steps());
  CHECK(t.length.base() == doctest::Approx(0.1));
  REQUIRE(t.lanes.size() == 2);
  CHECK(t.lanes[0].name == "Node 0, GPU 0, compute stream");
  REQUIRE(t.lanes[0].spans.size() == 3);
  CHECK(t.lanes[0].spans[1].name == "backward");
  CHECK(t.lanes[0].spans[1].start.base() == doctest::Approx(0.06));
  CHECK(t.lanes[0].spans[1].length.base() == doctest::Approx(0.03));
  // It began in the step before and ends in the one after: of both only this step is told (issue 23, 37).
  CHECK(t.lanes[1].spans[0].start.base() == 0);
  CHECK(t.lanes[1].spans[0].length.base() == doctest::Approx(0.1));
}

TEST_CASE("the shares in use are those of the step, and idle ones are left out") {
  const StepTimeline t = step_timeline(three_steps());
  REQUIRE(t.shares.size() == 1);
  CHECK(t.shares[0].name == "storage");
  CHECK(t.shares[0].mean == doctest::Approx(0.25));  // 25 of 100 ms
  REQUIRE(t.shares[0].points.size() == 2);
  CHECK(t.shares[0].points[1].first.base() == doctest::Approx(0.025));
}

TEST_CASE("an empty trace has no step") {
  CHECK_FALSE(step_timeline(Tracer{Clock{TickLength::picosecond}}).length > Duration{0});
}

TEST_CASE("the critical path is that of the step, as a lane and summed up") {
  Tracer tracer = three_steps();
  // Storage binds: from the middle of the first step on each batch is late.
  tracer.path_step("Node 0, GPU 0, compute stream", "forward", at(0), at(60));
  for (int step = 0; step < 2; ++step) {
    const std::int64_t t = 100 * step;
    tracer.path_step("Node 0, host, data loader", "batch", at(t + 60), at(t + 150));
    tracer.path_step("Node 0, GPU 0, compute stream", "forward", at(t + 150), at(t + 160));
  }
  tracer.path_step("Node 0, GPU 0, compute stream", "backward", at(260), at(300));
  const StepTimeline t = step_timeline(tracer);  // 100 to 200 ms
  REQUIRE(t.lanes.size() == 3);
  CHECK(t.lanes[0].name == "Critical path");
  REQUIRE(t.lanes[0].spans.size() == 3);
  CHECK(t.lanes[0].spans[0].name == "batch");
  CHECK(t.lanes[0].spans[0].start.base() == 0);
  CHECK(t.lanes[0].spans[0].length.base() == doctest::Approx(0.05));
  REQUIRE(t.path.size() == 2);
  CHECK(t.path[0].what == "batch");
  CHECK(t.path[0].where == "Node 0, host, data loader");
  CHECK(t.path[0].time.base() == doctest::Approx(0.09));
  CHECK(t.path[1].what == "forward");
  CHECK(t.path[1].time.base() == doctest::Approx(0.01));
}

TEST_CASE("of a long critical path the shortest parts are told together") {
  Tracer tracer = three_steps();
  for (int i = 0; i < 25; ++i)
    tracer.path_step("Stage " + std::to_string(i), i == 9 ? "update" : "forward", at(100 + 4 * i),
                     at(100 + 4 * i + 4));
  const StepTimeline t = step_timeline(tracer);
  REQUIRE(t.path.size() == 22);
  CHECK(t.path[20].what == "forward");
  CHECK(t.path[20].where == "other streams");
  CHECK(t.path[20].time.base() == doctest::Approx(4 * 0.004));
  CHECK(t.path[21].what == "update");
}

TEST_CASE("where there are too many lanes, those of the critical path are drawn") {
  Tracer tracer = three_steps();
  for (int i = 10; i < 30; ++i)
    tracer.span(tracer.track("Stage " + std::to_string(i), "kernels"), "forward", at(100), at(150));
  tracer.path_step("Stage 27, kernels", "forward", at(100), at(150));
  const StepTimeline t = step_timeline(tracer);
  REQUIRE(t.lanes.size() == 1 + 12);
  CHECK(t.lanes[0].name == "Critical path");
  CHECK(t.lanes[1].name == "Node 0, GPU 0, compute stream");
  CHECK(t.lanes[12].name == "Stage 27, kernels");
  CHECK(t.lanes[11].name == "Stage 18, kernels");
}
