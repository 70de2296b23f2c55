/// Odds against nodes and money: what each node more buys.
#include <fmt/format.h>

#include <algorithm>

#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"
#include "reports/sentences/answer_sentences.hpp"
#include "reports/sentences/decision_sentences.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast::reports {
namespace {

using Odds = Plan::Confident::Odds;

std::string broken_text(const Odds& point) {
  std::string out;
  for (const std::string& limit : point.breaks) out += (out.empty() ? "" : ", ") + limit_title(limit);
  return out;
}

Table odds_table(const std::vector<Odds>& curve, std::int64_t chosen) {
  Table table;
  table.caption = "Odds by number of nodes";
  table.columns = {{"Nodes", Align::right},
                   {"Odds", Align::right},
                   {"Purchase", Align::right},
                   {"Other limits that it breaks"}};
  for (const Odds& point : curve) {
    Cell nodes = nodes_cell(point.nodes, point.spares);
    if (point.nodes == chosen) nodes.tone = Tone::good;
    Cell money;
    if (point.capex_usd)
      money =
          sum_cell(Cell{.text = to_text(Money{*point.capex_usd}), .value = point.capex_usd, .unit = "USD"},
                   point.purchase_is_open);
    table.rows.push_back({std::move(nodes),
                          {.text = odds_text(point.probability), .value = point.probability, .unit = "1"},
                          std::move(money),
                          text_cell(point.breaks.empty() ? "none" : broken_text(point))});
  }
  return table;
}

/// Points of the curve at `x_of` each; those that break a limit of the site are a line of their own.
template <class XOf>
Chart odds_chart(const ResultDocument& document, const Plan::Confident& sure, Axis x, const XOf& x_of) {
  Chart chart;
  chart.x = std::move(x);
  chart.y = {document.serving ? "Odds of keeping the limits on time" : "Odds of meeting the deadline",
             Axis::Kind::percent};
  Chart::Line kept{.name = "Within all limits", .points = {}};
  Chart::Line broken{.name = "Breaks a limit of the site", .points = {}, .scattered = true};
  for (const Odds& point : sure.curve) {
    const double odds = point.probability;
    const std::string limits = broken_text(point);
    const std::string name = nodes_text(point.nodes, point.spares) + ", " + odds_text(odds) +
                             (limits.empty() ? "" : ", breaks " + limits);
    (limits.empty() ? kept : broken).points.push_back({x_of(point), odds, odds, odds, name});
  }
  const double first = x_of(sure.curve.front()), last = x_of(sure.curve.back());
  if (!kept.points.empty()) chart.lines.push_back(std::move(kept));
  if (!broken.points.empty()) chart.lines.push_back(std::move(broken));
  chart.lines.push_back(
      {.name = percent_text(sure.aim) + " odds",
       .points = {{first, sure.aim, sure.aim, sure.aim}, {last, sure.aim, sure.aim, sure.aim}},
       .dashed = true});
  return chart;
}

}  // namespace

Blocks odds_section(const ResultDocument& document) {
  if (!document.plan || !document.plan->chosen || !document.plan->confident) return {};
  const Plan::Confident& sure = *document.plan->confident;
  const std::vector<Odds>& curve = sure.curve;
  if (curve.size() < 2) return {};
  const std::int64_t chosen = document.plan->chosen->nodes;
  const bool money = std::ranges::all_of(
      curve, [](const Odds& point) { return point.capex_usd && !point.purchase_is_open; });
  const auto nodes_of = [](const Odds& point) {
    return static_cast<double>(point.nodes);
  };
  Chart chart = odds_chart(document, sure, {"Nodes", Axis::Kind::count}, nodes_of);
  chart.marked_x = static_cast<double>(chosen);
  chart.marked_label = "the answer";
  chart.caption = fmt::format("From {} to {} the odds grow from {} to {}",
                              counted(curve.front().nodes, "node"), counted(curve.back().nodes, "node"),
                              odds_text(curve.front().probability), odds_text(curve.back().probability));
  chart.about_interval = "Odds by the error of the model alone.";
  chart.data = odds_table(curve, chosen);
  Blocks blocks{{std::move(chart), Audience::document}};
  if (money && *curve.front().capex_usd < *curve.back().capex_usd) {
    Chart cost = odds_chart(document, sure, {"Purchase", Axis::Kind::money},
                            [](const Odds& point) { return *point.capex_usd; });
    const auto at = std::ranges::find(curve, chosen, &Odds::nodes);
    if (at != curve.end()) {
      cost.marked_x = *at->capex_usd;
      cost.marked_label = "the answer";
    }
    cost.caption = fmt::format("{} buy odds of {}, {} odds of {}", to_text(Money{*curve.front().capex_usd}),
                               odds_text(curve.front().probability), to_text(Money{*curve.back().capex_usd}),
                               odds_text(curve.back().probability));
    blocks.push_back({std::move(cost), Audience::document});
  }
  return blocks;
}

}  // namespace rackcast::reports
