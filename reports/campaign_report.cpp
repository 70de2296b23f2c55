#include "reports/campaign_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/campaign_cost.hpp"
#include "reports/campaign_power.hpp"
#include "reports/format.hpp"
#include "reports/load_members.hpp"
#include "reports/readable.hpp"

namespace rackcast::reports {
namespace {

constexpr double day = 86400;

Cell time_cell(const std::optional<double>& seconds) {
  return seconds ? Cell{.text = duration_text(*seconds), .value = seconds, .unit = "s"} : Cell{};
}

/// A time with the interval that the document has under "p90_low_s", "p90_high_s" beside "p90_s".
Cell percentile_cell(const Json& stream, std::string_view of, const std::string& key, bool interval) {
  const Json* found = optional_member(stream, of);
  if (found == nullptr) return {};
  const auto value = optional_amount(*found, key + "_s");
  const auto low = optional_amount(*found, key + "_low_s"), high = optional_amount(*found, key + "_high_s");
  if (!interval || !value || !low || !high) return time_cell(value);
  return with_interval(time_cell(value), low, high, duration_text);
}

/// What the intervals of this campaign are, or why there are none.
std::string about_interval(const Json& json) {
  const Json* found = optional_member(json, "interval");
  if (found == nullptr) return "Without an interval: one simulated campaign, drawn with the scenario's seed.";
  const auto draws = count(found->require("draws"));
  if (draws == 0) return "Without an interval: " + text_or_empty(*found, "why_none") + ".";
  return fmt::format(
      "90 % interval: smallest and largest of {} draws of arrivals, failures and the model's error.", draws);
}

std::optional<double> percentile(const Json& stream, std::string_view of, std::string_view key) {
  const Json* found = optional_member(stream, of);
  return found == nullptr ? std::nullopt : optional_amount(*found, key);
}

std::string scheduled(const Json& json) {
  return json.require("policy").string() + (json.require("preemption").boolean() ? " with preemption" : "");
}

/// " (90 % interval 2.6 min to 25.8 days)"; empty for an exact campaign.
std::string interval_of_p90(const Json& stream) {
  const auto low = percentile(stream, "wait", "p90_low_s"), high = percentile(stream, "wait", "p90_high_s");
  if (!low || !high || *low >= *high) return {};
  return fmt::format(" (90 % interval {} to {})", duration_text(*low), duration_text(*high));
}

/// How long the jobs of the stream with the longest waits wait and take.
std::string waits_sentence(const Json& json) {
  const Json* longest = nullptr;
  for (const Json& s : json.require("streams").array()) {
    const auto wait = percentile(s, "wait", "p90_s");
    if (wait && (longest == nullptr || *wait > *percentile(*longest, "wait", "p90_s"))) longest = &s;
  }
  if (longest == nullptr) return "No job was started after the warm-up.";
  const auto done = percentile(*longest, "completion", "p90_s");
  return fmt::format(
      "Of {}, half wait no more than {} and nine in ten no more than {}{}{}.",
      longest->require("name").string(), duration_text(*percentile(*longest, "wait", "p50_s")),
      duration_text(*percentile(*longest, "wait", "p90_s")), interval_of_p90(*longest),
      done ? fmt::format("; nine in ten are done {} after submission", duration_text(*done)) : "");
}

/// "half of developers within 3 h, nine in ten within 8 h".
std::string of_jobs(const Json& json, std::string_view what) {
  std::string out;
  for (const Json& s : json.require("streams").array()) {
    const auto half = percentile(s, what, "p50_s"), most = percentile(s, what, "p90_s");
    if (!half || !most) continue;
    if (!out.empty()) out += "; ";
    out += fmt::format("half of {} within {}, nine in ten within {}", s.require("name").string(),
                       duration_text(*half), duration_text(*most));
  }
  return out;
}

/// What the cluster was used for, and how long jobs wait.
Headline headline(const Json& json) {
  const double offered = json.require("offered").number();
  const auto utilisation = optional_amount(json, "utilisation");
  Headline box;
  box.tone = offered > 1 ? Tone::bad : Tone::good;
  box.kicker = "Campaign";
  box.title =
      fmt::format("{} × {}: {} of jobs, scheduled by {}",
                  nodes_text(count(json.require("nodes")), optional_count(json, "spares").value_or(0)),
                  json.require("node_title").string(), duration_text(json.require("duration_s").number()),
                  scheduled(json));
  box.lead = waits_sentence(json);
  if (offered > 1)
    box.lead += " More work is submitted than the nodes can do: the queue grows for as long as it lasts.";
  const auto add = [&box](const char* label, std::string value) {
    box.facts.push_back({label, std::move(value), {}});
  };
  add("Jobs submitted", count_text(count(json.require("jobs"))));
  add("Work offered", fmt::format("{:.1f} % of the capacity", 100 * offered));
  if (utilisation) {
    const Json* interval = optional_member(json, "interval");
    const auto low = interval ? optional_amount(*interval, "utilisation_low") : std::nullopt,
               high = interval ? optional_amount(*interval, "utilisation_high") : std::nullopt;
    add("Utilisation",
        fmt::format("{:.1f} %{} after the warm-up", 100 * *utilisation,
                    low && high ? fmt::format(" ({:.1f} to {:.1f})", 100 * *low, 100 * *high) : ""));
  }
  if (const auto goodput = optional_amount(json, "goodput")) {
    add("Goodput", fmt::format("{:.1f} % of the time held is safe work", 100 * *goodput));
    add("Failures", count_text(count(json.require("failures"))));
  }
  if (json.require("preemption").boolean())
    add("Preemptions", count_text(count(json.require("preemptions"))));
  return box;
}

Table wait_table(const Json& json, bool interval) {
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
  for (const Json& s : json.require("streams").array()) {
    std::vector<Cell> row{text_cell(s.require("name").string()), count_cell(count(s.require("submitted"))),
                          count_cell(count(s.require("finished")))};
    for (const char* of : {"wait", "completion"}) {
      for (const char* key : {"p50", "p90", "p99"}) row.push_back(percentile_cell(s, of, key, interval));
    }
    table.rows.push_back(std::move(row));
    if (optional_member(s, "recorded_wait") == nullptr) continue;
    std::vector<Cell> recorded{text_cell("  as recorded"), {}, {}};
    for (const char* key : {"p50_s", "p90_s", "p99_s"})
      recorded.push_back(time_cell(percentile(s, "recorded_wait", key)));
    recorded.resize(table.columns.size());
    table.rows.push_back(std::move(recorded));
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

/// "waits" or "completions" of all streams: seconds by the share of the jobs.
std::optional<Chart> quantile_chart(const Json& json, std::string_view member, std::string caption) {
  Chart chart;
  chart.caption = std::move(caption);
  chart.about_interval = about_interval(json);
  chart.x = {"Share of the jobs", Axis::Kind::percent};
  chart.y = {member == "waits" ? "Wait" : "Time from submission to end", Axis::Kind::seconds};
  chart.data.caption = chart.caption;
  chart.data.columns = {{"Stream"}, {"Share of the jobs", Align::right}, {"Within", Align::right}};
  for (const Json& s : json.require("streams").array()) {
    Chart::Line line{.name = s.require("name").string(), .points = {}};
    for (const Json& q : s.require(member).array()) {
      const double x = q.require("share").number(), y = q.require("seconds").number();
      const auto low = optional_amount(q, "low_s"), high = optional_amount(q, "high_s");
      line.points.push_back({x, y, std::min(y, low.value_or(y)), std::max(y, high.value_or(y))});
      chart.data.rows.push_back(
          {text_cell(line.name), percent_cell(x), with_interval(time_cell(y), low, high, duration_text)});
    }
    if (line.points.size() > 1) chart.lines.push_back(std::move(line));
  }
  cut_wide_bands(chart);
  return chart.lines.empty() ? std::nullopt : std::optional(std::move(chart));
}

Chart use_chart(const Json& json) {
  const auto nodes = static_cast<double>(count(json.require("nodes")));
  const double whole = json.require("duration_s").number(), warm_up = json.require("warm_up_s").number();
  Chart chart;
  const auto mean = optional_amount(json, "utilisation");
  chart.caption =
      mean ? fmt::format("Jobs hold {} of {} on average after the warm-up", number_text(*mean * nodes),
                         counted(static_cast<std::int64_t>(nodes), "node"))
           : "Nodes that jobs hold";
  chart.x = {"Time since the start", Axis::Kind::days};
  chart.y = {"Nodes", Axis::Kind::count};
  chart.data.caption = "Nodes that jobs hold";
  chart.about_interval = about_interval(json);
  chart.data.columns = {{"From", Align::right}, {"Nodes", Align::right}};
  Chart::Line line{.name = "Held", .points = {}};
  const auto& parts = json.require("in_use").array();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double from = parts[i].require("from_s").number(), held = parts[i].require("nodes").number();
    const double to = i + 1 < parts.size() ? parts[i + 1].require("from_s").number() : whole;
    const auto low = optional_amount(parts[i], "low"), high = optional_amount(parts[i], "high");
    for (const double at : {from, to})
      line.points.push_back(
          {at / day, held, std::min(held, low.value_or(held)), std::max(held, high.value_or(held))});
    chart.data.rows.push_back({time_cell(from), with_interval(number_cell(held), low, high, number_text)});
  }
  chart.lines.push_back(std::move(line));
  chart.lines.push_back({.name = "All nodes",
                         .points = {{0, nodes, nodes, nodes}, {whole / day, nodes, nodes, nodes}},
                         .dashed = true});
  if (warm_up > 0) {
    chart.marked_x = warm_up / day;
    chart.marked_label = "warm-up ends";
  }
  return chart;
}

Table source_table(const Json& json) {
  Table table;
  table.caption = "Where the jobs come from";
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
  for (const Json& s : json.require("streams").array()) {
    std::string from = text_or_empty(s, "work_from");
    if (const auto n = count(s.require("left_out")))
      from += fmt::format("; {} larger than the cluster left out", n);
    if (const auto n = count(s.require("never_ran"))) from += fmt::format("; {} that never ran left out", n);
    table.rows.push_back({text_cell(s.require("name").string()), text_cell(s.require("kind").string()),
                          count_cell(optional_count(s, "nodes")), time_cell(s.require("work_s").number()),
                          number_cell(s.require("leaves").number()), number_cell(s.require("pods").number()),
                          percent_cell(optional_amount(s, "slowdown").value_or(1) - 1),
                          count_cell(count(s.require("failures"))),
                          count_cell(count(s.require("preemptions"))), text_cell(std::move(from))});
  }
  return table;
}

Section reproduction(const Json& json, const Json& scenario) {
  Section out{"reproduce", "How to reproduce", {}};
  if (const std::string command = text_or_empty(json, "command"); !command.empty())
    out.blocks.push_back({Code{"", command}});
  KeyValues facts;
  if (const Json* generator = optional_member(json, "generator")) {
    facts.rows.push_back(
        {"Program", text_or_empty(*generator, "name") + " " + text_or_empty(*generator, "version"), {}});
  }
  facts.rows.push_back({"Scenario", text_or_empty(scenario, "file"), {}});
  facts.rows.push_back({"Seed", std::to_string(scenario.require("seed").integer()), {}});
  out.blocks.push_back({std::move(facts), Audience::document});
  return out;
}

}  // namespace

Report campaign_report(const std::string& text, std::string name) {
  const Json json = parse_json(text, std::move(name));
  const Json* format = json.kind() == JsonKind::object ? json.find("format") : nullptr;
  if (format == nullptr || format->kind() != JsonKind::string || format->string() != "rackcast-campaign")
    (format == nullptr ? json : *format)
        .fail("this is not a campaign", "`rackcast campaign SCENARIO --json` writes one");
  if (json.require("version").integer() != 1)
    json.require("version").fail("a campaign of another version", "write it again with this program");
  const Json& scenario = json.require("scenario");
  Report report;
  report.title = text_or_empty(scenario, "name");
  report.subtitle = text_or_empty(scenario, "description");
  report.sections.push_back({"campaign", "Campaign", {{headline(json)}}});
  Section waits{
      "waits",
      "Waiting and completion",
      {{wait_table(json, false), Audience::terminal}, {wait_table(json, true), Audience::document}}};
  if (auto chart = quantile_chart(json, "waits", "How long jobs wait in the queue: " + of_jobs(json, "wait")))
    waits.blocks.push_back({std::move(*chart), Audience::document});
  if (auto chart =
          quantile_chart(json, "completions", "How long until a job is done: " + of_jobs(json, "completion")))
    waits.blocks.push_back({std::move(*chart), Audience::document});
  report.sections.push_back(std::move(waits));
  report.sections.push_back({"use", "Use of the nodes", {{use_chart(json), Audience::document}}});
  report.sections.push_back(campaign_power_section(json.require("power")));
  report.sections.push_back(campaign_cost_section(json.require("cost")));
  report.sections.push_back({"jobs", "Where the jobs come from", {{source_table(json)}}});
  report.sections.push_back(reproduction(json, scenario));
  return readable(std::move(report));
}

}  // namespace rackcast::reports
