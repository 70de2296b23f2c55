/// Reliability and goodput: how often the job stops, what that costs, spares and the checkpoint interval.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"
#include "reports/sentences/run_sentences.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast::reports {
namespace {

/// How many spares, and how that number came about: 95 % is a target, not a result.
std::string spares_text(const Reliability& r) {
  const std::string mean = fmt::format("{:.2g} nodes are in repair on average", r.nodes_in_repair);
  if (!r.spares_given)
    return fmt::format("{}, the fewest with which the job has all its nodes at least 95 % of the time; {}",
                       count_text(r.spares), mean);
  return fmt::format(
      "{}, given by the scenario; {} would keep the job complete at least 95 % of the time; {}",
      count_text(r.spares), count_text(r.spares_for_95), mean);
}

std::string interval_text(const Prediction& p) {
  return fmt::format("{} ({} to {})", number_text(p.value), number_text(p.low), number_text(p.high));
}

KeyValues facts(const Reliability& r) {
  KeyValues out;
  const auto add = [&out](const char* label, std::string value) {
    out.rows.push_back({label, std::move(value), {}});
  };
  add("Goodput", prediction_text(r.goodput) + " of the elapsed time is training that is kept");
  add("Job fails every", fmt::format("{}; {}, each every {}", prediction_text(r.job_mttf),
                                     counted(r.nodes, "node"), duration_text(r.node_mtbf_s)));
  add("Interruptions", interval_text(r.interruptions) + " in the whole training");
  std::string cost =
      r.stall_s > 0 ? "training stands still for " + duration_text(r.stall_s) : "training goes on meanwhile";
  if (r.checkpoint_bytes > 0) {
    cost = to_text(Bytes{r.checkpoint_bytes}) + " written in " + duration_text(r.write_s) + ", " + cost;
  }
  add("Checkpoint every", duration_text(r.interval_s) + ", " + r.interval_rule + "; " + cost);
  add("After a failure",
      fmt::format("{}: {} to notice, {} to restart, {} to read the state and warm up",
                  duration_text(r.detection_s + r.restart_s + r.restored_s), duration_text(r.detection_s),
                  duration_text(r.restart_s), duration_text(r.restored_s)));
  add("Spare nodes", spares_text(r));
  return out;
}

StackedBar shares(const std::string& title, const Reliability& r) {
  StackedBar bar;
  bar.caption = title + ": where the elapsed time goes";
  bar.total_text = percent_text(r.goodput.value) + " useful";
  for (const auto& share : r.shares) {
    bar.parts.push_back({share.name, share.fraction, percent_text(share.fraction)});
  }
  return bar;
}

constexpr double seconds_in_year = 365.25 * 86400, month = seconds_in_year / 12;

/// The time that training does not keep, by checkpoint interval: too often costs saves, too rarely work that
/// is done again.
std::optional<Chart> interval_chart(const std::string& title, const Reliability& r) {
  if (r.by_interval.size() < 2) return std::nullopt;
  Chart chart;
  chart.x = {"Training between checkpoints", Axis::Kind::seconds, true};
  chart.y = {"Elapsed time that is lost", Axis::Kind::percent};
  chart.caption =
      fmt::format("{}: with a checkpoint every {} ({}), {} of the time is lost", title,
                  duration_text(r.interval_s), r.interval_rule, percent_text(1 - r.goodput.value));
  chart.data.caption = "Goodput by checkpoint interval";
  chart.data.columns = {
      {"Checkpoint every", Align::right}, {"Goodput", Align::right}, {"Lost", Align::right}};
  chart.lines = {{"Lost, 90 % interval of the failure rate", {}}};
  for (const auto& p : r.by_interval) {
    chart.lines.front().points.push_back(
        {p.interval_s, 1 - p.goodput.value, 1 - p.goodput.high, 1 - p.goodput.low});
    const bool planned = std::abs(p.interval_s / r.interval_s - 1) < 1e-9;
    if (planned) chart.marked_x = p.interval_s;
    Cell every{duration_text(p.interval_s), p.interval_s, "s"};
    every.tone = planned ? Tone::good : Tone::plain;
    chart.data.rows.push_back({every, prediction_cell(p.goodput), percent_cell(1 - p.goodput.value)});
  }
  chart.marked_label = "planned, " + duration_text(r.interval_s);
  return chart;
}

/// What stops the job and what is replaced, per month of training.
BarChart failure_chart(const Reliability& r) {
  BarChart chart;
  chart.axis = {"Per month", Axis::Kind::count};
  const auto times = [](double rate) {
    return fmt::format("{:.3g}", rate);
  };
  double parts = 0;
  for (const auto& c : r.components) {
    const double rate = c.per_node * static_cast<double>(r.nodes) * c.failures_per_year / 12;
    parts += rate;
    chart.bars.push_back(
        {.label = c.name + ", replaced", .value = rate, .text = times(rate), .low = {}, .high = {}});
  }
  std::ranges::stable_sort(chart.bars, std::ranges::greater{}, &BarChart::Bar::value);
  if (r.job_mttf.low > 0) {
    const double stops = month / r.job_mttf.value;
    chart.bars.insert(chart.bars.begin(), {.label = "The job is interrupted",
                                           .value = stops,
                                           .text = times(stops),
                                           .low = month / r.job_mttf.high,
                                           .high = month / r.job_mttf.low,
                                           .tone = Tone::caution});
    chart.caption = fmt::format("On {}: {:.3g} interruptions a month; {:.3g} parts are replaced",
                                counted(r.nodes, "node"), stops, parts);
  }
  return chart;
}

Table components(const Reliability& r) {
  Table table;
  table.caption = "Replacements of parts, which take a node away for " + duration_text(r.repair_s);
  table.columns = {{"Component"},
                   {"In a node", Align::right},
                   {"Each, per year", Align::right},
                   {"MTBF of one", Align::right},
                   {"Confidence"},
                   {"Source"}};
  for (const auto& c : r.components) {
    const double mtbf = c.failures_per_year > 0 ? seconds_in_year / c.failures_per_year : 0;
    table.rows.push_back({text_cell(c.name), number_cell(c.per_node, "1"),
                          number_cell(c.failures_per_year, "1/year"), Cell{duration_text(mtbf), mtbf, "s"},
                          text_cell(c.confidence), text_cell(c.source)});
  }
  return table;
}

}  // namespace

Blocks reliability_section(const ResultDocument& document) {
  Blocks blocks;
  for (const WorkloadResult& w : document.workloads) {
    if (!w.reliability) {
      continue;
    }
    const Reliability& r = *w.reliability;
    blocks.push_back({Subheading{w.title}});
    blocks.push_back({Paragraph{reliability_text(r)}, Audience::document});
    blocks.push_back({facts(r)});
    blocks.push_back({shares(w.title, r), Audience::document});
    if (auto chart = interval_chart(w.title, r)) blocks.push_back({std::move(*chart), Audience::document});
    if (!r.components.empty()) {
      BarChart chart = failure_chart(r);
      chart.data = components(r);
      blocks.push_back({std::move(chart), Audience::document});
    }
  }
  return blocks;
}

}  // namespace rackcast::reports
