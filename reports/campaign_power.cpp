#include "reports/campaign_power.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/format.hpp"
#include "reports/load_members.hpp"
#include "sim/quantity_text.hpp"

namespace rackcast::reports {
namespace {

constexpr double day = 86400, hour = 3600;

std::string watts(double value) {
  return to_text(Power{value});
}
std::string energy(double kwh) {
  return number_text(kwh) + " kWh";
}

Cell watt_cell(double value) {
  return {watts(value), value, "W"};
}
Cell watt_cell(double value, double low, double high) {
  return {watts(value), value, "W", Tone::plain, low, high};
}

struct Interval {
  double value, low, high;
};
Interval interval(const Json& power, std::string_view key) {
  const Json& found = power.require(key);
  return {amount(found, "value"), amount(found, "low"), amount(found, "high")};
}

std::string statement(const Json& power) {
  const Interval mean = interval(power, "mean");
  const double nameplate = amount(power, "nameplate_w"), pue = amount(power, "pue");
  return fmt::format(
      "Over the campaign the IT draws {} on average (90 % interval {} to {}), {} of its nameplate of {}, and "
      "{} in "
      "its busiest hour. With a PUE of {} the site takes {} in all, {} of it IT.",
      watts(mean.value), watts(mean.low), watts(mean.high),
      percent_text(nameplate > 0 ? mean.value / nameplate : 0), watts(nameplate),
      watts(amount(power, "busiest_hour_w")), number_text(pue), energy(amount(power, "facility_kwh")),
      energy(amount(power, "it_kwh")));
}

/// What the equipment is rated for beside what the jobs make it draw.
BarChart levels(const Json& power) {
  BarChart chart;
  chart.axis = {"Power of the IT equipment", Axis::Kind::watts};
  const auto add = [&chart](std::string label, const Interval& v, Tone tone) {
    const bool band = v.low < v.high;
    chart.bars.push_back({.label = std::move(label),
                          .value = v.value,
                          .text = watts(v.value),
                          .low = band ? std::optional(v.low) : std::nullopt,
                          .high = band ? std::optional(v.high) : std::nullopt,
                          .tone = tone});
  };
  const auto exact = [&power](std::string_view key) {
    const double value = amount(power, key);
    return Interval{value, value, value};
  };
  const Interval mean = interval(power, "mean");
  const double nameplate = amount(power, "nameplate_w");
  add("Nameplate", exact("nameplate_w"), Tone::bad);
  add("Every node at work", interval(power, "all_busy"), Tone::plain);
  add("Busiest hour", exact("busiest_hour_w"), Tone::plain);
  add("Mean of the campaign", mean, Tone::good);
  add("Idle", exact("idle_w"), Tone::plain);
  chart.caption = nameplate > 0 ? fmt::format("The campaign draws {} of the nameplate power on average",
                                              percent_text(mean.value / nameplate))
                                : std::string("Power of the IT equipment");
  chart.data.caption = "Power of the IT equipment";
  chart.data.columns = {{"Level"}, {"Power", Align::right}};
  for (const auto& bar : chart.bars)
    chart.data.rows.push_back(
        {text_cell(bar.label), {bar.text, bar.value, "W", Tone::plain, bar.low, bar.high}});
  return chart;
}

/// Adds a level from `from` to `to` as two points, so that a line has steps.
void add_step(Chart::Line& line, double from, double to, const Interval& v) {
  line.points.push_back({from, v.value, v.low, v.high});
  line.points.push_back({to, v.value, v.low, v.high});
}

void add_nameplate(Chart& chart, double nameplate, double end) {
  chart.lines.push_back({.name = "IT, nameplate", .points = {}, .dashed = true});
  add_step(chart.lines.back(), 0, end, {nameplate, nameplate, nameplate});
}

std::string clock(std::size_t h) {
  return fmt::format("{:02}:00", h);
}

Chart day_chart(const Json& power) {
  const double pue = amount(power, "pue"), nameplate = amount(power, "nameplate_w");
  const auto& hours = power.require("day").array();
  Chart chart;
  chart.x = {"Time since the day began", Axis::Kind::seconds};
  chart.y = {"Power", Axis::Kind::watts};
  chart.lines = {{"IT: mean, lowest and highest day", {}}, {"Site, with cooling and distribution: mean", {}}};
  chart.data.caption = "Power over a day";
  chart.data.columns = {{"Hour"},
                        {"IT, mean", Align::right},
                        {"Lowest day", Align::right},
                        {"Highest day", Align::right},
                        {"Site, mean", Align::right},
                        {"Of the nameplate", Align::right}};
  std::size_t most = 0, least = 0;
  std::vector<double> means;
  for (std::size_t h = 0; h < hours.size(); ++h) {
    const Interval it{amount(hours[h], "mean_w"), amount(hours[h], "least_w"), amount(hours[h], "most_w")};
    const double site = pue * it.value, from = static_cast<double>(h) * hour;
    means.push_back(it.value);
    if (it.value > means[most]) most = h;
    if (it.value < means[least]) least = h;
    add_step(chart.lines[0], from, from + hour, it);
    add_step(chart.lines[1], from, from + hour, {site, site, site});
    chart.data.rows.push_back({text_cell(clock(h)), watt_cell(it.value), watt_cell(it.low),
                               watt_cell(it.high), watt_cell(site),
                               percent_cell(nameplate > 0 ? it.value / nameplate : 0)});
  }
  add_nameplate(chart, nameplate, static_cast<double>(hours.size()) * hour);
  chart.caption =
      fmt::format("Over a day the IT draws most, {}, in the hour from {} and least, {}, in that from {}",
                  watts(means[most]), clock(most), watts(means[least]), clock(least));
  return chart;
}

Chart campaign_chart(const Json& power) {
  const double pue = amount(power, "pue");
  Chart chart;
  chart.x = {"Time since the start", Axis::Kind::days};
  chart.y = {"Power", Axis::Kind::watts};
  chart.lines = {{"IT, 90 % interval", {}}, {"Site, with cooling and distribution", {}}};
  chart.data.caption = "Power over the campaign";
  chart.data.columns = {{"From", Align::right}, {"IT", Align::right}, {"Site", Align::right}};
  double end = 0, least = 0, most = 0;
  for (const Json& part : power.require("parts").array()) {
    const double from = amount(part, "from_s");
    const Interval it{amount(part, "it_w"), amount(part, "it_low_w"), amount(part, "it_high_w")};
    const double site = pue * it.value;
    end = from + amount(part, "seconds");
    least = chart.lines[0].points.empty() ? it.value : std::min(least, it.value);
    most = std::max(most, it.value);
    add_step(chart.lines[0], from / day, end / day, it);
    add_step(chart.lines[1], from / day, end / day, {site, site, site});
    chart.data.rows.push_back(
        {Cell{duration_text(from), from, "s"}, watt_cell(it.value, it.low, it.high), watt_cell(site)});
  }
  add_nameplate(chart, amount(power, "nameplate_w"), end / day);
  chart.caption = fmt::format("Over the campaign the IT draws between {} and {}", watts(least), watts(most));
  return chart;
}

Table draw_table(const Json& power) {
  Table table;
  table.caption = "A node at work";
  table.columns = {{"Stream"}, {"As it trains"}, {"GPUs compute", Align::right}, {"Node", Align::right}};
  for (const Json& d : power.require("draws").array())
    table.rows.push_back({text_cell(d.require("stream").string()), text_cell(d.require("workload").string()),
                          percent_cell(amount(d, "busy")), watt_cell(amount(d, "node_w"))});
  table.rows.push_back({text_cell("no job"), {}, {}, watt_cell(amount(power, "node_idle_w"))});
  return table;
}

KeyValues heat(const Json& power) {
  constexpr double cubic_metres_per_cubic_foot = 0.3048 * 0.3048 * 0.3048;
  const double cfm = amount(power, "air_cfm");
  KeyValues out;
  out.rows = {
      {"Heat to remove", number_text(amount(power, "btu_per_h")) + " BTU/h",
       fmt::format("{} tons of cooling; of the nameplate power", number_text(amount(power, "cooling_tons")))},
      {"Air", number_text(cfm) + " CFM",
       fmt::format("{} m3/s, when it warms by {} K", number_text(cfm * cubic_metres_per_cubic_foot / 60),
                   number_text(amount(power, "air_rise_kelvin")))},
      {"Energy of the campaign", energy(amount(power, "facility_kwh")),
       fmt::format("{} of it IT; PUE of {}, {}", energy(amount(power, "it_kwh")),
                   number_text(amount(power, "pue")), power.require("plant").string())},
      {"CO2 of the campaign", to_text(Mass{amount(power, "co2_kg")}),
       fmt::format("grid of {}, {} g/kWh", power.require("grid").string(),
                   number_text(amount(power, "g_co2_per_kwh")))}};
  return out;
}

}  // namespace

Section campaign_power_section(const Json& power) {
  Section out{"power", "Power and cooling", {}};
  if (!power.require("known").boolean()) {
    out.blocks.push_back({Paragraph{power.require("statement").string()}});
    return out;
  }
  out.blocks.push_back({Paragraph{statement(power)}});
  out.blocks.push_back({levels(power), Audience::document});
  if (!power.require("day").array().empty()) {
    out.blocks.push_back({day_chart(power), Audience::document});
    out.blocks.push_back({Paragraph{fmt::format(
                              "The hours are those of the simulated use, over {} after the warm-up; the band "
                              "is that of the days. A day begins when the campaign does.",
                              counted(static_cast<std::int64_t>(amount(power, "days")), "day"))},
                          Audience::document});
  }
  out.blocks.push_back({campaign_chart(power), Audience::document});
  out.blocks.push_back({draw_table(power), Audience::document});
  out.blocks.push_back({heat(power)});
  return out;
}

}  // namespace rackcast::reports
