#include "reports/pages/campaign_power.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/blocks/format.hpp"
#include "reports/sentences/reason_sentences.hpp"
#include "sim/units/quantity_text.hpp"

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

using PowerFigures = doc::CampaignPower::Figures;

std::string statement(const PowerFigures& power) {
  const bool open = !power.no_power.empty();
  const doc::Prediction& mean = power.mean;
  const double nameplate = power.nameplate_w;
  return fmt::format(
      "Over the campaign the IT draws {} on average (90 % interval {} to {}), {} of its nameplate of {}, and "
      "{} in "
      "its busiest hour. With a PUE of {} the site takes {} in all, {} of it IT.{}",
      sum_text(watts(mean.value), open), watts(mean.low), watts(mean.high),
      percent_text(nameplate > 0 ? mean.value / nameplate : 0), sum_text(watts(nameplate), open),
      sum_text(watts(power.busiest_hour_w), open), number_text(power.pue),
      sum_text(energy(power.facility_kwh), open), energy(power.it_kwh),
      open ? " These sums are " + left_out_text(power.no_power, "power") + "." : "");
}

doc::Prediction exact_watts(double value) {
  return {value, value, value, "W"};
}

/// What the equipment is rated for beside what the jobs make it draw.
BarChart levels(const PowerFigures& power) {
  BarChart chart;
  chart.axis = {"Power of the IT equipment", Axis::Kind::watts};
  const auto add = [&chart](std::string label, const doc::Prediction& v, Tone tone) {
    const bool band = v.low < v.high;
    chart.bars.push_back({.label = std::move(label),
                          .value = v.value,
                          .text = watts(v.value),
                          .low = band ? std::optional(v.low) : std::nullopt,
                          .high = band ? std::optional(v.high) : std::nullopt,
                          .tone = tone});
  };
  const doc::Prediction& mean = power.mean;
  const double nameplate = power.nameplate_w;
  add("Nameplate", exact_watts(power.nameplate_w), Tone::bad);
  add("Every node at work", power.all_busy, Tone::plain);
  add("Busiest hour", exact_watts(power.busiest_hour_w), Tone::plain);
  add("Mean of the campaign", mean, Tone::good);
  add("Idle", exact_watts(power.idle_w), Tone::plain);
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
void add_step(Chart::Line& line, double from, double to, const doc::Prediction& v) {
  line.points.push_back({from, v.value, v.low, v.high});
  line.points.push_back({to, v.value, v.low, v.high});
}

void add_nameplate(Chart& chart, double nameplate, double end) {
  chart.lines.push_back({.name = "IT, nameplate", .points = {}, .dashed = true});
  add_step(chart.lines.back(), 0, end, exact_watts(nameplate));
}

std::string clock(std::size_t h) {
  return fmt::format("{:02}:00", h);
}

Chart day_chart(const PowerFigures& power) {
  const double nameplate = power.nameplate_w;
  const std::vector<doc::CampaignPower::Hour>& hours = power.day;
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
    const doc::Prediction it{hours[h].mean_w, hours[h].least_w, hours[h].most_w, "W"};
    const double site = power.pue * it.value, from = static_cast<double>(h) * hour;
    means.push_back(it.value);
    if (it.value > means[most]) most = h;
    if (it.value < means[least]) least = h;
    add_step(chart.lines[0], from, from + hour, it);
    add_step(chart.lines[1], from, from + hour, exact_watts(site));
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

Chart campaign_chart(const PowerFigures& power) {
  Chart chart;
  chart.x = {"Time since the start", Axis::Kind::days};
  chart.y = {"Power", Axis::Kind::watts};
  chart.lines = {{"IT, 90 % interval", {}}, {"Site, with cooling and distribution", {}}};
  chart.data.caption = "Power over the campaign";
  chart.data.columns = {{"From", Align::right}, {"IT", Align::right}, {"Site", Align::right}};
  double end = 0, least = 0, most = 0;
  for (const doc::CampaignPower::Part& part : power.parts) {
    const double from = part.from_s;
    const doc::Prediction it{part.it_w, part.it_low_w, part.it_high_w, "W"};
    const double site = power.pue * it.value;
    end = from + part.seconds;
    least = chart.lines[0].points.empty() ? it.value : std::min(least, it.value);
    most = std::max(most, it.value);
    add_step(chart.lines[0], from / day, end / day, it);
    add_step(chart.lines[1], from / day, end / day, exact_watts(site));
    chart.data.rows.push_back(
        {Cell{duration_text(from), from, "s"}, watt_cell(it.value, it.low, it.high), watt_cell(site)});
  }
  add_nameplate(chart, power.nameplate_w, end / day);
  chart.caption = fmt::format("Over the campaign the IT draws between {} and {}", watts(least), watts(most));
  return chart;
}

Table draw_table(const PowerFigures& power) {
  Table table;
  table.caption = "A node at work";
  table.columns = {{"Stream"}, {"As it trains"}, {"GPUs compute", Align::right}, {"Node", Align::right}};
  for (const doc::CampaignPower::Draw& d : power.draws)
    table.rows.push_back(
        {text_cell(d.stream), text_cell(d.workload), percent_cell(d.busy), watt_cell(d.node_w)});
  table.rows.push_back({text_cell("no job"), {}, {}, watt_cell(power.node_idle_w)});
  return table;
}

KeyValues heat(const PowerFigures& power) {
  constexpr double cubic_metres_per_cubic_foot = 0.3048 * 0.3048 * 0.3048;
  const double cfm = power.air_cfm;
  const bool open = !power.no_power.empty();
  KeyValues out;
  out.rows = {
      {"Heat to remove", sum_text(number_text(power.btu_per_h) + " BTU/h", open),
       fmt::format("{} tons of cooling; of the nameplate power", number_text(power.cooling_tons))},
      {"Air", sum_text(number_text(cfm) + " CFM", open),
       fmt::format("{} m3/s, when it warms by {} K", number_text(cfm * cubic_metres_per_cubic_foot / 60),
                   number_text(power.air_rise_kelvin))},
      {"Energy of the campaign", sum_text(energy(power.facility_kwh), open),
       fmt::format("{} of it IT; PUE of {}, {}", energy(power.it_kwh), number_text(power.pue), power.plant)},
      {"CO2 of the campaign", sum_text(to_text(Mass{power.co2_kg}), open),
       fmt::format("grid of {}, {} g/kWh", power.grid, number_text(power.g_co2_per_kwh))}};
  return out;
}

}  // namespace

Section campaign_power_section(const doc::CampaignPower& document) {
  Section out{"power", "Power and cooling", {}};
  if (!document.known) {
    out.blocks.push_back({Paragraph{why_text(document.why)}});
    return out;
  }
  const PowerFigures& power = document.figures;
  out.blocks.push_back({Paragraph{statement(power)}});
  out.blocks.push_back({levels(power), Audience::document});
  if (!power.day.empty()) {
    out.blocks.push_back({day_chart(power), Audience::document});
    out.blocks.push_back({Paragraph{fmt::format(
                              "The hours are those of the simulated use, over {} after the warm-up; the band "
                              "is that of the days. A day begins when the campaign does.",
                              counted(power.days, "day"))},
                          Audience::document});
  }
  out.blocks.push_back({campaign_chart(power), Audience::document});
  out.blocks.push_back({draw_table(power), Audience::document});
  out.blocks.push_back({heat(power)});
  return out;
}

}  // namespace rackcast::reports
