#include "sim/engine/trace.hpp"

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "sim/engine/fluid.hpp"
#include "sim/json/reader.hpp"

using namespace rackcast;

namespace {

std::string written(const Tracer& tracer) {
  std::ostringstream out;
  tracer.write_chrome_trace(out);
  return out.str();
}

/// The events with this phase, in file order.
std::vector<Json> events(const Tracer& tracer, std::string_view phase) {
  std::vector<Json> found;
  const Json document = parse_json(written(tracer), "trace.json");
  for (const Json& event : document.require("traceEvents").array()) {
    if (event.require("ph").string() == phase) found.push_back(event);
  }
  return found;
}

Process transfer(Engine& engine, Network& network, ResourceId link, double work, std::string name,
                 TrackId track) {
  const std::array<Usage, 1> uses{{{link}}};
  co_await engine.sleep(Duration{1});
  co_await network.run({.work = work, .uses = uses, .name = name, .track = track});
}

}  // namespace

TEST_CASE("spans come out by start, the longer first, with exact microseconds") {
  Tracer tracer{Clock{TickLength::picosecond}};
  const TrackId compute = tracer.track("node0/gpu3/compute");
  const TraceArg args[] = {{"flops", 1.5e9}, {"kernel", "conv \"3x3\""}};
  tracer.span(compute, "inner", {2'000'000}, {3'000'000});
  tracer.span(compute, "outer", {2'000'000}, {9'123'456'789'012'345}, args);
  tracer.span(compute, "first", {1}, {2});
  const std::vector<Json> spans = events(tracer, "B"), ends = events(tracer, "E");
  REQUIRE(spans.size() == 3);
  REQUIRE(ends.size() == 3);
  CHECK(ends[1].require("name").string() == "inner");
  CHECK(ends[1].find("args") == nullptr);  // an empty one would be shown as a part of the name
  CHECK(ends[2].require("args").require("kernel").string() == "conv \"3x3\"");  // as its begin
  CHECK(ends[2].require("name").string() == "outer");
  CHECK(spans[0].require("name").string() == "first");
  CHECK(spans[1].require("name").string() == "outer");
  CHECK(spans[2].require("name").string() == "inner");
  CHECK(spans[1].require("args").require("flops").number() == 1.5e9);
  CHECK(spans[1].require("args").require("kernel").string() == "conv \"3x3\"");
  const std::string text = written(tracer);
  CHECK(text.find("\"ts\": 0.000002, \"name\": \"first\"") != std::string::npos);
  CHECK(text.find("\"ts\": 9123456789.012345, \"name\": \"outer\"") != std::string::npos);
}

TEST_CASE(
    "boxes that follow each other end before the next begins, and what takes no time is closed at once") {
  Tracer tracer{Clock{TickLength::picosecond}};
  const TrackId lane = tracer.track("a/b");
  tracer.span(lane, "second", {7}, {9});
  tracer.span(lane, "first", {3}, {7});
  tracer.span(lane, "instant", {7}, {7});
  std::string order;
  const Json document = parse_json(written(tracer), "trace.json");
  for (const Json& event : document.require("traceEvents").array()) {
    const std::string& phase = event.require("ph").string();
    if (phase != "M") order += phase + " " + event.require("name").string() + "; ";
  }
  CHECK(order == "B first; E first; B second; B instant; E instant; E second; ");
}

TEST_CASE("clocks of a microsecond and coarser write whole microseconds") {
  Tracer fine{Clock{TickLength::microsecond}};
  fine.counter(fine.track("load"), {17}, 1);
  CHECK(written(fine).find("\"ts\": 17,") != std::string::npos);
  Tracer coarse{Clock{TickLength::second}};
  coarse.counter(coarse.track("load"), {17}, 1);
  CHECK(written(coarse).find("\"ts\": 17000000,") != std::string::npos);
}

TEST_CASE("lanes of one group share a process, and both have names") {
  Tracer tracer{Clock{TickLength::nanosecond}};
  const TrackId compute = tracer.track("node0/gpu3/compute");
  const TrackId copy = tracer.track("node0/gpu3/copy");
  const TrackId alone = tracer.track("loader");
  CHECK(tracer.track("node0/gpu3/copy").index == copy.index);
  for (const TrackId track : {compute, copy, alone}) tracer.span(track, "x", {0}, {1});
  std::map<std::string, std::int64_t> process_of_row;
  std::map<std::int64_t, std::string> group_of_process;
  std::map<std::int64_t, std::int64_t> place_of_process;
  for (const Json& event : events(tracer, "M")) {
    if (event.require("name").string() == "process_sort_index")
      place_of_process[event.require("pid").integer()] =
          event.require("args").require("sort_index").integer();
    const Json* words = event.require("args").find("name");
    if (words == nullptr) continue;
    const std::string& name = words->string();
    if (event.require("name").string() == "process_name")
      group_of_process[event.require("pid").integer()] = name;
    if (event.require("name").string() == "thread_name")
      process_of_row[name] = event.require("pid").integer();
  }
  CHECK(process_of_row["compute"] == process_of_row["copy"]);
  CHECK(process_of_row["compute"] != process_of_row["loader"]);
  CHECK(group_of_process[process_of_row["compute"]] == "node0/gpu3");
  CHECK(place_of_process[process_of_row["compute"]] < place_of_process[process_of_row["loader"]]);
}

TEST_CASE("activities and the use of resources are traced when a tracer is set") {
  Engine engine;
  Tracer tracer{engine.clock()};
  engine.set_tracer(&tracer);
  Network network(engine);
  const ResourceId link = network.add_resource("link", Bandwidth{100});
  engine.spawn("a", transfer(engine, network, link, 100, "copy", tracer.track("node0/copy")));
  engine.spawn("b", transfer(engine, network, link, 200, "flow", {}));
  engine.run();
  const std::vector<Json> spans = events(tracer, "B"), span_ends = events(tracer, "E");
  REQUIRE(spans.size() == 1);
  REQUIRE(span_ends.size() == 1);
  CHECK(spans[0].require("name").string() == "copy");
  CHECK(spans[0].require("ts").number() == 1e6);
  CHECK(span_ends[0].require("ts").number() == 3e6);  // 100 B at half of 100 B/s
  const std::vector<Json> ends = events(tracer, "e");
  REQUIRE(ends.size() == 1);
  CHECK(ends[0].require("ts").number() == 4e6);  // 100 B at half rate until 3 s, 100 B alone
  const std::vector<Json> use = events(tracer, "C");
  REQUIRE(use.size() == 2);  // full from 1 s on; nothing from 4 s on
  CHECK(use[0].require("args").require("value").number() == 1);
  CHECK(use[1].require("ts").number() == 4e6);
  CHECK(use[1].require("args").require("value").number() == 0);
}

TEST_CASE("parts of a trace have lanes of their own, and names may hold slashes") {
  Tracer tracer{Clock{TickLength::picosecond}};
  tracer.begin_part("one: ");
  const TrackId first = tracer.track("Share in use", "node0/gpu0 -> node0/gpu1");
  tracer.begin_part("two: ");
  const TrackId second = tracer.track("Share in use", "node0/gpu0 -> node0/gpu1");
  CHECK(first.index != second.index);
  tracer.counter(second, {5}, 0.25);
  REQUIRE(tracer.values().size() == 1);
  CHECK(tracer.values().front().group == "two: Share in use");
  CHECK(tracer.values().front().row == "node0/gpu0 -> node0/gpu1");
}
