/// A fleet that serves: latency and load at the busiest hour, what limits a node, the day, other choices.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast::reports {
namespace {

std::string rate_text(double per_s) {
  return number_text(per_s) + "/s";
}

std::string share_of_requests(const Serving& s, const std::optional<double>& percentile = {}) {
  return fmt::format("{:g} %", 100 * percentile.value_or(s.percentile));
}

Cell latency_cell(const std::optional<double>& seconds) {
  return seconds ? Cell{.text = duration_text(*seconds), .value = seconds, .unit = "s"}
                 : text_cell("overloaded");
}

/// A number of nodes that is given has no interval.
std::string interval_text(const Serving& s) {
  if (!s.nodes_low) return count_text(s.needed);
  const std::string high = s.nodes_high ? count_text(*s.nodes_high) : "none is enough";
  return fmt::format("{} ({} to {})", count_text(s.needed), count_text(*s.nodes_low), high);
}

std::string spares_text(const Serving& s) {
  const std::string down = fmt::format("a node is down {} of the time", percent_text(s.node_down));
  const std::string up = fmt::format("enough are up {:.5g} %", 100 * s.availability);
  if (s.availability_asked) {
    return fmt::format("{}: {}, {}; {:.5g} % is asked", count_text(s.spares), down, up,
                       100 * *s.availability_asked);
  }
  return fmt::format("{}: {}, {}", count_text(s.spares), down, up);
}

/// What a language model generates.
void add_tokens(KeyValues& out, const Serving& s, const std::optional<Site>& site) {
  const Serving::Tokens& t = *s.tokens;
  const auto add = [&out](const char* label, std::string value) {
    out.rows.push_back({label, std::move(value), {}});
  };
  add("Prompts and answers", fmt::format("{} and {} tokens", count_text(std::llround(t.prompt)),
                                         count_text(std::llround(t.output))));
  add("Tokens of answers", fmt::format("{}/s on average, {}/s in the busiest hour",
                                       number_text(t.tokens_per_s), number_text(t.peak_tokens_per_s)));
  if (t.gpus_per_copy && t.most_in_flight)
    add("A copy of the network", fmt::format("on {}, at most {} in flight", counted(*t.gpus_per_copy, "GPU"),
                                             counted(*t.most_in_flight, "request")));
  if (s.at_peak && s.at_peak->first_token_s && s.at_peak->first_token_p50_s) {
    add("First token then",
        fmt::format("half within {}, {} within {}", duration_text(*s.at_peak->first_token_p50_s),
                    share_of_requests(s, t.first_token_percentile),
                    duration_text(*s.at_peak->first_token_s)));
  }
  if (s.at_peak && s.at_peak->token_s && s.at_peak->token_p50_s) {
    add("Per output token then",
        fmt::format("half within {}, {} within {}", duration_text(*s.at_peak->token_p50_s),
                    share_of_requests(s, t.token_percentile), duration_text(*s.at_peak->token_s)));
  }
  if (t.kwh_per_million)
    add("Energy of a million tokens",
        sum_text(to_text(Energy{*t.kwh_per_million * 3.6e6}), site && !site->no_power.empty()));
  if (t.usd_per_million)
    add("Cost of a million tokens",
        sum_text(fmt::format("{:.3g} USD, owned", *t.usd_per_million), site && site->cost_is_open()));
}

KeyValues facts(const Serving& s, const std::optional<Site>& site) {
  KeyValues out;
  const auto add = [&out](const char* label, std::string value) {
    out.rows.push_back({label, std::move(value), {}});
  };
  add("Load", fmt::format("{} on average, {} in the busiest hour", rate_text(s.requests_per_s),
                          rate_text(s.peak_requests_per_s)));
  if (s.needed > 0) add("Nodes for the busiest hour", interval_text(s));
  if (s.needed > 0) add("Spare nodes", spares_text(s));
  if (s.at_peak && s.at_peak->latency_s) {
    add("Latency then", fmt::format("half within {}, {} within {}", duration_text(*s.at_peak->p50_s),
                                    share_of_requests(s), duration_text(*s.at_peak->latency_s)));
  }
  if (s.all_up && s.all_up->latency_s && s.spares > 0) {
    add("With all nodes up",
        fmt::format("{} within {}", share_of_requests(s), duration_text(*s.all_up->latency_s)));
  }
  add("A single request",
      duration_text(s.single_s) +
          (s.decode_s > 0 ? fmt::format(", {} of it decoding", duration_text(s.decode_s)) : ""));
  if (s.at_peak) {
    add("GPUs busy", fmt::format("{} of the busiest hour, {} of the day", percent_text(s.at_peak->busy),
                                 percent_text(s.busy)));
    add(s.tokens ? "Requests in flight in a copy" : "Requests in a batch",
        number_text(s.at_peak->mean_batch) + " in the busiest hour");
  }
  if (s.tokens) add_tokens(out, s, site);
  if (s.memory_bytes) add("GPU memory", to_text(Bytes{*s.memory_bytes}) + " with full batches");
  if (s.kwh_per_million)
    add("Energy of a million requests",
        sum_text(to_text(Energy{*s.kwh_per_million * 3.6e6}), site && !site->no_power.empty()));
  if (s.usd_per_million)
    add("Cost of a million requests",
        sum_text(fmt::format("{:.3g} USD, owned", *s.usd_per_million), site && site->cost_is_open()));
  return out;
}

Table limit_table(const Serving& s) {
  Table table;
  table.caption = "What one node takes";
  table.columns = {{"Limit"}, {"Requests/s", Align::right}, {"Nodes that it asks for", Align::right}};
  for (const auto& limit : s.limits) {
    Cell nodes;
    if (limit.requests_per_s > 0) nodes = number_cell(s.peak_requests_per_s / limit.requests_per_s);
    table.rows.push_back({text_cell(limit.name), number_cell(limit.requests_per_s, "1/s"), nodes});
  }
  return table;
}

/// "41 ms (38 to 46)"; the long end may be without bound.
Cell latency_interval_cell(const Serving::Size& size) {
  if (!size.gpu.latency_s || !size.latency_low_s) return latency_cell(size.gpu.latency_s);
  if (!size.latency_high_s) {
    Cell cell = latency_cell(size.gpu.latency_s);
    cell.low = size.latency_low_s;
    cell.text += fmt::format(" ({} to overloaded)", duration_text(*size.latency_low_s));
    return cell;
  }
  const double middle = *size.gpu.latency_s;
  return prediction_cell(
      Prediction{middle, std::min(middle, *size.latency_low_s), std::max(middle, *size.latency_high_s), "s"});
}

/// The latency at the busiest hour by the number of nodes, beside the limit.
std::optional<Chart> size_chart(const Serving& s) {
  Chart chart;
  Table& table = chart.data;
  table.columns = {{"Nodes", Align::right},
                   {share_of_requests(s) + " within", Align::right},
                   {"Half within", Align::right},
                   {"GPUs busy", Align::right},
                   {"Mean batch", Align::right}};
  Chart::Line line{.name = share_of_requests(s) + " of the requests", .points = {}};
  double top = s.latency_s.value_or(0);  // where an end without bound is drawn
  bool interval = false, unbounded = false;
  for (const auto& size : s.sizes)
    top = std::max({top, size.gpu.latency_s.value_or(0), size.latency_high_s.value_or(0)});
  top *= 1.2;
  for (const auto& size : s.sizes) {
    const bool chosen = size.nodes == s.needed;
    Cell nodes = count_cell(size.nodes);
    nodes.tone = chosen ? Tone::good : Tone::plain;
    table.rows.push_back({nodes, latency_interval_cell(size), latency_cell(size.gpu.p50_s),
                          percent_cell(size.gpu.busy), number_cell(size.gpu.mean_batch)});
    if (!size.gpu.latency_s) continue;
    const double y = *size.gpu.latency_s;
    interval = interval || size.latency_low_s;
    unbounded = unbounded || (size.latency_low_s && !size.latency_high_s);
    line.points.push_back({static_cast<double>(size.nodes), y, std::min(y, size.latency_low_s.value_or(y)),
                           std::max(y, size.latency_high_s.value_or(size.latency_low_s ? top : y))});
  }
  if (line.points.size() < 2 || line.points.front().x >= line.points.back().x) return std::nullopt;
  const double first = line.points.front().x, last = line.points.back().x;
  chart.caption =
      fmt::format("Latency in the busiest hour: {} on {}, with fewer nodes queues grow",
                  s.at_peak && s.at_peak->latency_s ? duration_text(*s.at_peak->latency_s) : "too long",
                  counted(s.needed, "node"));
  chart.about_interval =
      !interval
          ? "Without an interval: this result was written without one."
          : std::string{"90 % interval: the model's kernel times"} +
                (unbounded ? "; where the GPUs would be overloaded at their slow end, the band ends at the "
                             "top."
                           : ".");
  table.caption = chart.caption;
  chart.x = {"Nodes", Axis::Kind::count};
  chart.y = {"Latency", Axis::Kind::seconds};
  chart.lines.push_back(std::move(line));
  if (const auto limit = s.latency_s)
    chart.lines.push_back({.name = "Limit",
                           .points = {{first, *limit, *limit, *limit}, {last, *limit, *limit, *limit}},
                           .dashed = true});
  if (s.needed > 0) {
    chart.marked_x = static_cast<double>(s.needed);
    chart.marked_label = counted(s.needed, "node");
  }
  return chart;
}

Chart day_chart(const Serving& s) {
  Chart chart;
  chart.caption = fmt::format("A day: the GPUs are busy {} of it", percent_text(s.busy));
  const bool known = std::ranges::any_of(s.day, [](const auto& hour) { return hour.busy_low.has_value(); });
  chart.about_interval =
      known ? "90 % interval: the model's kernel times, under the load as the scenario states it."
            : "Without an interval: this result was written without one.";
  chart.x = {"Hour", Axis::Kind::count};
  chart.y = {"GPUs busy", Axis::Kind::percent};
  Table& table = chart.data;
  table.caption = chart.caption;
  table.columns = {{"Hour", Align::right},
                   {"Requests/s", Align::right},
                   {"GPUs busy", Align::right},
                   {"Mean batch", Align::right},
                   {share_of_requests(s) + " within", Align::right}};
  Chart::Line line{.name = "All nodes up", .points = {}};
  for (std::size_t h = 0; h < s.day.size(); ++h) {
    const auto& hour = s.day[h];
    const double busy = hour.gpu.busy;
    line.points.push_back({static_cast<double>(h), busy, std::min(busy, hour.busy_low.value_or(busy)),
                           std::max(busy, hour.busy_high.value_or(busy))});
    table.rows.push_back({count_cell(static_cast<std::int64_t>(h)), number_cell(hour.requests_per_s, "1/s"),
                          with_interval(percent_cell(busy), hour.busy_low, hour.busy_high, percent_text),
                          number_cell(hour.gpu.mean_batch), latency_cell(hour.gpu.latency_s)});
  }
  chart.lines.push_back(std::move(line));
  return chart;
}

/// "purchase budget, floor" of the limits that an option cannot keep.
std::string conflict_titles(const Serving::Option& option) {
  std::string out;
  for (const auto& conflict : option.conflicts)
    out += (out.empty() ? "" : ", ") + limit_title(conflict.constraint);
  return out;
}

Table option_table(const Serving& s, const ResultDocument& document) {
  Table table;
  table.caption = "The best of every node and precision";
  table.columns = {{"Node"},
                   {"Precision"},
                   {"Nodes", Align::right},
                   {"GPUs", Align::right, 3},
                   {"One GPU takes", Align::right, 1},
                   {"One request", Align::right, 4},
                   {"Nameplate", Align::right, 2},
                   {"Whole cost", Align::right},
                   {"Binds, or cannot be kept"}};
  for (const auto& o : s.options) {
    const bool chosen = o.feasible && document.answer.node == o.node && s.precision == o.precision;
    Cell nodes = o.feasible ? count_cell(o.nodes) : no_answer_cell();
    nodes.tone = chosen ? Tone::good : o.feasible ? Tone::plain : Tone::bad;
    const auto money =
        o.total_usd ? sum_cell({.text = to_text(Money{*o.total_usd}), .value = o.total_usd, .unit = "USD"},
                               o.cost_is_open())
                    : Cell{};
    table.rows.push_back(
        {text_cell(o.title), text_cell(o.precision), nodes, o.feasible ? count_cell(o.gpus) : Cell{},
         o.gpu_requests_per_s > 0
             ? Cell{.text = rate_text(o.gpu_requests_per_s), .value = o.gpu_requests_per_s, .unit = "1/s"}
             : Cell{},
         o.single_s > 0 ? latency_cell(o.single_s) : Cell{},
         o.feasible ? sum_cell({.text = to_text(Power{o.nameplate_w}), .value = o.nameplate_w, .unit = "W"},
                               o.power_is_open())
                    : Cell{},
         o.feasible ? money : Cell{},
         text_cell(chosen       ? o.binds + "; chosen"
                   : o.feasible ? o.binds
                                : conflict_titles(o))});
  }
  return table;
}

}  // namespace

std::string working_label(std::string_view activity, bool first) {
  std::string label = (activity == "training" ? "in this " : "while ") + std::string(activity);
  if (first) label.front() = activity == "training" ? 'I' : 'W';
  return label;
}

Blocks serving_section(const ResultDocument& document) {
  if (!document.serving) return {};
  const Serving& s = *document.serving;
  Blocks blocks{{facts(s, document.site)}};
  if (s.options.size() > 1) blocks.push_back({option_table(s, document)});
  std::ranges::move(relaxation_blocks(document.plan), std::back_inserter(blocks));
  if (!s.limits.empty()) blocks.push_back({limit_table(s), Audience::document});
  if (auto chart = size_chart(s)) blocks.push_back({std::move(*chart), Audience::document});
  if (!s.day.empty()) blocks.push_back({day_chart(s), Audience::document});
  return blocks;
}

}  // namespace rackcast::reports
