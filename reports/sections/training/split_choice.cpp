/// The split of a network over GPUs that was searched.
#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"
#include "reports/sentences/reason_sentences.hpp"
#include "reports/sentences/split_sentences.hpp"

namespace rackcast::reports {
namespace {

Cell step_cell(const std::optional<double>& seconds) {
  return seconds ? Cell{.text = duration_text(*seconds), .value = seconds, .unit = "s"} : Cell{};
}

/// A part of a step, as a share of it.
Cell share_cell(const std::optional<double>& part, const std::optional<double>& step) {
  return part && step && *step > 0 ? percent_cell(*part / *step) : Cell{};
}

std::string best_title(const WorkloadResult& workload) {
  return workload.title +
         (workload.split_search->fits ? ", the best splits" : ", the split that needs least memory");
}

Table best_table(const WorkloadResult& workload) {
  const SplitSearch& search = *workload.split_search;
  Table table;
  table.caption = best_title(workload);
  table.columns = {{"Split"},
                   {"Replicas", Align::right, 1},
                   {"Micro-batches", Align::right, 2},
                   {"Step", Align::right},
                   {"Memory per GPU", Align::right},
                   {"Pipeline bubble", Align::right},
                   {"Exchange, exposed", Align::right},
                   {"MFU", Align::right}};
  for (const SplitSearch::Split& s : search.best)
    table.rows.push_back({text_cell(s.text), count_cell(s.replicas), number_cell(s.micro_batches, "1"),
                          step_cell(s.step_s), bytes_cell(s.memory_bytes), share_cell(s.bubble_s, s.step_s),
                          share_cell(s.exposed_exchange_s, s.step_s), percent_cell(s.mfu)});
  return table;
}

}  // namespace

Blocks split_section(const ResultDocument& document) {
  Blocks blocks;
  for (const WorkloadResult& workload : document.workloads) {
    if (!workload.split_search) continue;
    const SplitSearch& search = *workload.split_search;
    blocks.push_back({best_table(workload), Audience::document});
    // A terminal has no room for the names of splits in a column.
    List best;
    for (const SplitSearch::Split& split : search.best) best.items.push_back(best_split_text(split));
    blocks.push_back({Paragraph{best_title(workload) + ":"}, Audience::terminal});
    blocks.push_back({std::move(best), Audience::terminal});
    if (search.why) blocks.push_back({Paragraph{reason_text(*search.why)}});
    if (!search.others.empty()) {
      List others;
      for (const SplitSearch::Other& other : search.others)
        others.items.push_back(other_split_text(search, other));
      blocks.push_back({Paragraph{"The best split with one value changed:"}});
      blocks.push_back({std::move(others)});
    }
    blocks.push_back({Paragraph{split_counts_text(search)}});
  }
  return blocks;
}

}  // namespace rackcast::reports
