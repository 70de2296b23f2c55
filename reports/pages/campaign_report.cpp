#include "reports/pages/campaign_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "reports/blocks/format.hpp"
#include "reports/blocks/readable.hpp"
#include "reports/pages/ask_again.hpp"
#include "reports/pages/campaign_cost.hpp"
#include "reports/pages/campaign_power.hpp"
#include "reports/sentences/reason_sentences.hpp"
#include "scenarios/document/campaign.hpp"
#include "scenarios/document/whole.hpp"
#include "sim/json/reader.hpp"

namespace rackcast::reports {
namespace {

using doc::Campaign, doc::CampaignStream;

constexpr double day = 86400;

Cell time_cell(const std::optional<double>& seconds) {
  return seconds ? Cell{.text = duration_text(*seconds), .value = seconds, .unit = "s"} : Cell{};
}

/// A time; with its interval where that is wanted and known.
Cell percentile_cell(const std::optional<double>& value, const std::optional<double>& low,
                     const std::optional<double>& high, bool interval) {
  if (!interval || !value || !low || !high) return time_cell(value);
  return with_interval(time_cell(value), low, high, duration_text);
}

/// What the intervals of this campaign are, or why there are none.
std::string about_interval(const Campaign& c) {
  if (!c.interval) return "Without an interval: one simulated campaign, drawn with the scenario's seed.";
  if (c.interval->draws == 0) return "Without an interval: " + why_text(c.interval->why_none) + ".";
  return fmt::format(
      "90 % interval: smallest and largest of {} draws of arrivals, failures and the model's error.",
      c.interval->draws);
}

std::string scheduled(const Campaign& c) {
  return c.policy + (c.preemption ? " with preemption" : "");
}

/// " (90 % interval 2.6 min to 25.8 days)"; empty for an exact campaign.
std::string interval_of_p90(const doc::CampaignTimes& wait) {
  if (!wait.p90_low || !wait.p90_high || *wait.p90_low >= *wait.p90_high) return {};
  return fmt::format(" (90 % interval {} to {})", duration_text(*wait.p90_low),
                     duration_text(*wait.p90_high));
}

/// How long the jobs of the stream with the longest waits wait and take.
std::string waits_sentence(const Campaign& c) {
  const CampaignStream* longest = nullptr;
  for (const CampaignStream& s : c.streams)
    if (s.wait.p50 && s.wait.p90 && (!longest || *s.wait.p90 > *longest->wait.p90)) longest = &s;
  if (!longest) return "No job was started after the warm-up.";
  const auto& done = longest->completion.p90;
  const auto wait = [](double seconds) {
    return seconds > 0 ? "wait no more than " + duration_text(seconds) : std::string{"do not wait"};
  };
  return fmt::format(
      "Half of the jobs of {} {}, nine in ten {}{}{}.", longest->name, wait(*longest->wait.p50),
      wait(*longest->wait.p90), interval_of_p90(longest->wait),
      done ? fmt::format("; nine in ten are done {} after submission", duration_text(*done)) : "");
}

/// "half of the jobs of developers within 3 h, nine in ten within 8 h".
std::string of_jobs(const Campaign& c, doc::CampaignTimes CampaignStream::*what) {
  std::string out;
  for (const CampaignStream& s : c.streams) {
    const doc::CampaignTimes& times = s.*what;
    if (!times.p50 || !times.p90) continue;
    if (!out.empty()) out += "; ";
    out += fmt::format("half of the jobs of {} within {}, nine in ten within {}", s.name,
                       duration_text(*times.p50), duration_text(*times.p90));
  }
  return out;
}

/// What the cluster was used for, and how long jobs wait.
Headline headline(const Campaign& c) {
  Headline box;
  box.tone = c.offered > 1 ? Tone::bad : Tone::good;
  box.kicker = "Campaign";
  box.title = fmt::format("{} × {}: {} of jobs, scheduled by {}", nodes_text(c.nodes, c.spares), c.node_title,
                          duration_text(c.duration_s), scheduled(c));
  box.lead = waits_sentence(c);
  if (c.offered > 1)
    box.lead += " More work is submitted than the nodes can do: the queue grows for as long as it lasts.";
  else if (c.utilisation && *c.utilisation > 1.02 * c.offered)
    box.lead += " Jobs hold their nodes for longer than offered: some share links, or are run again.";
  const auto add = [&box](const char* label, std::string value) {
    box.facts.push_back({label, std::move(value), {}});
  };
  add("Jobs submitted", count_text(c.jobs));
  add("Work offered", fmt::format("{:.1f} % of the capacity", 100 * c.offered));
  if (c.utilisation) {
    const Campaign::Interval interval = c.interval.value_or(Campaign::Interval{});
    const auto &low = interval.utilisation_low, &high = interval.utilisation_high;
    add("Utilisation",
        fmt::format("{:.1f} %{} after the warm-up", 100 * *c.utilisation,
                    low && high ? fmt::format(" ({:.1f} to {:.1f})", 100 * *low, 100 * *high) : ""));
  }
  if (c.goodput) {
    add("Goodput", fmt::format("{:.1f} % of the node time held is work that is kept", 100 * *c.goodput));
    add("Failures", count_text(c.failures));
  }
  if (c.preemption) add("Preemptions", count_text(c.preemptions));
  return box;
}

Table wait_table(const Campaign& c, bool interval) {
  Table table;
  table.caption = "Queue wait, and completion from submission to end";
  table.columns = {{"Stream"},
                   {"Jobs", Align::right},
                   {"Finished", Align::right, 3},
                   {"Wait 50 %", Align::right},
                   {"Wait 90 %", Align::right},
                   {"Wait 99 %", Align::right, 2},
                   {"Done 50 %", Align::right},
                   {"Done 90 %", Align::right},
                   {"Done 99 %", Align::right, 1}};
  for (const CampaignStream& s : c.streams) {
    std::vector<Cell> row{text_cell(s.name), count_cell(s.submitted), count_cell(s.finished)};
    for (const doc::CampaignTimes& t : {s.wait, s.completion}) {
      row.push_back(percentile_cell(t.p50, t.p50_low, t.p50_high, interval));
      row.push_back(percentile_cell(t.p90, t.p90_low, t.p90_high, interval));
      row.push_back(percentile_cell(t.p99, t.p99_low, t.p99_high, interval));
    }
    table.rows.push_back(std::move(row));
    if (!s.recorded_wait) continue;
    const doc::CampaignTimes& was = *s.recorded_wait;
    table.rows.push_back({text_cell("  as recorded"),
                          {},
                          {},
                          time_cell(was.p50),
                          time_cell(was.p90),
                          time_cell(was.p99),
                          {},
                          {},
                          {}});
  }
  return table;
}

/// Where a band goes far beyond the lines it would leave nothing of them to see: it is cut, and that is said.
void cut_wide_bands(Chart& chart) {
  constexpr double far = 5, room = 2.5;
  double line = 0, band = 0;
  for (const Chart::Line& l : chart.lines) {
    for (const Chart::Point& p : l.points) {
      line = std::max(line, p.y);
      band = std::max(band, p.high);
    }
  }
  if (line <= 0 || band <= far * line) return;
  chart.cut_above = room * line;
  chart.about_interval += fmt::format(" It goes up to {}, beyond what is drawn.", duration_text(band));
}

/// Waits or completions of all streams: seconds by the share of the jobs.
std::optional<Chart> quantile_chart(const Campaign& c,
                                    std::vector<CampaignStream::Quantile> CampaignStream::*member,
                                    std::string y_title, std::string caption) {
  Chart chart;
  chart.caption = std::move(caption);
  chart.about_interval = about_interval(c);
  chart.x = {"Share of the jobs", Axis::Kind::percent};
  chart.y = {std::move(y_title), Axis::Kind::seconds};
  chart.data.caption = chart.caption;
  chart.data.columns = {{"Stream"}, {"Share of the jobs", Align::right}, {"Within", Align::right}};
  for (const CampaignStream& s : c.streams) {
    Chart::Line line{.name = s.name, .points = {}};
    for (const CampaignStream::Quantile& q : s.*member) {
      const double y = q.seconds;
      line.points.push_back({q.share, y, std::min(y, q.low.value_or(y)), std::max(y, q.high.value_or(y))});
      chart.data.rows.push_back({text_cell(line.name), percent_cell(q.share),
                                 with_interval(time_cell(y), q.low, q.high, duration_text)});
    }
    if (line.points.size() > 1) chart.lines.push_back(std::move(line));
  }
  cut_wide_bands(chart);
  return chart.lines.empty() ? std::nullopt : std::optional(std::move(chart));
}

Chart use_chart(const Campaign& c) {
  const auto nodes = static_cast<double>(c.nodes);
  Chart chart;
  chart.caption = c.utilisation ? fmt::format("Jobs hold {} of {} on average after the warm-up",
                                              number_text(*c.utilisation * nodes), counted(c.nodes, "node"))
                                : "Nodes that jobs hold";
  chart.x = {"Time since the start", Axis::Kind::days};
  chart.y = {"Nodes", Axis::Kind::count};
  chart.data.caption = "Nodes that jobs hold";
  chart.about_interval = about_interval(c);
  chart.data.columns = {{"From", Align::right}, {"Nodes", Align::right}};
  Chart::Line line{.name = "Held", .points = {}};
  for (std::size_t i = 0; i < c.in_use.size(); ++i) {
    const double from = c.in_use[i].from_s, held = c.in_use[i].nodes;
    const double to = i + 1 < c.in_use.size() ? c.in_use[i + 1].from_s : c.duration_s;
    const auto &low = c.in_use[i].low, &high = c.in_use[i].high;
    for (const double at : {from, to})
      line.points.push_back(
          {at / day, held, std::min(held, low.value_or(held)), std::max(held, high.value_or(held))});
    chart.data.rows.push_back({time_cell(from), with_interval(number_cell(held), low, high, number_text)});
  }
  chart.lines.push_back(std::move(line));
  chart.lines.push_back({.name = "All nodes",
                         .points = {{0, nodes, nodes, nodes}, {c.duration_s / day, nodes, nodes, nodes}},
                         .dashed = true});
  if (c.warm_up_s > 0) {
    chart.marked_x = c.warm_up_s / day;
    chart.marked_label = "warm-up ends";
  }
  return chart;
}

Table source_table(const Campaign& c) {
  Table table;
  table.caption = "Jobs of each stream";
  table.columns = {{"Stream"},
                   {"Kind"},
                   {"Nodes", Align::right},
                   {"Run time, mean", Align::right},
                   {"Leaves, mean", Align::right, 2},
                   {"Pods, mean", Align::right, 3},
                   {"Longer by it", Align::right, 2},
                   {"Failures", Align::right, 3},
                   {"Preemptions", Align::right, 4},
                   {"From", Align::left, 1}};
  for (const CampaignStream& s : c.streams) {
    std::string from = s.work_from;
    if (s.left_out > 0) from += fmt::format("; {} larger than the cluster left out", s.left_out);
    if (s.never_ran > 0) from += fmt::format("; {} that never ran left out", s.never_ran);
    table.rows.push_back({text_cell(s.name), text_cell(s.kind), count_cell(s.nodes), time_cell(s.work_s),
                          number_cell(s.leaves), number_cell(s.pods), percent_cell(s.slowdown - 1),
                          count_cell(s.failures), count_cell(s.preemptions), text_cell(std::move(from))});
  }
  return table;
}

Section reproduction(const doc::Head& head) {
  Section out{"reproduce", "How to reproduce", {}};
  if (!head.command.empty()) out.blocks.push_back({Code{"", head.command}});
  KeyValues facts;
  facts.rows.push_back({"Program", head.program + " " + head.program_version, {}});
  facts.rows.push_back({"Scenario", head.file, {}});
  facts.rows.push_back({"Seed", text_of(head.seed), {}});
  out.blocks.push_back({std::move(facts), Audience::document});
  if (std::string text = doc::text_of(head.text, 2); !text.empty())
    out.blocks.push_back(
        {Code{"The scenario with everything it extends", std::move(text), true}, Audience::document});
  return out;
}

}  // namespace

Report campaign_report(const std::string& text, std::string name) {
  const Campaign c = doc::read_document<Campaign>(parse_json(text, std::move(name)));
  Report report;
  report.title = c.head.name;
  report.subtitle = c.head.description;
  Section first{"campaign", "Campaign", {{headline(c)}}};
  std::ranges::move(ask_again({doc::text_of(c.head.text, 2), c.head.file, "campaign", c.head.command}),
                    std::back_inserter(first.blocks));
  report.sections.push_back(std::move(first));
  Section waits{"waits",
                "Waiting and completion",
                {{wait_table(c, false), Audience::terminal}, {wait_table(c, true), Audience::document}}};
  if (auto chart = quantile_chart(c, &CampaignStream::waits, "Wait",
                                  "How long jobs wait in the queue: " + of_jobs(c, &CampaignStream::wait)))
    waits.blocks.push_back({std::move(*chart), Audience::document});
  if (auto chart = quantile_chart(c, &CampaignStream::completions, "Time from submission to end",
                                  "How long until a job is done: " + of_jobs(c, &CampaignStream::completion)))
    waits.blocks.push_back({std::move(*chart), Audience::document});
  report.sections.push_back(std::move(waits));
  report.sections.push_back({"use", "Use of the nodes", {{use_chart(c), Audience::document}}});
  report.sections.push_back(campaign_power_section(c.power));
  report.sections.push_back(campaign_cost_section(c.cost));
  report.sections.push_back({"jobs", "Where the jobs come from", {{source_table(c)}}});
  report.sections.push_back(reproduction(c.head));
  return readable(std::move(report));
}

}  // namespace rackcast::reports
