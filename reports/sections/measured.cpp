/// What the owner of the scenario measured beside the model, and what it changed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <string>
#include <vector>

#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"

namespace rackcast::reports {
namespace {

constexpr double hardly = 5e-4;  ///< a change that reads as 0

std::string figure_text(const Measured& row, double value) {
  if (row.before.unit == "s") return duration_text(value);
  const bool tokens = row.metric.find("tokens") != std::string::npos;
  return fmt::format("{} {}/s", number_text(value), tokens ? "tokens" : "samples");
}

Cell figure_cell(const Measured& row, const Prediction& p) {
  Cell cell{.text = figure_text(row, p.value), .value = p.value, .unit = p.unit};
  cell.low = p.low;
  cell.high = p.high;
  return cell;
}

/// "±12 %": half the width of the 90 % interval.
std::string width_text(const Prediction& p) {
  return p.low > 0 ? "±" + percent_text(std::sqrt(p.high / p.low) - 1) : "";
}

std::string figure_and_width(const Measured& row, const Prediction& p) {
  return figure_text(row, p.value) + " " + width_text(p);
}

std::string change_text(double change) {
  if (std::abs(change) < hardly) return "0 %";
  return (change < 0 ? "-" : "+") + percent_text(std::abs(change));
}

/// "resnet50, 1 GPU, batch 64, fp32".
std::string run_text(const Measured& row) {
  std::string text = row.workload + ", " + counted(row.gpus, "GPU");
  if (row.nodes > 1) text += fmt::format(" in {}", counted(row.nodes, "node"));
  if (row.requests) text += fmt::format(", {} requests in flight", number_text(*row.requests));
  if (row.batch_per_gpu) text += fmt::format(", batch {}", number_text(*row.batch_per_gpu));
  if (row.metric == "time_to_first_token") text += ", to the first token";
  if (row.metric == "time_per_output_token") text += ", per output token";
  return text + ", " + row.precision;
}

/// Percentage by which the measurement is above (or below) what was predicted before.
std::string gap_text(const Measured& row) {
  return fmt::format("{} {}", percent_text(std::abs(row.measured / row.before.value - 1)),
                     row.measured < row.before.value ? "below" : "above");
}

Table measured_table(const ResultDocument& document) {
  Table table;
  table.caption = "What you measured, and what it changed";
  table.columns = {
      {"Run"},
      {"Measured", Align::right},
      {"Predicted before", Align::right},
      {"Predicted after", Align::right},
      {document.serving ? "Moves the load of a node by" : "Moves the answer's time by", Align::right},
      {"Agrees with the model"}};
  for (const Measured& row : document.measured) {
    Cell measured{.text = figure_text(row, row.measured), .value = row.measured, .unit = row.before.unit};
    Cell before = figure_cell(row, row.before), after = figure_cell(row, row.after);
    before.text = figure_and_width(row, row.before);
    after.text = figure_and_width(row, row.after);
    Cell moved;
    if (row.moved) moved = {.text = change_text(*row.moved), .value = row.moved, .unit = "1"};
    Cell verdict = text_cell(std::string{row.contradicts ? "no" : "yes"} +
                             (row.conflicts.empty() ? "" : "; conflicts with another row"));
    verdict.tone = row.contradicts || !row.conflicts.empty() ? Tone::caution : Tone::plain;
    table.rows.push_back({text_cell(run_text(row)), measured, before, after, moved, verdict});
  }
  return table;
}

std::string contradiction_text(const Measured& row) {
  return fmt::format(
      "{}: measured {}, {} what the model predicted without it ({}). Fewer than 1 in 100 such runs differ so "
      "much. Check the batch, the precision, the software and the unit of the measurement; if they are "
      "right, "
      "trust predictions of other configurations less than their intervals say.",
      run_text(row), figure_text(row, row.measured), gap_text(row), figure_and_width(row, row.before));
}

std::string conflict_text(const ResultDocument& document, std::size_t at) {
  const Measured& row = document.measured[at];
  return fmt::format(
      "{}: row {} says {}, and row {} says otherwise. They differ by more than their spreads explain. The "
      "predictions take a mean of them. Give the rows a wider \"spread\", or remove the wrong one.",
      run_text(row), at + 1, figure_text(row, row.measured), fmt::join(row.conflicts, ", "));
}

}  // namespace

Blocks measured_section(const ResultDocument& document) {
  if (document.measured.empty()) return {};
  Blocks blocks;
  blocks.push_back(
      {Paragraph{fmt::format("All predictions take {} into account. ± is half of the 90 % interval.",
                             document.measured.size() == 1
                                 ? std::string{"your measurement"}
                                 : fmt::format("your {} measurements", document.measured.size()))},
       Audience::everyone});
  blocks.push_back({measured_table(document), Audience::everyone});
  for (std::size_t i = 0; i < document.measured.size(); ++i) {
    const Measured& row = document.measured[i];
    if (row.contradicts)
      blocks.push_back({Note{Tone::caution, "A measurement contradicts the model", contradiction_text(row)},
                        Audience::everyone});
    // Each pair once.
    const bool first = !row.conflicts.empty() && row.conflicts.front() > static_cast<std::int64_t>(i + 1);
    if (first)
      blocks.push_back({Note{Tone::caution, "Measurements contradict each other", conflict_text(document, i)},
                        Audience::everyone});
  }
  return blocks;
}

}  // namespace rackcast::reports
