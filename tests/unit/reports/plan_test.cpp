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
#include "tests/render_document.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

/// The headline of a `size` that ends after so many events.
struct Limited {
  reports::ResultDocument document;
  reports::Headline box;
};
Limited limited(const std::string& scenario, int events) {
  const RunControl control = read_limits({"events=" + std::to_string(events)});
  const Scenario asked = load_scenario(RACKCAST_SOURCE_DIR "/scenarios/" + scenario + ".json", {});
  auto found = reports::load_result(checked_json_text(size(asked, Catalog::builtin(), control)), "result");
  auto box = std::get<reports::Headline>(reports::decision_section(found).front().body);
  return {std::move(found), std::move(box)};
}

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
  CHECK(page.find("If a limit were 10 % looser") != std::string::npos);
}

TEST_CASE("an infeasible question shows its smallest conflict") {
  const auto result = document({"site.prices.budget=900000 USD"});
  CHECK_FALSE(result.answer.feasible);
  REQUIRE(result.plan->conflict_set.size() == 2);
  const std::string page = reports::render_markdown(result);
  CHECK(page.find("smallest set of limits that conflict") != std::string::npos);
  CHECK(reports::render_text(result, {}).find("No configuration within the limits") != std::string::npos);
}

TEST_CASE("issue 23, item 37: the headline of a run that a limit ended says so, and names things by title") {
  const Limited none = limited("storage_bound_site", 20);
  CHECK(none.box.title == "Not finished");
  CHECK(none.box.lead == "A limit ended the simulation of ResNet-50. No step was over.");
  CHECK(none.box.facts.empty());
  const Limited some = limited("storage_bound_site", 2000);
  CHECK(some.box.title == "Not finished");
  CHECK(some.box.lead.find("ResNet-50. Known by then: 1 node takes ") != std::string::npos);
  CHECK(some.box.lead.find("; 2 nodes take ") != std::string::npos);
}

TEST_CASE("issue 23, item 37: an answer whose smaller size nobody has asked about claims no proof") {
  int unproven = 0;
  for (int events = 250; events <= 16000; events += 250) {
    const Limited found = limited("power_limited_site", events);
    const reports::Answer& answer = found.document.answer;
    if (!answer.feasible || found.document.plan.value().smaller) continue;
    CAPTURE(events);
    REQUIRE(answer.nodes.value() > 1);
    ++unproven;
    CHECK(answer.binding_constraint == "limit");
    CHECK_FALSE(answer.why_not_fewer.has_value());
    CHECK(found.box.title.find("NVIDIA DGX A100") != std::string::npos);
  }
  CHECK(unproven > 0);
}
