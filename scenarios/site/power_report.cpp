#include "scenarios/site/power_report.hpp"

#include <algorithm>
#include <cmath>

#include "scenarios/names/placed.hpp"
#include "sim/base/normal.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {

namespace {

Power cap_of(const SiteSpec& site) {
  return site.power.gpu_cap.value_or(Power{INFINITY});
}

/// The power behind the plug, by what draws it, with nodes as busy as given.
void add_consumers(const SitePlan& plan, const std::vector<Power>& each, PowerReport& out) {
  for (std::size_t i = 0; i < plan.devices.size(); ++i) {
    const Power all = plan.devices[i].item.count * each[i];
    switch (plan.devices[i].role) {
      case DeviceRole::node:
      case DeviceRole::idle:
      case DeviceRole::spare:
        out.nodes += all;
        break;
      case DeviceRole::storage:
        out.storage += all;
        break;
      case DeviceRole::equipment:
        out.equipment += all;
        break;
      default:
        out.switches += all;
    }
  }
}

void add_step(const NodePower& node, Power cap, const TrainingRun& run, PowerReport& out) {
  const StepParts& p = run.parts;
  const Power waiting = node.at(0, cap).wall, busy = node.at(1 - run.host_share, cap).wall;
  for (const StepPart& part : step_part_list)
    if (p.*part.time > Duration{0})
      out.step.push_back({std::string{part.name}, p.*part.time, part.computes ? busy : waiting});
}

void add_heat(const Catalog& catalog, const SiteSpec& site, PowerReport& out) {
  out.btu_per_hour = btu_per_hour(out.nameplate);
  out.tons = cooling_tons(catalog, out.nameplate);
  out.air_rise = site.cooling.air_rise_kelvin;
  out.air_cfm = cubic_feet_per_minute(air_flow(out.nameplate, out.air_rise));
}

void add_year(const Catalog& catalog, const SiteSpec& site, const SitePlan& plan, PowerReport& out) {
  const Duration year{365.25 * 86400};
  out.utilisation = site.power.utilisation;
  out.it_year = (out.utilisation * Power{out.it.value} + (1 - out.utilisation) * out.idle) * year;
  out.facility_year = plan.pue.value * out.it_year;
  const GridOptions& grid = site.grid;
  if (grid.intensity) {
    out.intensity = {*grid.intensity, Confidence::verified, "the scenario", ""};
    out.region = "given";
  } else {
    out.region = grid.region.name.empty() ? "world" : grid.region.name;
    out.intensity = placed(grid.region.where, [&] { return grid_intensity(catalog, out.region); });
    out.intensity_year = catalog.find("facility", "grid_intensity").require(out.region).year();
  }
  out.co2_year = out.intensity.value * out.facility_year;
  constexpr double joules_per_kwh = 3.6e6;
  if (plan.pue.water_l_per_kwh)
    out.water_litres_year = *plan.pue.water_l_per_kwh * out.it_year.base() / joules_per_kwh;
}

}  // namespace

double busy_fraction(const TrainingRun& run) {
  const StepParts& p = run.parts;
  return p.total > Duration{0} ? (1 - run.host_share) * ((p.forward + p.backward + p.optimizer) / p.total)
                               : 0;
}

std::vector<Power> expected_power(const Catalog& catalog, const SiteSpec& site, const SitePlan& plan,
                                  const Cluster& cluster, double busy) {
  const NodePower node = node_power(catalog, cluster.node, site.power.psu);
  std::vector<Power> out;
  for (const SiteDevice& d : plan.devices) {
    const bool waits = (d.role == DeviceRole::spare || d.role == DeviceRole::idle) && node.known;
    const bool modelled = d.role == DeviceRole::node && node.known;
    out.push_back(waits ? node.idle : modelled ? node.at(busy, cap_of(site)).wall : d.typical);
  }
  return out;
}

PowerReport power_report(const Catalog& catalog, const SiteSpec& site, const SitePlan& plan,
                         const Cluster& cluster, const std::vector<SiteRun>& runs) {
  PowerReport out;
  const NodePower node = node_power(catalog, cluster.node, site.power.psu);
  const Power cap = cap_of(site);
  out.known = node.known;
  out.nameplate = plan.nameplate();
  out.typical = plan.typical();
  out.feed = site.power;
  if (!node.known) {
    out.unrated = cluster.node.name;
    return out;
  }
  out.busy = busy_fraction(runs.front().run);
  const auto it_power = [&](double busy) {
    Power sum{0};
    const auto each = expected_power(catalog, site, plan, cluster, busy);
    for (std::size_t i = 0; i < each.size(); ++i) sum += plan.devices[i].item.count * each[i];
    return sum;
  };
  add_consumers(plan, expected_power(catalog, site, plan, cluster, out.busy), out);
  const Power it = it_power(out.busy);
  const double spread = std::exp(half_of_90_percent * node.log_sigma);
  // No device draws more than its rating.
  out.it = {it.base(), (it - out.nodes * (1 - 1 / spread)).base(),
            std::min(it + (spread - 1) * out.nodes, std::max(it, out.nameplate)).base(), "W"};
  out.psu_loss =
      plan.count(DeviceRole::node) * node.at(out.busy, cap).psu_loss +
      (plan.count(DeviceRole::idle) + plan.count(DeviceRole::spare)) * (1 - node.efficiency) * node.idle;
  out.idle = it - out.nodes + cluster.nodes * node.idle;
  out.facility = plan.pue.value * it;
  out.gpu_cap = site.power.gpu_cap;
  if (out.gpu_cap)
    out.cap_speed =
        placed(site.power.gpu_cap_where, [&] { return capped_speed(node.gpu, node.gpu_limit, cap); });
  out.gpu = gpu_power(node.gpu, node.gpu_limit, 1, cap);
  out.gpu_model = node.gpu.device;
  out.gpu_borrowed = node.gpu.borrowed;
  add_step(node, cap, runs.front().run, out);
  add_heat(catalog, site, out);
  add_year(catalog, site, plan, out);
  for (const SiteRun& r : runs) {
    const double busy = busy_fraction(r.run);
    const Energy energy = it_power(busy) * r.time;
    out.runs.push_back({r.model, r.title, r.time, r.of_time, busy, energy, plan.pue.value * energy,
                        out.intensity.value * (plan.pue.value * energy)});
  }
  return out;
}

}  // namespace rackcast
