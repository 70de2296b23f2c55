/// Why this many and not fewer, what conflicts, and what would change the answer.
#include <fmt/format.h>

#include <algorithm>

#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"

namespace rackcast::reports {
namespace {

std::string why_not_fewer_text(const Answer::WhyNotFewer& why) {
  if (!why.statement.empty()) {
    return why.statement;
  }
  const std::string time = why.time_to_train ? ", taking " + prediction_text(*why.time_to_train) : "";
  return fmt::format("{} would miss the limit \"{}\"{}.", counted(why.nodes, "node"), why.fails, time);
}

Table conflict_table(const std::vector<Answer::Conflict>& conflicts) {
  Table table;
  table.caption = "Limits that cannot be met together";
  table.columns = {{"Limit"}, {"Allowed or asked", Align::right}, {"Best possible", Align::right}, {"Why"}};
  for (const auto& conflict : conflicts) {
    table.rows.push_back({text_cell(limit_title(conflict.constraint)), text_cell(conflict.required),
                          text_cell(conflict.best), text_cell(conflict.statement)});
  }
  return table;
}

Table change_table(const std::vector<Answer::Change>& changes) {
  Table table;
  table.caption = "What would change the answer";
  table.columns = {{"If this changes"}, {"To"}, {"Nodes", Align::right}, {"Then"}};
  for (const auto& change : changes) {
    const Cell nodes = change.nodes ? count_cell(change.nodes) : text_cell("none");
    table.rows.push_back(
        {text_cell(change.input), text_cell(change.change), nodes, text_cell(change.statement)});
  }
  return table;
}

/// The same for the terminal: "deadline, 28 days   4 nodes instead of 8".
KeyValues change_list(const std::vector<Answer::Change>& changes) {
  KeyValues list;
  for (const auto& change : changes) {
    const std::string nodes = change.nodes ? counted(*change.nodes, "node") : "no answer";
    const bool goes_on = change.nodes && change.statement.starts_with("instead of");
    const std::string why = change.statement.empty() ? "" : (goes_on ? " " : ": ") + change.statement;
    list.rows.push_back({change.input + ", " + change.change, nodes + why, {}});
  }
  return list;
}

void add_reasons(Blocks& blocks, const Answer& answer, Audience audience) {
  if (answer.why_not_fewer) {
    blocks.push_back({Paragraph{why_not_fewer_text(*answer.why_not_fewer)}, audience});
  }
  if (!answer.conflicts.empty()) {
    blocks.push_back({conflict_table(answer.conflicts), audience});
  }
  if (!answer.changes.empty()) {
    if (audience == Audience::everyone) {
      blocks.push_back({Paragraph{"What would change the answer:"}, Audience::terminal});
      blocks.push_back({change_list(answer.changes), Audience::terminal});
    }
    blocks.push_back({change_table(answer.changes), Audience::document});
  }
}

/// The workload decides for all of them, so its rows stand above already.
bool same_changes(const Answer& one, const Answer& whole) {
  return !one.changes.empty() && std::ranges::equal(one.changes, whole.changes, [](auto& a, auto& b) {
    return a.input == b.input && a.change == b.change && a.nodes == b.nodes;
  });
}

}  // namespace

Blocks reasons_section(const ResultDocument& document) {
  Blocks blocks;
  add_reasons(blocks, document.answer, Audience::everyone);
  if (document.workloads.size() < 2 || document.premise.adds_up) {
    return blocks;
  }
  for (const WorkloadResult& workload : document.workloads) {
    if (same_changes(workload.answer, document.answer)) continue;
    Blocks own;
    if (!workload.answer.statement.empty()) {
      own.push_back({Paragraph{workload.answer.statement}, Audience::document});
    }
    add_reasons(own, workload.answer, Audience::document);
    if (!own.empty()) {
      blocks.push_back({Subheading{workload.title + " on its own"}, Audience::document});
      blocks.insert(blocks.end(), own.begin(), own.end());
    }
  }
  return blocks;
}

}  // namespace rackcast::reports
