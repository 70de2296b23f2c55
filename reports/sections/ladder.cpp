/// The requirement ladder: data, samples, steps, GPU time, nodes. On the terminal the workloads stand side by
/// side; a document shows each with how every rung follows.
#include <algorithm>
#include <optional>

#include "reports/format.hpp"
#include "reports/sections/sections.hpp"

namespace rackcast::reports {
namespace {

constexpr std::size_t side_by_side = 3;  ///< more workloads than this do not fit a terminal

Cell rung_cell(const LadderRung& rung) {
  return {.text = rung.text, .value = rung.value, .unit = rung.unit};
}

Table detailed(const WorkloadResult& workload) {
  Table table;
  table.caption = workload.title + ": from data to nodes";
  table.columns = {{"Quantity"}, {"Value", Align::right}, {"How"}};
  for (const LadderRung& rung : workload.ladder) {
    table.rows.push_back({text_cell(rung.label), rung_cell(rung), text_cell(rung.how)});
  }
  return table;
}

/// One row per label, one column per workload; nothing if the ladders have different rungs.
std::optional<Table> compared(const std::vector<const WorkloadResult*>& workloads) {
  Table table;
  table.columns.push_back({""});
  for (const WorkloadResult* workload : workloads) {
    table.columns.push_back({workload->title, Align::right});
    if (!std::ranges::equal(workload->ladder, workloads.front()->ladder, {}, &LadderRung::label,
                            &LadderRung::label)) {
      return std::nullopt;
    }
  }
  for (std::size_t i = 0; i < workloads.front()->ladder.size(); ++i) {
    std::vector<Cell> row{text_cell(workloads.front()->ladder[i].label)};
    for (const WorkloadResult* workload : workloads) {
      row.push_back(rung_cell(workload->ladder[i]));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Blocks ladder_section(const ResultDocument& document) {
  std::vector<const WorkloadResult*> workloads;
  for (const WorkloadResult& workload : document.workloads) {
    if (!workload.ladder.empty()) {
      workloads.push_back(&workload);
    }
  }
  if (workloads.empty()) {
    return {};
  }
  Blocks blocks;
  const auto together =
      workloads.size() > 1 && workloads.size() <= side_by_side ? compared(workloads) : std::nullopt;
  if (together) {
    blocks.push_back({*together, Audience::terminal});
  }
  for (const WorkloadResult* workload : workloads) {
    if (!together && workloads.size() > 1) {
      blocks.push_back({Subheading{workload->title}, Audience::terminal});
    }
    blocks.push_back({detailed(*workload), together ? Audience::document : Audience::everyone});
  }
  return blocks;
}

}  // namespace rackcast::reports
