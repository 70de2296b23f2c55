/// How many nodes the deadline takes as the fleet's data grow.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast::reports {
namespace {

/// "13 (11 to 15)"; the long end may be out of reach.
Cell planned_cell(const DataGrowth::Planned& p) {
  if (!p.nodes) {
    Cell none = no_answer_cell();
    if (!p.limit.empty()) none.text += ": " + limit_title(p.limit);
    return none;
  }
  Cell cell = nodes_cell(p.nodes, p.spares);
  if (!p.low) return cell;
  if (!p.high) {
    cell.text += fmt::format(" ({} to out of reach)", count_text(*p.low));
    cell.low = static_cast<double>(*p.low);
    return cell;
  }
  return with_interval(std::move(cell), static_cast<double>(*p.low), static_cast<double>(*p.high),
                       [](double nodes) { return count_text(static_cast<std::int64_t>(nodes)); });
}

Table plan_table(const DataGrowth& growth) {
  Table table;
  table.caption = "If the fleet keeps recording";
  table.columns = {{"Recorded for", Align::right},
                   {"Samples", Align::right},
                   {"Data", Align::right},
                   {"Nodes", Align::right},
                   {"Storage systems", Align::right, 1}};
  for (const auto& p : growth.plan) {
    Cell nodes = planned_cell(p);
    nodes.tone = !p.nodes ? Tone::bad : p.asked ? Tone::good : Tone::plain;
    table.rows.push_back({Cell{duration_text(p.day * 86400), p.day * 86400, "s"}, number_cell(p.samples, "1"),
                          p.bytes > 0 ? Cell{to_text(Bytes{p.bytes}), p.bytes, "B"} : Cell{}, nodes,
                          number_cell(p.storage, "1")});
  }
  return table;
}

Chart plan_chart(const DataGrowth& growth) {
  Chart chart;
  chart.x = {"Recorded for", Axis::Kind::seconds};
  chart.y = {"Nodes for the deadline", Axis::Kind::count};
  chart.lines = {{"Nodes", {}}};
  const DataGrowth::Planned* last = nullptr;
  std::int64_t top = 0;  // where an end that is out of reach is drawn
  bool interval = false, unreached = false;
  for (const auto& p : growth.plan) top = std::max({top, p.nodes.value_or(0), p.high.value_or(0)});
  top += top / 4 + 1;
  for (const auto& p : growth.plan) {
    if (!p.nodes) continue;
    const auto nodes = static_cast<double>(*p.nodes);
    interval = interval || p.low;
    unreached = unreached || (p.low && !p.high);
    const auto low = static_cast<double>(p.low.value_or(*p.nodes)),
               high = static_cast<double>(p.high.value_or(p.low ? top : *p.nodes));
    chart.lines.front().points.push_back({p.day * 86400, nodes, std::min(low, nodes), std::max(high, nodes)});
    if (p.asked) {
      chart.marked_x = p.day * 86400;
      chart.marked_label = "as asked, " + counted(*p.nodes, "node");
    }
    last = &p;
  }
  chart.about_interval =
      !interval
          ? "Without an interval: this result was written without one."
          : std::string{"90 % interval: the nodes that are needed if times come out at either end of their interval"} +
                (unreached ? "; if no count in reach is enough then, the band ends at the top." : ".");
  if (last != nullptr) {
    chart.caption = fmt::format("After {} of recording the same deadline takes {}",
                                duration_text(last->day * 86400), counted(*last->nodes, "node"));
  }
  return chart;
}

}  // namespace

Blocks growth_plan_section(const ResultDocument& document) {
  if (!document.growth || document.growth->plan.size() < 2) return {};
  const DataGrowth& growth = *document.growth;
  Blocks blocks{
      {Paragraph{growth.retraining.empty()
                     ? "Every sample recorded so far is trained on within the same deadline. The fleet keeps "
                       "recording at the rate of the scenario, and storage grows with the data."
                     : "Each date is a retraining: the data that are usable by then are trained on within "
                       "the deadline and before the next retraining. After the last date, the fleet keeps "
                       "recording at the rate of the scenario, and storage grows with the data."},
       Audience::document}};
  Chart chart = plan_chart(growth);
  if (chart.lines.front().points.size() >= 2) {
    chart.data = plan_table(growth);
    blocks.push_back({std::move(chart), Audience::document});
  } else {
    blocks.push_back({plan_table(growth), Audience::document});
  }
  return blocks;
}

}  // namespace rackcast::reports
