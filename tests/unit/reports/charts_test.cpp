// What the charts of the sections say, from results written by hand.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "reports/blocks/block.hpp"
#include "reports/charts/chart_spec.hpp"
#include "reports/sections/sections.hpp"

using namespace rackcast::reports;

namespace {

/// The blocks of one kind, in order.
template <class Body>
std::vector<Body> all(const Blocks& blocks) {
  std::vector<Body> found;
  for (const Block& block : blocks) {
    if (const auto* body = std::get_if<Body>(&block.body)) found.push_back(*body);
  }
  return found;
}

const Chart::Point& at(const Chart::Line& line, double x) {
  for (const auto& point : line.points) {
    if (point.x == doctest::Approx(x)) return point;
  }
  FAIL("no point at ", x);
  return line.points.front();
}

/// Bought for 400 a year; energy 10 idle, 110 busy; rented at 1000 for a full year: equal where
/// 410 + 100 u = 1000 u, at 0.4556.
SiteCost cost() {
  SiteCost c;
  c.utilisation = 0.5;
  c.energy_usd = 60;
  c.energy_idle_usd = 10;
  c.energy_busy_usd = 110;
  c.year_usd = 460;
  c.rent = SiteCost::Rent{};
  c.rent->instance = "big";
  c.rent->year_usd = 500;
  c.rent->break_even = 410.0 / 900;
  return c;
}

ResultDocument with_site(SiteCost money, SitePower power = {}) {
  ResultDocument document;
  document.site = Site{};
  document.site->power = std::move(power);
  document.site->cost = std::move(money);
  return document;
}

}  // namespace

TEST_CASE("owning and renting are drawn over the utilisation and cross at the break-even") {
  const auto charts = all<Chart>(cost_section(with_site(cost())));
  REQUIRE(charts.size() == 1);
  const auto& lines = charts[0].lines;
  REQUIRE(lines.size() == 3);
  CHECK(at(lines[0], 0).y == doctest::Approx(410));  // 460 - 60 + 10
  CHECK(at(lines[0], 1).y == doctest::Approx(510));
  CHECK(at(lines[1], 1).y == doctest::Approx(1000));
  const double even = 410.0 / 900;
  CHECK(at(lines[0], even).y == doctest::Approx(at(lines[1], even).y));
  CHECK(lines[2].points.front().x == doctest::Approx(even));
  CHECK(charts[0].marked_x == 0.5);
  CHECK(charts[0].caption.find("from 46 % utilisation on") != std::string::npos);
  CHECK(chart_spec(charts[0]).find("Cost of a year (USD)") != std::string::npos);
}

TEST_CASE("where renting is always cheaper the chart says so and marks no break-even") {
  SiteCost c = cost();
  c.rent->break_even.reset();
  const auto charts = all<Chart>(cost_section(with_site(c)));
  REQUIRE(charts.size() == 1);
  CHECK(charts[0].lines.size() == 2);
  CHECK(charts[0].caption == "Renting is cheaper than owning at any utilisation");
}

TEST_CASE("a result of an older program, without the energy at both ends, has no chart of costs") {
  SiteCost c = cost();
  c.energy_busy_usd.reset();
  CHECK(all<Chart>(cost_section(with_site(c))).empty());
}

TEST_CASE("a day of power has the hours of training and those of rest") {
  SitePower p;
  p.known = true;
  p.it_w = 1000;
  p.idle_w = 200;
  p.nameplate_w = 1500;
  p.pue = 1.5;
  p.utilisation = 0.25;
  const auto charts = all<Chart>(power_section(with_site(cost(), p)));
  REQUIRE(charts.size() == 1);
  const auto& lines = charts[0].lines;
  REQUIRE(lines.size() == 3);
  REQUIRE(lines[1].points.size() == 4);  // the site: 6 h at 1500 W, 18 h at 300 W
  CHECK(lines[1].points[1].x == 6 * 3600);
  CHECK(lines[1].points[1].y == 1500);
  CHECK(lines[1].points[2].y == 300);
  // 6 x 1.5 + 18 x 0.3 = 14.4 kWh
  CHECK(charts[0].caption.starts_with("A day of 6 h of training takes 14.4 kWh"));
  p.utilisation = 1;
  const auto busy = all<Chart>(power_section(with_site(cost(), p)));
  REQUIRE(busy.size() == 1);
  CHECK(busy[0].lines[0].points.size() == 2);
}

TEST_CASE("the time that is lost is drawn by checkpoint interval, with the planned one marked") {
  Reliability r;
  r.nodes = 100;
  r.interval_s = 3600;
  r.goodput = {0.9, 0.8, 0.95, "1"};
  r.job_mttf = {86400, 43200, 172800, "s"};
  r.by_interval = {
      {1800, {0.85, 0.8, 0.9, "1"}}, {3600, {0.9, 0.8, 0.95, "1"}}, {7200, {0.8, 0.6, 0.9, "1"}}};
  r.components = {{"GPU", "memory", "", 8, 0.06}, {"fan", "memory", "", 4, 0.3}};
  WorkloadResult w;
  w.title = "net";
  w.reliability = r;
  ResultDocument document;
  document.workloads = {w};
  const Blocks blocks = reliability_section(document);
  const auto charts = all<Chart>(blocks);
  REQUIRE(charts.size() == 1);
  CHECK(charts[0].marked_x == 3600);
  CHECK(charts[0].lines[0].points[0].y == doctest::Approx(0.15));
  CHECK(charts[0].lines[0].points[0].low == doctest::Approx(0.1));
  const auto bars = all<BarChart>(blocks);
  REQUIRE(bars.size() == 1);
  REQUIRE(bars[0].bars.size() == 3);
  CHECK(bars[0].bars[0].label == "The job is interrupted");
  CHECK(bars[0].bars[0].value == doctest::Approx(365.25 / 12));
  CHECK(bars[0].bars[1].label ==
        "fan, replaced");  // 4 x 100 x 0.3 / 12 = 10 a month before 8 x 100 x 0.06 / 12 = 4
  CHECK(bars[0].bars[1].value == doctest::Approx(10));
  CHECK(bars[0].bars[2].value == doctest::Approx(4));
}

namespace {

SiteRacks racks_of(std::int64_t count) {
  SiteRacks r;
  r.units = 42;
  r.count = count;
  r.floor = SiteRacks::Floor{0.6, 1.0, 1.2, 0.9, 12};
  r.groups.resize(2);
  r.groups[0].contents = {{"<b>node</b>", 4}};
  r.groups[1].contents = {{"switch", 2}};
  for (std::int64_t i = 0; i < count; ++i) r.group_of_rack.push_back(i % 2);
  return r;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

ResultDocument answered(double time, double low, double high, double deadline) {
  ResultDocument d;
  d.answer.feasible = true;
  d.answer.nodes = 4;
  d.deadline_s = deadline;
  d.performance.time_to_train = Prediction{time, low, high, "s"};
  return d;
}

/// The first column of the only table.
std::vector<std::string> names(const Blocks& blocks) {
  std::vector<std::string> out;
  for (const Table& table : all<Table>(blocks)) {
    for (const auto& row : table.rows) out.push_back(row.front().text);
  }
  return out;
}

/// The floor plans among the drawings of racks.
std::vector<Drawing> floors(const ResultDocument& d) {
  auto drawings = all<Drawing>(racks_section(d));
  std::erase_if(drawings, [](const Drawing& one) { return !one.caption.starts_with("Floor plan"); });
  return drawings;
}

bool has(const std::vector<std::string>& list, const std::string& name) {
  return std::ranges::find(list, name) != list.end();
}

}  // namespace

TEST_CASE("the floor plan has every rack once, to scale, and the aisles in turn") {
  ResultDocument d;
  d.site = Site{};
  d.site->racks = racks_of(13);  // two rows: 12 and 1
  const auto drawings = floors(d);
  REQUIRE(drawings.size() == 1);
  const std::string& svg = drawings[0].svg;
  CHECK(occurrences(svg, "<title>Rack ") == 13);
  CHECK(svg.find("Rack 13: 4 x &lt;b&gt;node&lt;/b&gt;") != std::string::npos);  // escaped
  CHECK(svg.find("<b>") == std::string::npos);
  CHECK(occurrences(svg, "class=\"aisle\"") == 2);  // cold, hot, cold
  CHECK(occurrences(svg, "class=\"aisle hot\"") == 1);
  // 12 x 0.6 = 7.2 m; 2 x 1.0 + 1.2 + 0.9 + 1.2 = 5.3 m
  CHECK(drawings[0].caption == "Floor plan to scale, 7.2 m by 5.3 m: 13 racks");
}

TEST_CASE("a thousand racks are still one drawing of modest size") {
  ResultDocument d;
  d.site = Site{};
  d.site->racks = racks_of(1000);
  const auto drawings = floors(d);
  REQUIRE(drawings.size() == 1);
  CHECK(drawings[0].svg.size() < 200'000);
}

TEST_CASE("a result without the room has no floor plan") {
  ResultDocument d;
  d.site = Site{};
  d.site->racks = racks_of(3);
  d.site->racks.floor.reset();
  CHECK(floors(d).empty());
}

TEST_CASE("the network is drawn by level, however many switches there are") {
  ResultDocument d;
  d.site = Site{};
  d.site->racks.devices = {{"DGX <x>", "server", "", 2048, 6, {}, {}, {}},
                           {"flash", "storage", "", 12, 1, {}, {}, {}}};
  SiteNetwork n;
  n.switches = {
      {"leaf", "QM9700", 512, {}, {}}, {"spine", "QM9700", 256, {}, {}}, {"core", "QM9700", 128, {}, {}}};
  const auto cables = [&n](std::string use, std::string product, double length, std::int64_t count) {
    n.cables.push_back({std::move(use), "ndr", "ndr", product, product, length, count});
  };
  cables("node to leaf", "dac", 2, 16384);
  cables("leaf to spine", "aoc", 20, 16000);
  cables("leaf to spine", "aoc", 30, 384);
  cables("between spines and cores", "aoc", 30, 8192);
  d.site->network = n;
  const auto drawings = all<Drawing>(network_section(d));
  REQUIRE(drawings.size() == 1);
  const std::string& svg = drawings[0].svg;
  CHECK(svg.size() < 20'000);
  CHECK(svg.find("512 switches: QM9700") != std::string::npos);
  CHECK(svg.find("16,384 cables") != std::string::npos);
  CHECK(svg.find("8,192 cables") != std::string::npos);
  CHECK(svg.find("2048 x DGX &lt;x&gt;") != std::string::npos);
  CHECK(svg.find("+501") != std::string::npos);  // 11 boxes of 512 are drawn, the 12th says how many more
}

TEST_CASE("the tornado starts in the middle, the widest input first as the result has it") {
  ResultDocument d = answered(100, 80, 130, 120);
  WorkloadResult w;
  w.title = "net";
  w.answer.feasible = true;
  w.performance = d.performance;
  w.sensitivity = {{"epochs", "range", "40", "60", 80, 120},
                   {"speed of kernels", "model", "x 0.9", "x 1.1", 110, 92}};
  d.workloads = {w};
  const auto charts = all<BarChart>(sensitivity_section(d));
  REQUIRE(charts.size() == 1);
  CHECK(charts[0].middle == 100);
  CHECK(charts[0].caption == "net: the time of 100 s is most sensitive to epochs");
  CHECK(charts[0].bars[1].low == 92);
  CHECK(charts[0].bars[1].high == 110);
  CHECK(charts[0].bars[1].text == "-8.0 % to +10 %, 18 % of the variance");
  const std::string spec = chart_spec(charts[0]);
  CHECK(spec.find("\"zero\":false") != std::string::npos);
  CHECK(spec.find("var(--s2)") != std::string::npos);
}

TEST_CASE("risks are read off the result, and a result that gives no cause has none of that kind") {
  ResultDocument d = answered(100, 95, 105, 120);
  WorkloadResult w;
  w.reliability = Reliability{};
  d.workloads = {w};
  CHECK(risks_section(d).empty());
  d.performance.time_to_train->high = 130;
  CHECK(has(names(risks_section(d)), "The deadline may be missed"));
  d.performance.time_to_train->high = 190;
  d.deadline_s = 400;
  CHECK(has(names(risks_section(d)), "The time is uncertain"));
  d.deadline_s = 120;
  d.workloads[0].reliability.reset();
  CHECK(has(names(risks_section(d)), "Failures are not in the times"));
  d.assumptions = {{rackcast::doc::Reason{"kernel_efficiencies", {{"gpu", "GPU"}, {"donor", "<i>V100</i>"}}},
                    "", "", Assumption::Confidence::fit}};
  CHECK(has(names(risks_section(d)), "No kernel was measured on this GPU"));
  d.assumptions.push_back(
      {rackcast::doc::Reason{"repair", {{"time_s", 86'400}}}, "", "", Assumption::Confidence::memory});
  CHECK(has(names(risks_section(d)), "Assumptions that no document confirms"));
  d.site = Site{};
  d.site->network = SiteNetwork{};
  d.site->network->switches = {{"leaf", "QM9700", 1, {}, {}}};
  CHECK(has(names(risks_section(d)), "A single point of failure"));
  d.answer.nodes = 1;
  CHECK_FALSE(has(names(risks_section(d)), "A single point of failure"));
  CHECK(has(names(risks_section(d)), "One node does everything"));
}

TEST_CASE("what breaks a limit stands before what is only close to it") {
  ResultDocument d = answered(100, 95, 130, 120);
  d.growth = DataGrowth{};
  d.growth->full_day = 12;
  CHECK(names(risks_section(d)).front() == "The storage runs full");
}

TEST_CASE("a batch that is a larger part of the data than any that is known to have learnt is a risk") {
  ResultDocument d = answered(100, 95, 105, 120);
  WorkloadResult& w = d.workloads.emplace_back();
  w.title = "X";
  w.samples = 1'281'167;
  w.batch.emplace();
  const auto risk = [&](double batch) {
    w.global_batch = batch;
    return has(names(risks_section(d)), "The batch may be too large to learn as fast");
  };
  CHECK_FALSE(risk(86'016));
  CHECK(risk(168'960));
  CHECK_FALSE(risk(2e6));            // another risk
  w.batch->largest_useful = 32'768;  // a warning of its own
  CHECK_FALSE(risk(168'960));
}

TEST_CASE("the growth plan marks the question as asked and says what more data take") {
  ResultDocument d;
  d.growth = DataGrowth{};
  d.growth->plan = {{50, 1e6, 1e12, 1, 2, 2, 3, false},
                    {100, 2e6, 2e12, 1, 4, 3, std::nullopt, true},
                    {200, 4e6, 4e12, 2, std::nullopt, std::nullopt, std::nullopt, false}};
  const auto charts = all<Chart>(growth_plan_section(d));
  REQUIRE(charts.size() == 1);
  CHECK(charts[0].lines[0].points.size() == 2);
  CHECK(charts[0].marked_x == 100 * 86400);
  REQUIRE(charts[0].data.rows.size() == 3);
  CHECK(charts[0].data.rows[2][3].text == "no answer");
  d.growth->plan.back().limit = "storage_capacity";
  CHECK(all<Chart>(growth_plan_section(d))[0].data.rows[2][3].text == "no answer: storage capacity");
}

TEST_CASE("an assumption has the date that its source names, and numbers that are no years are none") {
  const auto date = [](const std::string& source) {
    ResultDocument d;
    d.assumptions = {
        {rackcast::doc::Reason{"repair", {{"time_s", 1}}}, source, "", Assumption::Confidence::verified}};
    return all<Table>(assumptions_section(d)).at(0).rows.at(0).at(3).text;
  };
  CHECK(date("You et al., NSDI 2023") == "2023");
  CHECK(date("boavizta@db72d8b6 (2023-11-16) export.csv") == "2023-11-16");
  CHECK(date("JPDC 69(2), 2009; latencies") == "2009");
  CHECK(date("up to 2000 MB/s") == "");
  CHECK(date("arXiv 1512.03385") == "");
  CHECK(date("run 2018 of https://x.org/2019/08/a") == "2018");
  CHECK(date("engineering memory, not confirmed against a document") == "");
}

namespace {

Evidence::Run measured_run(double ratio, double low, double high) {
  Evidence::Run run;
  run.system = "8 × GPU";
  run.model = "net";
  run.framework = "pytorch";
  run.measured = 100;
  run.predicted = {100 * ratio, 100 * low, 100 * high, "images/s"};
  run.speed_ratio = {ratio, low, high, "1"};
  run.differs = {"8 instead of 64 GPUs"};
  run.source = "a report";
  return run;
}

}  // namespace

TEST_CASE("the nearest measured trainings are shown as they turned out, misses too") {
  WorkloadResult workload;
  workload.title = "Net";
  workload.evidence = Evidence{};
  workload.evidence->all = {10, 20, 15, 0.1};
  workload.evidence->nearest = {measured_run(1.1, 0.9, 1.3), measured_run(2, 1.5, 2.5)};
  ResultDocument document;
  document.workloads = {workload};
  const Blocks blocks = evidence_section(document);
  const auto charts = all<BarChart>(blocks);
  REQUIRE(charts.size() == 1);
  CHECK(charts[0].caption.find("1 of 2 measurements lie within the 90 % interval") != std::string::npos);
  CHECK(charts[0].bars[0].tone == Tone::good);
  CHECK(charts[0].bars[1].tone == Tone::caution);
  CHECK(charts[0].bars[1].low == 1.5);
  CHECK(charts[0].limits.front().value == 1);
  const auto tables = all<Table>(blocks);
  REQUIRE(tables.size() == 1);
  REQUIRE(tables[0].rows.size() == 2);
  for (const auto& row : tables[0].rows) CHECK(row.size() == tables[0].columns.size());
  // No case on this architecture: said, and not hidden.
  const auto notes = all<Note>(blocks);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].title == "Not validated on this GPU");
  CHECK(chart_spec(charts[0]).find("Predicted / measured speed") != std::string::npos);
}

TEST_CASE("a tornado says how much of the variance each input explains") {
  ResultDocument document;
  WorkloadResult workload;
  workload.title = "Net";
  workload.performance.time_to_train = Prediction{100, 50, 200, "s"};
  // ln(4) / 3.29 of a normal, ln(4) / sqrt(12) of a uniform distribution: variances 0.1776 and 0.1601.
  workload.sensitivity = {{"speed of kernels", "model", "", "", 50, 200},
                          {"epochs", "range", "", "", 50, 200}};
  document.workloads = {workload};
  const auto charts = all<BarChart>(sensitivity_section(document));
  REQUIRE(charts.size() == 1);
  CHECK(charts[0].data.rows[0].back().value == doctest::Approx(0.1776 / 0.3377).epsilon(0.001));
  CHECK(charts[0].data.rows[1].back().value == doctest::Approx(0.1601 / 0.3377).epsilon(0.001));
}

TEST_CASE("the box says how likely the deadline is met") {
  ResultDocument document;
  document.deadline_s = 100;
  document.answer.feasible = true;
  document.answer.nodes = 2;
  document.answer.deadline_probability = 0.95;
  const auto boxes = all<Headline>(decision_section(document));
  REQUIRE(!boxes.empty());
  CHECK(boxes.back().title.find("95 % odds of meeting the deadline of 100 s") != std::string::npos);
}
