/// Power over a step, a run and a year; heat and air; CO2.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"
#include "reports/sentences/row_sentences.hpp"
#include "reports/sentences/site_sentences.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast::reports {
namespace {

std::string watts(std::optional<double> value) {
  return value ? to_text(Power{*value}) : "unknown";
}

std::string energy(std::optional<double> kwh) {
  return kwh ? number_text(*kwh) + " kWh" : "unknown";
}

std::string mass(std::optional<double> kilograms) {
  return kilograms ? to_text(Mass{*kilograms}) : "unknown";
}

StackedBar consumers(const SitePower& p, bool open) {
  StackedBar bar;
  bar.caption = "Who draws the power while " + p.activity;
  const auto add = [&bar](const char* label, std::optional<double> value) {
    if (value.value_or(0) > 0) bar.parts.push_back({label, *value, watts(value)});
  };
  add("nodes", p.nodes_w);
  add("switches", p.switches_w);
  add("storage", p.storage_w);
  add("other equipment", p.equipment_w);
  if (p.facility_w && p.it_w) add("cooling and distribution", *p.facility_w - *p.it_w);
  bar.total_text = sum_text(watts(p.facility_w) + " for the site", open);
  return bar;
}

/// What the equipment is rated for beside what it draws.
BarChart levels(const SitePower& p) {
  BarChart chart;
  chart.axis = {"Power of the IT equipment", Axis::Kind::watts};
  const auto add = [&](const std::string& label, std::optional<double> value, Tone tone = Tone::plain) {
    if (value.value_or(0) > 0)
      chart.bars.push_back(
          {.label = label, .value = *value, .text = watts(value), .low = {}, .high = {}, .tone = tone});
  };
  add("Nameplate", p.nameplate_w, Tone::bad);
  add("Typical", p.typical_w);
  add(working_label(p.activity), p.it_w, Tone::good);
  if (!chart.bars.empty() && chart.bars.back().tone == Tone::good) {
    chart.bars.back().low = p.it_low_w;
    chart.bars.back().high = p.it_high_w;
  }
  add("Idle", p.idle_w);
  chart.data.caption = "Power of the IT equipment";
  chart.data.columns = {{"Level"}, {"Power", Align::right}};
  for (const auto& bar : chart.bars) {
    chart.data.rows.push_back(
        {text_cell(bar.label), {bar.text, bar.value, "W", Tone::plain, bar.low, bar.high}});
  }
  chart.caption = p.nameplate_w.value_or(0) > 0 && p.it_w
                      ? fmt::format("{} draws {} of the nameplate power",
                                    p.activity == "training" ? "Training" : "Serving",
                                    percent_text(*p.it_w / *p.nameplate_w))
                      : std::string("Power of the IT equipment");
  return chart;
}

/// A day at the planned utilisation. When in the day the cluster trains is not modelled: its hours stand
/// first.
std::optional<Chart> day_chart(const SitePower& p) {
  if (!p.it_w || !p.idle_w || !p.utilisation) return std::nullopt;
  constexpr double day = 86400;
  const double pue = p.pue.value_or(1), train = day * std::min(1.0, *p.utilisation);
  struct Part {
    std::string name;
    double from, to, it, low, high;
  };
  std::vector<Part> parts;
  if (train > 0)
    parts.push_back(
        {p.activity, 0, train, *p.it_w, p.it_low_w.value_or(*p.it_w), p.it_high_w.value_or(*p.it_w)});
  if (train < day) parts.push_back({"idle", train, day, *p.idle_w, *p.idle_w, *p.idle_w});
  Chart chart;
  chart.x = {"Time of a day", Axis::Kind::seconds};
  chart.y = {"Power", Axis::Kind::watts};
  chart.lines = {{"IT, 90 % interval", {}}, {"Site, with cooling and distribution", {}}};
  chart.data.caption = "Power over a day";
  chart.data.columns = {
      {"The cluster is"}, {"Hours", Align::right}, {"IT", Align::right}, {"Site", Align::right}};
  double energy_j = 0;
  for (const Part& part : parts) {
    for (const double at : {part.from, part.to}) {
      chart.lines[0].points.push_back({at, part.it, part.low, part.high});
      chart.lines[1].points.push_back({at, pue * part.it, pue * part.it, pue * part.it});
    }
    energy_j += pue * part.it * (part.to - part.from);
    chart.data.rows.push_back({text_cell(part.name),
                               number_cell((part.to - part.from) / 3600, "h"),
                               {watts(part.it), part.it, "W", Tone::plain, part.low, part.high},
                               Cell{watts(pue * part.it), pue * part.it, "W"}});
  }
  if (p.nameplate_w) {
    chart.lines.push_back({.name = "IT, nameplate", .points = {}, .dashed = true});
    for (const double at : {0.0, day})
      chart.lines.back().points.push_back({at, *p.nameplate_w, *p.nameplate_w, *p.nameplate_w});
  }
  chart.caption = fmt::format(
      "A day of {} h of {} takes {}{}", number_text(train / 3600), p.activity, energy(energy_j / 3.6e6),
      train < day ? "; the hours are drawn in one piece: when they fall is not modelled" : "");
  return chart;
}

/// A node of a fleet that serves, whose power is linear in how busy its GPUs are
/// (models/power/node_power.hpp).
struct ServingNode {
  double waiting_w = 0, computing_w = 0;
};

std::optional<ServingNode> serving_node(const SitePower& p) {
  std::optional<double> waiting, computing;
  for (const auto& part : p.step) (part.name == "forward" ? computing : waiting) = part.node_w;
  if (!waiting || !computing || *computing <= 0) return std::nullopt;
  return ServingNode{*waiting, *computing};
}

/// The simulated load of each hour, as power.
std::optional<Chart> serving_day_chart(const SitePower& p, const Serving& serving) {
  const auto node = serving_node(p);
  if (!node || !p.it_w || p.nodes_w.value_or(0) <= 0 || serving.day.empty()) return std::nullopt;
  const auto at = [&](double busy) {
    return node->waiting_w + busy * (node->computing_w - node->waiting_w);
  };
  const double nodes = *p.nodes_w / at(p.busy.value_or(serving.busy)), others = *p.it_w - *p.nodes_w,
               pue = p.pue.value_or(1), nameplate = p.nameplate_w.value_or(0);
  const double low = (*p.it_w - p.it_low_w.value_or(*p.it_w)) / *p.nodes_w,
               high = (p.it_high_w.value_or(*p.it_w) - *p.it_w) / *p.nodes_w;  // shares of the nodes' power
  Chart chart;
  chart.x = {"Time of a day", Axis::Kind::seconds};
  chart.y = {"Power", Axis::Kind::watts};
  chart.lines = {{"IT, 90 % interval", {}}, {"Site, with cooling and distribution", {}}};
  chart.data.caption = "Power over a day";
  chart.data.columns = {{"Hour"},
                        {"Requests/s", Align::right},
                        {"GPUs compute", Align::right},
                        {"IT", Align::right},
                        {"Site", Align::right}};
  double joules = 0, least = INFINITY, most = 0;
  for (std::size_t h = 0; h < serving.day.size(); ++h) {
    const double of_nodes = nodes * at(serving.day[h].gpu.busy), it = others + of_nodes;
    const double from = 3600.0 * static_cast<double>(h);
    for (const double x : {from, from + 3600}) {
      chart.lines[0].points.push_back({x, it, it - low * of_nodes, it + high * of_nodes});
      chart.lines[1].points.push_back({x, pue * it, pue * it, pue * it});
    }
    joules += pue * it * 3600;
    least = std::min(least, it);
    most = std::max(most, it);
    chart.data.rows.push_back({text_cell(fmt::format("{:02}:00", h)),
                               number_cell(serving.day[h].requests_per_s, "1/s"),
                               percent_cell(serving.day[h].gpu.busy),
                               {watts(it), it, "W", Tone::plain, it - low * of_nodes, it + high * of_nodes},
                               Cell{watts(pue * it), pue * it, "W"}});
  }
  if (nameplate > 0) {
    chart.lines.push_back({.name = "IT, nameplate", .points = {}, .dashed = true});
    for (const double x : {0.0, 3600.0 * static_cast<double>(serving.day.size())})
      chart.lines.back().points.push_back({x, nameplate, nameplate, nameplate});
  }
  chart.caption = fmt::format("A day of serving takes {}; the IT draws between {} and {}",
                              energy(joules / 3.6e6), watts(least), watts(most));
  return chart;
}

KeyValues facts(const SitePower& p, bool open) {
  KeyValues out;
  const auto add = [&out](std::string label, std::string value, std::string detail = {}) {
    out.rows.push_back({std::move(label), std::move(value), std::move(detail)});
  };
  add("IT, " + working_label(p.activity, false), sum_text(watts(p.it_w), open),
      fmt::format("90 % interval {} to {}", watts(p.it_low_w), watts(p.it_high_w)));
  add("IT, nameplate", sum_text(watts(p.nameplate_w), open));
  add("IT, idle", sum_text(watts(p.idle_w), open));
  add("One GPU, computing", watts(p.gpu_w),
      (p.gpu_borrowed ? "borrowed from " : "measured on ") + measured_gpus_text(p.gpu_model));
  if (p.gpu_cap_w) {
    add("Power cap of a GPU", watts(p.gpu_cap_w),
        percent_text(p.gpu_cap_speed.value_or(1)) + " of its speed is left");
  }
  add("Lost in power supplies", watts(p.psu_loss_w), "part of the nodes' power");
  if (p.pue) {
    const bool range = p.pue_low.value_or(*p.pue) < *p.pue;
    add("PUE", number_text(*p.pue),
        p.plant + (p.climate.empty() ? "" : ", climate " + p.climate) +
            (range ? fmt::format(", {} to {}", number_text(*p.pue_low), number_text(*p.pue_high)) : ""));
  }
  add("Site, " + working_label(p.activity, false), sum_text(watts(p.facility_w), open));
  if (p.rack_mean_w.value_or(0) > 0)
    add("Per rack", watts(p.rack_mean_w), "mean; at most " + watts(p.rack_most_w));
  return out;
}

KeyValues heat(const SitePower& p, bool open) {
  KeyValues out;
  out.rows = {
      {"Heat to remove", sum_text(number_text(p.btu_per_h.value_or(0)) + " BTU/h", open),
       fmt::format("{} tons of cooling; of the nameplate power", number_text(p.cooling_tons.value_or(0)))},
      {"Air", sum_text(number_text(p.air_cfm.value_or(0)) + " CFM", open),
       fmt::format("{} m3/s, when it warms by {} K",
                   number_text(p.air_cfm.value_or(0) * 0.3048 * 0.3048 * 0.3048 / 60),
                   number_text(p.air_rise_kelvin.value_or(0)))},
      {"A year", sum_text(energy(p.facility_kwh_year), open),
       fmt::format("{} of it IT; {} {} of the time", energy(p.it_kwh_year), p.activity,
                   percent_text(p.utilisation.value_or(1)))},
      {"CO2 a year", sum_text(mass(p.co2_kg_year), open),
       fmt::format("grid of {}, {} g/kWh", p.grid, number_text(p.g_co2_per_kwh.value_or(0)))}};
  if (p.water_litres_year) {
    out.rows.push_back(
        {"Water a year", number_text(*p.water_litres_year / 1000) + " m3", "evaporated by the plant"});
  }
  return out;
}

Table step_table(const SitePower& p) {
  Table table;
  table.caption = "Power over one step, of a node";
  table.columns = {{"Part"}, {"Time", Align::right}, {"Node", Align::right}};
  for (const auto& part : p.step) {
    table.rows.push_back({text_cell(part.name), Cell{duration_text(part.seconds), part.seconds, "s"},
                          Cell{watts(part.node_w), part.node_w, "W"}});
  }
  return table;
}

Table run_table(const SitePower& p, bool open) {
  Table table;
  table.caption = p.activity == "training" ? "Energy of one training run on this cluster" : "Energy of a day";
  table.columns = {{"Workload"},         {"Time", Align::right}, {"GPUs compute", Align::right},
                   {"IT", Align::right}, {"Site", Align::right}, {"CO2", Align::right}};
  for (const auto& run : p.runs) {
    table.rows.push_back({text_cell(run.title), Cell{duration_text(run.seconds), run.seconds, "s"},
                          percent_cell(run.busy), sum_cell({energy(run.it_kwh), run.it_kwh, "kWh"}, open),
                          sum_cell({energy(run.facility_kwh), run.facility_kwh, "kWh"}, open),
                          sum_cell({mass(run.co2_kg), run.co2_kg, "kg"}, open)});
  }
  return table;
}

}  // namespace

Blocks power_section(const ResultDocument& document) {
  if (!document.site) return {};
  const SitePower& p = document.site->power;
  const bool open = !document.site->no_power.empty();
  Blocks blocks{{Paragraph{power_text(*document.site)}}};
  if (!p.known) return blocks;
  blocks.push_back({consumers(p, open), Audience::document});
  blocks.push_back({levels(p), Audience::document});
  auto by_hour = document.serving ? serving_day_chart(p, *document.serving) : std::nullopt;
  if (auto chart = by_hour ? std::move(by_hour) : day_chart(p))
    blocks.push_back({std::move(*chart), Audience::document});
  blocks.push_back({facts(p, open), Audience::document});
  blocks.push_back({Subheading{"Cooling and a year"}, Audience::document});
  blocks.push_back({heat(p, open)});
  if (!p.step.empty()) blocks.push_back({step_table(p), Audience::document});
  if (!p.runs.empty()) blocks.push_back({run_table(p, open), Audience::document});
  return blocks;
}

}  // namespace rackcast::reports
