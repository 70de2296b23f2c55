/// The other node types under the same question, workload by workload.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"
#include "reports/sentences/decision_sentences.hpp"
#include "reports/sentences/reason_sentences.hpp"

namespace rackcast::reports {
namespace {

constexpr std::size_t side_by_side = 3;  ///< more workloads than this do not fit a terminal

/// "13 nodes", or "13 + 1 spare".
std::string size_text(std::int64_t nodes, std::int64_t spares) {
  return spares > 0 ? nodes_text(nodes, spares) : counted(nodes, "node");
}

/// "13 nodes, 15.2 days" or "no answer: network".
std::string short_outcome(const Alternative& alternative) {
  if (!alternative.feasible || !alternative.nodes) {
    return "no answer" +
           (alternative.binding_constraint.empty() ? "" : ": " + limit_title(alternative.binding_constraint));
  }
  const std::string time =
      alternative.time_to_train ? ", " + duration_text(alternative.time_to_train->value) : "";
  return size_text(*alternative.nodes, alternative.spares) + time;
}

std::vector<Cell> alternative_row(const WorkloadResult& workload, const Alternative& alternative,
                                  bool chosen) {
  Cell title = text_cell(alternative.title + (chosen ? " (chosen)" : ""));
  Cell nodes = alternative.feasible ? nodes_cell(alternative.nodes, alternative.spares) : no_answer_cell();
  nodes.tone = alternative.feasible ? (chosen ? Tone::good : Tone::plain) : Tone::bad;
  return {text_cell(workload.title),
          title,
          nodes,
          count_cell(alternative.gpus),
          prediction_cell(alternative.time_to_train),
          number_cell(alternative.power_kw, "kW"),
          number_cell(alternative.rack_units, "RU"),
          text_cell(limit_title(alternative.binding_constraint))};
}

/// One row per node type and one column per workload, for the terminal; nothing if the workloads were not
/// sized on the same node types or there are too many of them.
std::optional<Table> compared(const std::vector<WorkloadResult>& workloads) {
  if (workloads.size() < 2 || workloads.size() > side_by_side) {
    return std::nullopt;
  }
  Table table;
  table.columns = {{"Node type"}};
  for (const WorkloadResult& workload : workloads) {
    table.columns.push_back({workload.title, Align::right});
    if (!std::ranges::equal(workload.alternatives, workloads.front().alternatives, {}, &Alternative::title,
                            &Alternative::title)) {
      return std::nullopt;
    }
  }
  for (std::size_t i = 0; i < workloads.front().alternatives.size(); ++i) {
    std::vector<Cell> row{text_cell(workloads.front().alternatives[i].title)};
    for (const WorkloadResult& workload : workloads) {
      row.push_back(text_cell(short_outcome(workload.alternatives[i])));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Time to train of each node type at its smallest count within the limits, beside the deadline.
BarChart outcome_chart(const WorkloadResult& workload, const ResultDocument& document) {
  BarChart chart;
  chart.axis = {"Time to train", Axis::Kind::seconds};
  std::size_t feasible = 0;
  const Answer& answer = workload.answer;
  const bool listed = std::ranges::find(workload.alternatives, answer.node, &Alternative::node) !=
                      workload.alternatives.end();
  if (const auto& time = workload.performance.time_to_train;
      !listed && answer.feasible && answer.nodes && time) {
    chart.bars.push_back({.label = node_name(answer) + " (chosen)",
                          .value = time->value,
                          .text = size_text(*answer.nodes, answer.spares) + ", " + duration_text(time->value),
                          .low = time->low,
                          .high = time->high,
                          .tone = Tone::good});
  }
  for (const Alternative& alternative : workload.alternatives) {
    if (!alternative.feasible || !alternative.nodes || !alternative.time_to_train) {
      continue;
    }
    ++feasible;
    const bool chosen = !alternative.node.empty() && alternative.node == workload.answer.node;
    chart.bars.push_back({.label = alternative.title + (chosen ? " (chosen)" : ""),
                          .value = alternative.time_to_train->value,
                          .text = short_outcome(alternative),
                          .low = alternative.time_to_train->low,
                          .high = alternative.time_to_train->high,
                          .tone = chosen ? Tone::good : Tone::plain});
  }
  if (document.deadline_s) {
    chart.limits.push_back({"deadline, " + duration_text(*document.deadline_s), *document.deadline_s});
  }
  chart.caption = fmt::format("{}: {} of {} {}node types meet the limits", workload.title, feasible,
                              workload.alternatives.size(), listed ? "" : "other ");
  return chart;
}

}  // namespace

Blocks alternatives_section(const ResultDocument& document) {
  Table table;
  table.caption = "Node types that were sized for the same question";
  table.columns = {{"Workload"},
                   {"Node type"},
                   {"Nodes", Align::right},
                   {"GPUs", Align::right, 2},
                   {"Time to train", Align::right},
                   {"kW, nodes alone", Align::right, 3},
                   {"RU, nodes alone", Align::right, 4},
                   {"Binds", Align::left, 1}};
  List remarks;
  const std::vector<WorkloadResult> asked = document.asked();
  for (const WorkloadResult& workload : asked) {
    for (const Alternative& alternative : workload.alternatives) {
      const bool chosen =
          alternative.feasible && !alternative.node.empty() && alternative.node == workload.answer.node;
      table.rows.push_back(alternative_row(workload, alternative, chosen));
      if (!alternative.feasible && alternative.why) {
        remarks.items.push_back(workload.title + ", " + alternative.title + ": " + why_text(alternative.why));
      }
    }
  }
  if (table.rows.empty()) {
    return {};
  }
  Blocks blocks;
  const auto together = compared(asked);
  if (together) {
    blocks.push_back({*together, Audience::terminal});
  }
  for (const WorkloadResult& workload : asked) {
    if (workload.alternatives.empty()) {
      continue;
    }
    if (BarChart chart = outcome_chart(workload, document); !chart.bars.empty()) {
      blocks.push_back({std::move(chart), Audience::document, !comes_first(document, workload)});
    }
  }
  blocks.push_back({table, together ? Audience::document : Audience::everyone, together.has_value()});
  if (!remarks.items.empty()) {
    blocks.push_back({remarks, Audience::document});
  }
  return blocks;
}

}  // namespace rackcast::reports
