/// A fleet's data in time: how storage fills, each retraining, and how much data a target error needs.
#include <fmt/format.h>

#include <algorithm>

#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast::reports {
namespace {

constexpr std::size_t most_points = 13;  ///< of the table; the result document has every point

Table growth_table(const DataGrowth& growth) {
  Table table;
  table.caption = "What has been recorded, lies on storage, and can be trained on";
  table.columns = {{"Day", Align::right},
                   {"Recorded", Align::right},
                   {"On storage", Align::right},
                   {"Usable", Align::right}};
  const std::size_t n = growth.series.size(), step = (n + most_points - 1) / most_points;
  for (std::size_t i = 0; i < n; ++i) {
    if ((n - 1 - i) % step != 0) {
      continue;
    }
    const auto& p = growth.series[i];
    Cell stored = bytes_cell(p.stored_bytes);
    if (growth.capacity_bytes && p.stored_bytes.value_or(0) > *growth.capacity_bytes) {
      stored.tone = Tone::bad;
    }
    table.rows.push_back(
        {number_cell(p.day, "1"), bytes_cell(p.recorded_bytes), stored, bytes_cell(p.usable_bytes)});
  }
  return table;
}

/// What storage holds over time, beside what it can hold.
Chart growth_chart(const DataGrowth& growth) {
  Chart chart;
  chart.caption = growth.full_day ? fmt::format("The storage is full on day {:.0f}", *growth.full_day)
                                  : std::string("What the fleet has recorded, day by day");
  chart.x = {"Time since the first recording", Axis::Kind::days};
  chart.y = {"Data", Axis::Kind::bytes};
  const auto add = [&](std::string name, std::optional<double> DataGrowth::Point::*what) {
    Chart::Line line{.name = std::move(name), .points = {}};
    for (const auto& p : growth.series) {
      if (const auto value = p.*what) {
        line.points.push_back({.x = p.day, .y = *value, .low = *value, .high = *value});
      }
    }
    if (line.points.empty()) {
      return;
    }
    // What has the same values all the time is one line under both names.
    const auto same = std::ranges::find_if(chart.lines, [&line](const Chart::Line& other) {
      return std::ranges::equal(other.points, line.points, {}, &Chart::Point::y, &Chart::Point::y);
    });
    if (same != chart.lines.end()) {
      same->name += ", " + line.name;
    } else {
      chart.lines.push_back(std::move(line));
    }
  };
  add("On storage", &DataGrowth::Point::stored_bytes);
  add("Recorded", &DataGrowth::Point::recorded_bytes);
  add("Usable", &DataGrowth::Point::usable_bytes);
  if (growth.capacity_bytes && !growth.series.empty()) {
    Chart::Line limit{.name = "Capacity of the storage", .points = {}, .dashed = true};
    for (const double day : {growth.series.front().day, growth.series.back().day}) {
      limit.points.push_back({.x = day,
                              .y = *growth.capacity_bytes,
                              .low = *growth.capacity_bytes,
                              .high = *growth.capacity_bytes});
    }
    chart.lines.push_back(std::move(limit));
  }
  chart.data = growth_table(growth);
  chart.about_interval = "Exact, without an interval: it follows from what the scenario states of the fleet.";
  return chart;
}

Table retraining_table(const DataGrowth& growth) {
  Table table;
  table.caption = "Each retraining on the chosen cluster";
  table.columns = {
      {"Day", Align::right}, {"Samples", Align::right}, {"Takes", Align::right}, {"Before the next"}};
  for (const auto& r : growth.retraining) {
    Cell done = text_cell(r.in_time ? "yes" : "no");
    done.tone = r.in_time ? Tone::good : Tone::bad;
    table.rows.push_back({number_cell(r.day, "1"), number_cell(r.samples, "1"),
                          Cell{duration_text(r.time_to_train_s), r.time_to_train_s, "s"}, done});
  }
  return table;
}

std::string full_sentence(const DataGrowth& growth) {
  if (!growth.capacity_bytes) {
    return "The capacity of the storage is not known.";
  }
  const std::string holds = "The storage holds " + to_text(Bytes{*growth.capacity_bytes});
  if (growth.full_day) {
    return fmt::format("{} and is full on day {:.0f}.", holds, *growth.full_day);
  }
  return holds + " and is not full while the fleet records.";
}

std::string learning_sentence(const LearningNeed& need) {
  std::string text = fmt::format("An error of {} needs {} samples",
                                 number_text(need.target_error.value_or(0)), number_text(need.samples));
  if (need.low) {
    text +=
        need.high
            ? fmt::format(" (90 % interval {} to {})", number_text(*need.low), number_text(*need.high))
            : fmt::format(" (at least {}; the points do not bound it from above)", number_text(*need.low));
  }
  if (need.a && need.b && need.c) {
    text += fmt::format(": error = {} x samples^-{} + {}", number_text(*need.a), number_text(*need.b),
                        number_text(*need.c));
  }
  text += ".";
  if (need.times_largest_point.value_or(1) > 10) {
    text += fmt::format(" That is {} times the largest measured set: an extrapolation.",
                        number_text(*need.times_largest_point));
  }
  return text;
}

}  // namespace

Blocks data_growth_section(const ResultDocument& document) {
  Blocks blocks;
  if (document.learning) {
    blocks.push_back({Paragraph{learning_sentence(*document.learning)}});
  }
  if (!document.growth) {
    return blocks;
  }
  const DataGrowth& growth = *document.growth;
  blocks.push_back({Paragraph{full_sentence(growth)}, Audience::document});
  if (growth.date_day) {
    blocks.push_back({Paragraph{fmt::format("Trained is what is usable on day {:.0f}.", *growth.date_day)},
                      Audience::document});
  }
  if (!growth.series.empty()) {
    blocks.push_back({growth_chart(growth), Audience::document});
  }
  if (!growth.retraining.empty()) {
    blocks.push_back({retraining_table(growth)});
  }
  return blocks;
}

}  // namespace rackcast::reports
