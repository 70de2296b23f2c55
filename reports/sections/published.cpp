/// Predicted beside published times, and how far the simulated scaling departs from the perfect scaling that
/// published tables often assume.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"

namespace rackcast::reports {
namespace {

/// By how much the simulated run takes longer than perfect scaling would.
std::optional<double> shortfall(const PublishedComparison& row) {
  if (!row.predicted || !row.perfect_s || *row.perfect_s <= 0) {
    return std::nullopt;
  }
  return row.predicted->value / *row.perfect_s - 1;
}

/// The row that departs most from perfect scaling, in one sentence; empty if no row says.
std::string departure_sentence(const WorkloadResult& workload) {
  const PublishedComparison* worst = nullptr;
  for (const auto& row : workload.published) {
    if (shortfall(row) && (worst == nullptr || *shortfall(row) > *shortfall(*worst))) {
      worst = &row;
    }
  }
  if (worst == nullptr || *shortfall(*worst) <= 0) {
    return {};
  }
  return fmt::format("{}, {}: {} longer than perfect scaling ({}).", workload.title, worst->label,
                     percent_text(*shortfall(*worst)), duration_text(*worst->perfect_s));
}

void add_rows(Table& table, const WorkloadResult& workload, bool with_perfect) {
  for (const PublishedComparison& row : workload.published) {
    Cell published =
        text_cell(row.published_text.empty() ? duration_text(row.published_s) : row.published_text);
    published.value = row.published_s;
    published.unit = "s";
    Cell ratio;
    if (row.ratio) {
      ratio = {.text = number_text(*row.ratio), .value = row.ratio, .unit = "1"};
    }
    table.rows.push_back(
        {text_cell(workload.title), text_cell(row.label), published, prediction_cell(row.predicted), ratio});
    if (with_perfect) {
      Cell perfect, longer = percent_cell(shortfall(row));
      if (row.perfect_s) {
        perfect = {.text = duration_text(*row.perfect_s), .value = row.perfect_s, .unit = "s"};
      }
      longer.text.insert(0, longer.value.value_or(0) > 0 ? "+" : "");
      table.rows.back().insert(table.rows.back().end(), {perfect, longer});
    }
  }
}

/// The terminal has no room for perfect scaling in columns; it gets a sentence.
Table comparison(const ResultDocument& document, bool with_perfect) {
  Table table;
  table.caption = "Predicted beside published time to train";
  table.columns = {{"Workload"},
                   {"Configuration"},
                   {"Published", Align::right},
                   {"Predicted", Align::right},
                   {"Predicted / published", Align::right}};
  if (with_perfect) {
    table.columns.insert(table.columns.end(),
                         {{"With perfect scaling", Align::right}, {"Predicted over perfect", Align::right}});
  } else {
    table.columns.back().title = "Ratio";
  }
  for (const WorkloadResult& workload : document.workloads) {
    add_rows(table, workload, with_perfect);
  }
  return table;
}

/// Predicted over published, with the interval; on the diagonal they agree.
std::optional<Chart> comparison_chart(const ResultDocument& document) {
  Chart chart;
  chart.x = {"Published time to train", Axis::Kind::seconds, true};
  chart.y = {"Predicted", Axis::Kind::seconds, true};
  double low = std::numeric_limits<double>::infinity(), high = 0;
  std::size_t drawn = 0, held = 0;
  for (const WorkloadResult& workload : document.workloads) {
    Chart::Line line{.name = workload.title, .points = {}, .dashed = false, .scattered = true};
    for (const PublishedComparison& row : workload.published) {
      if (!row.predicted || row.predicted->low <= 0 || row.published_s <= 0) {
        continue;
      }
      line.points.push_back({row.published_s, row.predicted->value, row.predicted->low, row.predicted->high,
                             workload.title + ", " + row.label});
      ++drawn;
      if (row.predicted->low <= row.published_s && row.published_s <= row.predicted->high) ++held;
      low = std::min({low, row.published_s, row.predicted->low});
      high = std::max({high, row.published_s, row.predicted->high});
    }
    if (!line.points.empty()) {
      chart.lines.push_back(std::move(line));
    }
  }
  if (chart.lines.empty()) {
    return std::nullopt;
  }
  chart.lines.push_back(
      {.name = "Equal", .points = {{low, low, low, low}, {high, high, high, high}}, .dashed = true});
  chart.caption =
      fmt::format("{} of {} published times lie within the 90 % interval of the prediction", held, drawn);
  return chart;
}

/// Rows whose run took another global batch than the one predicted: their times do not compare.
List other_batches(const ResultDocument& document) {
  List list;
  for (const WorkloadResult& workload : document.workloads) {
    for (const PublishedComparison& row : workload.published) {
      if (!row.global_batch || !row.published_global_batch) continue;
      if (std::abs(*row.global_batch / *row.published_global_batch - 1) < 1e-6) continue;
      list.items.push_back(fmt::format(
          "{}, {}: the published run took {} samples in a step, the prediction takes {}: the times are of "
          "different trainings.",
          workload.title, row.label, count_text(std::llround(*row.published_global_batch)),
          count_text(std::llround(*row.global_batch))));
    }
  }
  return list;
}

/// Each source and note once, in order of appearance.
List remarks(const ResultDocument& document) {
  List list;
  std::set<std::string> seen;
  for (const WorkloadResult& workload : document.workloads) {
    for (const PublishedComparison& row : workload.published) {
      for (const std::string& text : {row.source.empty() ? "" : "Source: " + row.source, row.note}) {
        if (!text.empty() && seen.insert(text).second) {
          list.items.push_back(text);
        }
      }
    }
  }
  return list;
}

}  // namespace

Blocks published_section(const ResultDocument& document) {
  Table full = comparison(document, true);
  if (full.rows.empty()) {
    return {};
  }
  Blocks blocks{{comparison(document, false), Audience::terminal}};
  if (auto chart = comparison_chart(document)) {
    blocks.push_back({std::move(*chart), Audience::document});
  }
  blocks.push_back({std::move(full), Audience::document});
  for (const WorkloadResult& workload : document.workloads) {
    if (std::string sentence = departure_sentence(workload); !sentence.empty()) {
      blocks.push_back({Paragraph{std::move(sentence)}});
    }
  }
  if (List list = other_batches(document); !list.items.empty()) blocks.push_back({std::move(list)});
  const bool failures =
      std::ranges::any_of(document.workloads, [](const auto& w) { return w.reliability.has_value(); });
  if (failures)
    blocks.push_back(
        {Paragraph{"Predictions in this table leave failures and checkpoints out, as published "
                   "times do; those of the answer count them."}});
  if (List list = remarks(document); !list.items.empty()) {
    blocks.push_back({std::move(list), Audience::document});
  }
  return blocks;
}

}  // namespace rackcast::reports
