#include "reports/drawings/timeline.hpp"

#include <doctest/doctest.h>

#include <string>

#include "reports/drawings/machine_svg.hpp"
#include "reports/sentences/link_sentences.hpp"

using namespace rackcast::reports;

namespace {

/// 100 ms: 60 forward, 30 backward, 10 update; storage busy for a quarter.
WorkloadResult one_step(const std::string& title, const std::string& loader = "data loader") {
  WorkloadResult workload;
  workload.title = title;
  workload.timeline = Timeline{};
  workload.timeline->length = 0.1;
  workload.timeline->lanes = {{"Node 0, GPU 0, compute stream",
                               {{"forward", 0, 0.06}, {"backward", 0.06, 0.03}, {"optimizer", 0.09, 0.01}}},
                              {loader, {{"batch", -0.05, 0.25}}}};
  workload.timeline->shares = {{"storage", 0.25, {{0, 1}, {0.025, 0}}}};
  return workload;
}

int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (std::size_t i = text.find(what); i != std::string::npos; i = text.find(what, i + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("a timeline is drawn to scale") {
  const auto drawing = timeline_drawing(one_step("Net"));
  REQUIRE(drawing);
  CHECK(drawing->caption == "Net: one repeating step of 100 ms, as simulated");
  CHECK(count(drawing->svg, "<title>forward, 60 ms") == 1);
  // 720 wide: forward takes 60 %, from the left end.
  CHECK(drawing->svg.find("class=\"s1\" x=\"0.00\" y=\"18\" width=\"432.00\"") != std::string::npos);
  CHECK(drawing->svg.find("class=\"s0\" x=\"0.00\" y=\"64\" width=\"720.00\"") !=
        std::string::npos);  // cut at both ends
  CHECK(drawing->svg.find("storage, 25 % busy") != std::string::npos);
  CHECK_FALSE(timeline_drawing(WorkloadResult{}));
  CHECK(timeline_drawing(one_step("Net"), true)->caption.ends_with("without your own measurements"));
}

TEST_CASE("a timeline escapes what it is given") {
  const auto drawing = timeline_drawing(one_step("Net", "<script>alert(1)</script>"));
  CHECK(drawing->svg.find("<script") == std::string::npos);
  CHECK(drawing->svg.find("&lt;script&gt;") != std::string::npos);
}

TEST_CASE("workloads are drawn below each other in a document, and nothing is still a drawing") {
  ResultDocument document;
  document.workloads = {one_step("second"), one_step("first")};
  const std::string svg = timeline_document(document);
  CHECK(svg.find("second: one") < svg.find("first: one"));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(timeline_document(ResultDocument{}).ends_with("</svg>\n"));
}

TEST_CASE("a drawing of a machine keeps order, classes and words, escaped") {
  MachineDrawing machine;
  machine.title = "Node";
  machine.words = "two GPUs";
  machine.width = 200;
  machine.height = 100;
  using Kind = MachineDrawing::Shape::Kind;
  machine.shapes = {{Kind::line, "nvlink", 2, {10, 50, 60, 50}, {}, {}},
                    {Kind::rect, "gpu", 1, {0, 40, 30, 20}, {}, {}},
                    {Kind::text, "light", 1, {15, 54}, "middle", "GPU <0>"}};
  const Drawing drawing = machine_drawing(machine);
  CHECK(drawing.caption == "Node: two GPUs");
  CHECK(drawing.svg.find("class=\"nvlink\"") < drawing.svg.find("class=\"gpu\""));
  CHECK(drawing.svg.find("GPU &lt;0&gt;</text>") != std::string::npos);
  CHECK(drawing.svg.find("viewBox=\"0 28 212 84\"") != std::string::npos);  // from 12 above the highest shape
}

TEST_CASE("cables have the colour of the workload that fills them most") {
  WorkloadResult one, other;
  one.title = "one";
  one.links = {{"infiniband", "nic", "leaf", 32, 0.05, 0.05},
               {"infiniband", "leaf", "nic", 32, 0.07, 0.08},
               {"nvlink", "gpu", "gpu", 64, 0.9, 0.95}};
  other.links = {{"infiniband", "storage", "leaf", 12, 0.4, 0.4},
                 {"infiniband", "leaf", "spine", 6, 0.2, 0.65},
                 {"infiniband", "leaf", "nic", 32, 0.01, 0.02}};
  const LineLoads loads = line_loads({one, other});
  CHECK(loads == LineLoads{{"core-trunk", 0}, {"network", 0.08}, {"storage-cable", 0.4}, {"trunk", 0.65}});
  CHECK(line_loads({WorkloadResult{}}).empty());
  MachineDrawing machine;
  machine.width = 200;
  machine.height = 100;
  using Kind = MachineDrawing::Shape::Kind;
  machine.shapes = {{Kind::line, "network", 2, {10, 50, 60, 50}, {}, {}},
                    {Kind::arc, "trunk", 2, {10, 50, 60, 50, 20}, {}, {}},
                    {Kind::line, "pcie", 2, {10, 50, 60, 50}, {}, {}},
                    {Kind::rect, "leaf", 1, {0, 40, 30, 20}, {}, {}}};
  const std::string svg = machine_drawing(machine, loads).svg;
  for (const char* part : {"\"network load1\"", "\"trunk load4\"", "\"pcie\"", "\"leaf\"", ">10 to 30 %<"}) {
    CAPTURE(part);
    CHECK(svg.find(part) != std::string::npos);
  }
  CHECK(machine_drawing(machine).svg.find("load") == std::string::npos);
  CHECK(links_text(one) ==
        "Fullest in a step of one: between nodes the cables from leaf switches to network ports (InfiniBand, "
        "8.0 "
        "%); in "
        "a node the links from GPUs to GPUs (NVLink, 95 %).");
  CHECK(links_text(WorkloadResult{}).empty());
}
