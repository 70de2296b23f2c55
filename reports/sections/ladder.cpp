/// The requirement ladder: data, samples, steps, GPU time, nodes. On the terminal the workloads stand side by
/// side; a document shows each with how every rung follows.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"
#include "reports/sentences/row_sentences.hpp"

namespace rackcast::reports {
namespace {

constexpr std::size_t side_by_side = 3;  ///< more workloads than this do not fit a terminal

Cell rung_cell(const LadderRung& rung) {
  return {.text = value_of(rung), .value = rung.value, .unit = rung.unit};
}

Table detailed(const WorkloadResult& workload) {
  Table table;
  table.caption = workload.title + ": from data to nodes";
  table.columns = {{"Quantity"}, {"Value", Align::right}, {"How"}};
  for (const LadderRung& rung : workload.ladder) {
    table.rows.push_back({text_cell(name_of(rung)), rung_cell(rung), text_cell(how_of(rung))});
  }
  return table;
}

/// One row per label, one column per workload; nothing if the ladders have different rungs.
std::optional<Table> compared(const std::vector<const WorkloadResult*>& workloads) {
  Table table;
  table.columns.push_back({""});
  for (const WorkloadResult* workload : workloads) {
    table.columns.push_back({workload->title, Align::right});
    if (!std::ranges::equal(
            workload->ladder, workloads.front()->ladder,
            [](const LadderRung& a, const LadderRung& b) { return name_of(a) == name_of(b); })) {
      return std::nullopt;
    }
  }
  for (std::size_t i = 0; i < workloads.front()->ladder.size(); ++i) {
    std::vector<Cell> row{text_cell(name_of(workloads.front()->ladder[i]))};
    for (const WorkloadResult* workload : workloads) {
      row.push_back(rung_cell(workload->ladder[i]));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// The last rungs as lengths of time: one GPU, perfect scaling to the chosen size, what the simulation says,
/// and the deadline. Nothing if the ladder does not say what one GPU takes.
std::optional<BarChart> time_chart(const WorkloadResult& workload, const ResultDocument& document) {
  const auto alone = std::ranges::find_if(
      workload.ladder, [](const LadderRung& r) { return r.what.code() == "time_on_one_gpu"; });
  const auto& time = workload.performance.time_to_train;
  const auto gpus = workload.answer.gpus;
  if (alone == workload.ladder.end() || alone->value <= 0 || !time || time->low <= 0 || !gpus || *gpus < 2) {
    return std::nullopt;
  }
  const auto bar = [](std::string label, double seconds, Tone tone) {
    return BarChart::Bar{.label = std::move(label),
                         .value = seconds,
                         .text = duration_text(seconds),
                         .low = {},
                         .high = {},
                         .tone = tone};
  };
  const double perfect = alone->value / static_cast<double>(*gpus);
  BarChart chart;
  chart.axis = {"Time to train", Axis::Kind::seconds, true};
  chart.bars = {bar("One GPU", alone->value, Tone::plain),
                bar(counted(*gpus, "GPU") + ", perfect scaling", perfect, Tone::plain),
                bar(counted(*gpus, "GPU") + ", simulated", time->value, Tone::good)};
  chart.bars.back().low = time->low;
  chart.bars.back().high = time->high;
  if (!document.premise.adds_up && document.deadline_s.value_or(0) > 0) {
    chart.limits.push_back({"deadline, " + duration_text(*document.deadline_s), *document.deadline_s});
  }
  chart.caption = fmt::format("{}: {} on one GPU become {} on {}", workload.title,
                              duration_text(alone->value), duration_text(time->value), counted(*gpus, "GPU"));
  return chart;
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
    if (auto chart = time_chart(*workload, document)) {
      blocks.push_back({std::move(*chart), Audience::document});
    }
  }
  return blocks;
}

}  // namespace rackcast::reports
