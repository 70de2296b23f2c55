/// Power over a step, a run and a year; heat and air; CO2.
#include <fmt/format.h>

#include "reports/format.hpp"
#include "reports/sections/sections.hpp"
#include "sim/quantity_text.hpp"

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

StackedBar consumers(const SitePower& p) {
  StackedBar bar;
  bar.caption = "Who draws the power while it trains";
  const auto add = [&bar](const char* label, std::optional<double> value) {
    if (value.value_or(0) > 0) bar.parts.push_back({label, *value, watts(value)});
  };
  add("nodes", p.nodes_w);
  add("switches", p.switches_w);
  add("storage", p.storage_w);
  add("other equipment", p.equipment_w);
  if (p.facility_w && p.it_w) add("cooling and distribution", *p.facility_w - *p.it_w);
  bar.total_text = watts(p.facility_w) + " for the site";
  return bar;
}

KeyValues facts(const SitePower& p) {
  KeyValues out;
  const auto add = [&out](const char* label, std::string value, std::string detail = {}) {
    out.rows.push_back({label, std::move(value), std::move(detail)});
  };
  add("IT, in this training", watts(p.it_w),
      fmt::format("90 % interval {} to {}", watts(p.it_low_w), watts(p.it_high_w)));
  add("IT, nameplate", watts(p.nameplate_w));
  add("IT, idle", watts(p.idle_w));
  add("One GPU, computing", watts(p.gpu_w), "measured on " + p.gpu_model);
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
  add("Site, in this training", watts(p.facility_w));
  if (p.rack_mean_w.value_or(0) > 0)
    add("Per rack", watts(p.rack_mean_w), "mean; at most " + watts(p.rack_most_w));
  return out;
}

KeyValues heat(const SitePower& p) {
  KeyValues out;
  out.rows = {
      {"Heat to remove", number_text(p.btu_per_h.value_or(0)) + " BTU/h",
       fmt::format("{} tons of cooling; of the nameplate power", number_text(p.cooling_tons.value_or(0)))},
      {"Air", number_text(p.air_cfm.value_or(0)) + " CFM",
       fmt::format("{} m3/s, when it warms by {} K",
                   number_text(p.air_cfm.value_or(0) * 0.3048 * 0.3048 * 0.3048 / 60),
                   number_text(p.air_rise_kelvin.value_or(0)))},
      {"A year", energy(p.facility_kwh_year),
       fmt::format("{} of it IT; training {} of the time", energy(p.it_kwh_year),
                   percent_text(p.utilisation.value_or(1)))},
      {"CO2 a year", mass(p.co2_kg_year),
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

Table run_table(const SitePower& p) {
  Table table;
  table.caption = "Energy of one training run on this cluster";
  table.columns = {{"Workload"},         {"Time", Align::right}, {"GPUs compute", Align::right},
                   {"IT", Align::right}, {"Site", Align::right}, {"CO2", Align::right}};
  for (const auto& run : p.runs) {
    table.rows.push_back({text_cell(run.title), Cell{duration_text(run.seconds), run.seconds, "s"},
                          percent_cell(run.busy), Cell{energy(run.it_kwh), run.it_kwh, "kWh"},
                          Cell{energy(run.facility_kwh), run.facility_kwh, "kWh"},
                          Cell{mass(run.co2_kg), run.co2_kg, "kg"}});
  }
  return table;
}

}  // namespace

Blocks power_section(const ResultDocument& document) {
  if (!document.site) return {};
  const SitePower& p = document.site->power;
  Blocks blocks{{Paragraph{p.statement}}};
  if (!p.known) return blocks;
  blocks.push_back({consumers(p), Audience::document});
  blocks.push_back({facts(p), Audience::document});
  blocks.push_back({Subheading{"Cooling and a year"}, Audience::document});
  blocks.push_back({heat(p)});
  if (!p.step.empty()) blocks.push_back({step_table(p), Audience::document});
  if (!p.runs.empty()) blocks.push_back({run_table(p), Audience::document});
  return blocks;
}

}  // namespace rackcast::reports
