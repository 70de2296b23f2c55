// What the charts of the sections say, from results written by hand.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "reports/block.hpp"
#include "reports/chart_spec.hpp"
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
