// The section about the search, from a document as `size` writes it.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <variant>

#include "reports/charts/chart_spec.hpp"
#include "reports/pages/report.hpp"
#include "reports/sections/sections.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/result/result.hpp"
#include "tests/document_faults.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

reports::ResultDocument document(const std::vector<std::string>& sets) {
  const Scenario scenario =
      load_scenario(std::string{RACKCAST_SOURCE_DIR} + "/scenarios/fleet_alternatives.json", sets);
  return reports::load_result(checked_json_text(size(scenario, Catalog::builtin())), "result");
}

template <class Body>
std::vector<Body> bodies(const reports::Blocks& blocks) {
  std::vector<Body> out;
  for (const auto& block : blocks)
    if (const auto* body = std::get_if<Body>(&block.body)) out.push_back(*body);
  return out;
}

}  // namespace

TEST_CASE("the search's section has the front as a chart with its table, and what limits are worth") {
  const auto result = document({});
  REQUIRE(result.plan.has_value());
  const auto blocks = reports::plan_section(result);
  const auto charts = bodies<reports::Chart>(blocks);
  REQUIRE(charts.size() == 1);
  CHECK(charts[0].data.rows.size() == result.plan->front.size());
  std::size_t points = 0;
  for (const auto& line : charts[0].lines) {
    CHECK(std::ranges::is_sorted(line.points, {}, &reports::Chart::Point::x));
    if (!line.dashed) points += line.points.size();
  }
  CHECK(points == result.plan->front.size());
  for (const auto& line : charts[0].lines)
    for (const auto& point : line.points)
      CHECK((line.dashed || (point.low < point.y && point.y < point.high)));
  CHECK(charts[0].data.rows[0][3].text.find(" to ") != std::string::npos);
  CHECK_FALSE(reports::chart_spec(charts[0]).empty());
  CHECK(charts[0].marked_x == result.plan->chosen->total_usd);
  for (const auto& table : bodies<reports::Table>(blocks))
    for (const auto& row : table.rows) CHECK(row.size() == table.columns.size());
  const std::string page = reports::render_markdown(result);
  CHECK(page.find("Search and limits") != std::string::npos);
  CHECK(page.find("The best of every design") != std::string::npos);
  CHECK(page.find("What a tenth more of each limit is worth") != std::string::npos);
}

TEST_CASE("an infeasible question shows its smallest conflict") {
  const auto result = document({"site.prices.budget=900000 USD"});
  CHECK_FALSE(result.answer.feasible);
  REQUIRE(result.plan->conflict_set.size() == 2);
  const std::string page = reports::render_markdown(result);
  CHECK(page.find("smallest set of limits that conflict") != std::string::npos);
  CHECK(reports::render_text(result, {}).find("No configuration within the limits") != std::string::npos);
}
