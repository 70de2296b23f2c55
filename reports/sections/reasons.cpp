/// Why this many and not fewer, what conflicts, and what would change the answer.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"
#include "reports/sentences/answer_sentences.hpp"

namespace rackcast::reports {
namespace {

Table conflict_table(const ResultDocument& document, const std::vector<Answer::Conflict>& conflicts) {
  Table table;
  const bool simulated = document.kind == ResultDocument::Kind::simulate;
  table.caption = simulated               ? "Limits that this cluster does not keep"
                  : conflicts.size() == 1 ? "The limit that cannot be met"
                                          : "Limits that cannot be met together";
  table.columns = {{"Limit"},
                   {"Allowed or asked", Align::right},
                   {simulated ? "Of this cluster" : "Best possible", Align::right},
                   {"Why"}};
  for (const auto& conflict : conflicts) {
    table.rows.push_back({text_cell(limit_title(conflict.constraint)), text_cell(conflict.required),
                          text_cell(conflict.best), text_cell(conflict_text(document, conflict))});
  }
  return table;
}

Table change_table(const ResultDocument& document, const Answer& answer) {
  Table table;
  table.caption = "What would change the answer";
  table.columns = {{"If this changes"}, {"To"}, {"Nodes", Align::right}, {"Then"}};
  for (const auto& change : answer.changes) {
    const Cell nodes = change.nodes ? count_cell(change.nodes) : no_answer_cell();
    table.rows.push_back({text_cell(change.input), text_cell(change.change), nodes,
                          text_cell(change_text(document, answer, change))});
  }
  return table;
}

/// The same for the terminal: "deadline, 28 days   4 nodes instead of 8".
KeyValues change_list(const ResultDocument& document, const Answer& answer) {
  KeyValues list;
  for (const auto& change : answer.changes) {
    const std::string nodes = change.nodes ? counted(*change.nodes, "node") : "no answer";
    const std::string text = change_text(document, answer, change);
    const bool goes_on = change.nodes && text.starts_with("instead of");
    const std::string why = text.empty() ? "" : (goes_on ? " " : ": ") + text;
    list.rows.push_back({change.input + ", " + change.change, nodes + why, {}});
  }
  return list;
}

void add_reasons(Blocks& blocks, const ResultDocument& document, const Answer& answer, Audience audience) {
  if (answer.why_not_fewer) {
    blocks.push_back({Paragraph{why_not_fewer_text(document, answer, *answer.why_not_fewer)}, audience});
  }
  if (!answer.conflicts.empty()) {
    blocks.push_back({conflict_table(document, answer.conflicts), audience});
  }
  if (!answer.changes.empty()) {
    if (audience == Audience::everyone) {
      blocks.push_back({Paragraph{"What would change the answer:"}, Audience::terminal});
      blocks.push_back({change_list(document, answer), Audience::terminal});
    }
    blocks.push_back({change_table(document, answer), Audience::document});
  }
}

Table workload_table(const ResultDocument& document) {
  Table table;
  const bool adds_up = document.premise.adds_up;
  table.caption = adds_up ? "Each workload, and all one after another" : "Each workload on its own";
  table.columns = {{"Workload"},
                   {"Nodes", Align::right},
                   {"GPUs", Align::right, 2},
                   {"Time to train", Align::right},
                   {"Samples/s", Align::right, 3},
                   {"Efficiency", Align::right, 4},
                   {"Binds", Align::left, 1}};
  for (const WorkloadResult& workload : document.workloads) {
    const Answer& answer = workload.answer;
    // Without an answer the row is about the cluster that comes nearest.
    Cell nodes = answer.nodes ? nodes_cell(answer.nodes, answer.spares) : no_answer_cell();
    nodes.tone = answer.feasible ? Tone::plain : Tone::bad;
    Cell rate, efficiency;
    if (const auto& p = workload.performance.samples_per_s) {
      rate = number_cell(p->value, "1/s");
    }
    if (const auto& p = workload.performance.scaling_efficiency) {
      efficiency = percent_cell(p->value);
    }
    // What binds is the sum, so it stands in the last row.
    table.rows.push_back({text_cell(workload.title), nodes, count_cell(answer.gpus),
                          prediction_cell(workload.performance.time_to_train), rate, efficiency,
                          text_cell(adds_up ? "" : limit_title(answer.binding_constraint))});
  }
  if (adds_up) {
    const Answer& all = document.answer;
    const auto& kept = document.performance.scaling_efficiency;
    Cell nodes = all.nodes ? nodes_cell(all.nodes, all.spares) : no_answer_cell();
    nodes.tone = all.feasible ? Tone::plain : Tone::bad;
    table.rows.push_back({text_cell("All, one after another"),
                          nodes,
                          count_cell(all.gpus),
                          prediction_cell(document.performance.time_to_train),
                          {},
                          kept ? percent_cell(kept->value) : Cell{},
                          text_cell(limit_title(all.binding_constraint))});
  }
  return table;
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
  if (document.answer.feasible) {
    if (const std::string text = answer_text(document); !text.empty()) blocks.push_back({Paragraph{text}});
  }
  if (document.workloads.size() > 1) blocks.push_back({workload_table(document)});
  add_reasons(blocks, document, document.answer, Audience::everyone);
  if (document.workloads.size() < 2 || document.premise.adds_up) {
    return blocks;
  }
  for (const WorkloadResult& workload : document.workloads) {
    if (same_changes(workload.answer, document.answer)) continue;
    Blocks own;
    if (const std::string text = workload_text(document, workload); !text.empty()) {
      own.push_back({Paragraph{text}, Audience::document});
    }
    add_reasons(own, document, workload.answer, Audience::document);
    if (!own.empty()) {
      own.insert(own.begin(), {Subheading{workload.title + " on its own"}, Audience::document});
      for (Block& block : own) block.detail = true;
      std::ranges::move(own, std::back_inserter(blocks));
    }
  }
  return blocks;
}

}  // namespace rackcast::reports
