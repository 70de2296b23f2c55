/// What the time to train is sensitive to: a tornado chart for each workload, or one for all workloads if
/// they run one after another.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"
#include "sim/base/normal.hpp"

namespace rackcast::reports {
namespace {

std::string ends_text(const Sensitivity& row) {
  return row.low_text.empty() ? row.input
                              : fmt::format("{} ({} to {})", row.input, row.low_text, row.high_text);
}

std::string change_text(double from, double to) {
  const double change = to / from - 1;
  if (std::abs(change) < 5e-4) return "0 %";
  return (change < 0 ? "-" : "+") + percent_text(std::abs(change));
}

/// Share of the variance of ln(time) that each input explains alone: the first-order Sobol index of a model
/// that is additive in ln(time), which independent factors on rates nearly are. A 90 % interval of the model
/// spans 2 x 1.645 standard deviations of a normal, a range of the scenario sqrt(12) of a uniform
/// distribution.
std::vector<double> variance_shares(const WorkloadResult& workload) {
  std::vector<double> shares;
  double sum = 0;
  for (const Sensitivity& row : workload.sensitivity) {
    const double deviations = row.kind == "range" ? std::sqrt(12.0) : 2 * half_of_90_percent;
    const double sigma = std::log(row.high_s / row.low_s) / deviations;
    shares.push_back(sigma * sigma);
    sum += shares.back();
  }
  for (double& share : shares) {
    share = sum > 0 ? share / sum : 0;
  }
  return shares;
}

Table swing_table(const WorkloadResult& workload, double middle) {
  Table table;
  table.caption = workload.title + ": time to train with one input at either end";
  table.columns = {{"Input"},
                   {"What it is"},
                   {"From"},
                   {"To"},
                   {"Time at the low end", Align::right},
                   {"Time at the high end", Align::right},
                   {"Change", Align::right},
                   {"Share of the variance", Align::right}};
  const std::vector<double> shares = variance_shares(workload);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const Sensitivity& row = workload.sensitivity[i];
    const auto [low, high] = std::minmax(row.low_s, row.high_s);
    table.rows.push_back(
        {text_cell(row.input),
         text_cell(row.kind == "range" ? "range of the scenario" : "90 % interval of the model"),
         text_cell(row.low_text), text_cell(row.high_text), Cell{duration_text(row.low_s), row.low_s, "s"},
         Cell{duration_text(row.high_s), row.high_s, "s"},
         text_cell(change_text(middle, low) + " to " + change_text(middle, high)), percent_cell(shares[i])});
  }
  return table;
}

BarChart tornado(const WorkloadResult& workload, const ResultDocument& document) {
  BarChart chart;
  const double middle = workload.performance.time_to_train->value;
  chart.middle = middle;
  chart.axis = {"Time to train", Axis::Kind::seconds};
  const std::vector<double> shares = variance_shares(workload);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const Sensitivity& row = workload.sensitivity[i];
    const double low = std::min({row.low_s, row.high_s, middle}),
                 high = std::max({row.low_s, row.high_s, middle});
    chart.bars.push_back({.label = ends_text(row),
                          .value = middle,
                          .text = fmt::format("{} to {}, {} of the variance", change_text(middle, low),
                                              change_text(middle, high), percent_text(shares[i])),
                          .low = low,
                          .high = high});
  }
  if (workload.answer.feasible && document.deadline_s) {
    chart.limits.push_back({"deadline", *document.deadline_s});
  }
  chart.caption = fmt::format("{}: the time of {} is most sensitive to {}", workload.title,
                              duration_text(middle), workload.sensitivity.front().input);
  chart.data = swing_table(workload, middle);
  return chart;
}

}  // namespace

Blocks sensitivity_section(const ResultDocument& document) {
  Blocks blocks;
  bool ranges = false;
  for (const WorkloadResult& workload : document.asked()) {
    const auto& time = workload.performance.time_to_train;
    if (workload.sensitivity.empty() || !time || time->value <= 0) continue;
    ranges = ranges ||
             std::ranges::any_of(workload.sensitivity, [](const auto& row) { return row.kind == "range"; });
    blocks.push_back({tornado(workload, document), Audience::document, !comes_first(document, workload)});
  }
  if (blocks.empty()) return {};
  blocks.insert(
      blocks.begin(),
      {Paragraph{
           std::string(
               "Each row moves one input to either end and keeps everything else as in the answer. The share "
               "of the variance is the first-order Sobol index; inputs are assumed to be independent. ") +
           (ranges
                ? "`rackcast uncertainty` varies all of them together, with total indices, and says how many "
                  "nodes meet the deadline with 90 % confidence."
                : "The scenario gives no ranges, so only the model's own uncertainty is drawn; "
                  "write \"epochs\": \"40..60\" to see what an input of yours does.")},
       Audience::document});
  return blocks;
}

}  // namespace rackcast::reports
