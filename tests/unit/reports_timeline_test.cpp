#include <doctest/doctest.h>

#include <string>

#include "reports/timeline.hpp"
#include "sim/trace.hpp"

using namespace rackcast;
using namespace rackcast::reports;

namespace {

constexpr std::int64_t millisecond = 1'000'000'000;  // in picoseconds

SimTime at(std::int64_t ms) {
  return {ms * millisecond};
}

/// Three steps of 100 ms: 60 forward, 30 backward, 10 update.
Tracer three_steps(const std::string& loader) {
  Tracer tracer{Clock{TickLength::picosecond}};
  const TrackId gpu = tracer.track("Node 0, GPU 0", "compute stream");
  const TrackId link = tracer.track("Share in use", "storage");
  for (int step = 0; step < 3; ++step) {
    const std::int64_t t = 100 * step;
    tracer.span(gpu, "forward", at(t), at(t + 60));
    tracer.span(gpu, "backward", at(t + 60), at(t + 90));
    tracer.span(gpu, "optimizer", at(t + 90), at(t + 100));
    tracer.counter(link, at(t), 1);
    tracer.counter(link, at(t + 25), 0);
  }
  tracer.span(tracer.track("Node 0, host", loader), "batch", at(0), at(300));
  return tracer;
}

int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (std::size_t i = text.find(what); i != std::string::npos; i = text.find(what, i + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("a timeline shows one whole step, to scale") {
  const std::string svg = timeline_svg(three_steps("data loader"));
  CHECK(svg.find("100 ms of one step") != std::string::npos);
  CHECK(count(svg, "<title>forward, 60 ms") == 1);
  // 820 wide: forward takes 60 %, from the left end of the plot.
  CHECK(svg.find("x=\"330.00\" y=\"41\" width=\"492.00\"") != std::string::npos);
  CHECK(svg.find("storage, 25 % busy") != std::string::npos);
}

TEST_CASE("a timeline escapes what it is given") {
  const std::string svg = timeline_svg(three_steps("<script>alert(1)</script>"));
  CHECK(svg.find("<script") == std::string::npos);
  CHECK(svg.find("&lt;script&gt;") != std::string::npos);
}

TEST_CASE("workloads are drawn below each other, and an empty trace is still a drawing") {
  Tracer tracer{Clock{TickLength::picosecond}};
  for (const std::string name : {"second", "first"}) {
    tracer.begin_part(name + ": ");
    tracer.span(tracer.track("GPU", "compute"), "forward", at(0), at(10));
  }
  const std::string svg = timeline_svg(tracer);
  CHECK(svg.find("second: 10 ms") < svg.find("first: 10 ms"));
  CHECK(timeline_svg(Tracer{Clock{TickLength::picosecond}}).ends_with("</svg>\n"));
}
