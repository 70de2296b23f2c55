#include "scenarios/site/site_conflicts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/names/count_text.hpp"
#include "scenarios/site/power_report.hpp"
#include "scenarios/site/site_report.hpp"
#include "sim/units/quantity_text.hpp"
#include "sim/units/told_apart.hpp"

namespace rackcast {

namespace {

std::string missing_units(const MissingFacts& missing) {
  return missing.units.empty() ? std::string{} : missing_text("rack units", missing.units);
}

std::string missing_power(const MissingFacts& missing) {
  return missing.power.empty() ? std::string{} : missing_text("power", missing.power);
}

/// Absent where the sum leaves nothing out.
doc::Reason::Fact missing_fact(const std::string& missing) {
  return {missing.empty() ? std::string_view{} : "missing", missing};
}

void add_racks(const SiteSpec& site, const SitePlan& plan, std::vector<LimitValue>& out) {
  for (const std::string& why : plan.misfits)
    out.push_back({Limit::rack,
                   dropped,
                   "a rack for every device",
                   plan.rack.name,
                   {},
                   doc::Reason{"misfit", {{"why", why}}}});
  const MissingFacts missing = plan.missing();
  const std::string no_units = missing_units(missing);
  if (site.racks.power && !missing.power.empty())
    out.push_back({Limit::rack,
                   0,
                   fmt::format("{} a rack", to_text(*site.racks.power)),
                   {},
                   missing_power(missing),
                   {}});
  if (const auto& most = site.racks.max_units) {
    const double units = plan.rack_units();
    out.push_back(
        {Limit::rack_units, units / *most, count_of(*most, "unit"), fmt::format("{:g} units", units),
         no_units,
         doc::Reason{"rack_units", {missing_fact(no_units), {"units", units}, {"allowed", *most}}}});
  }
  if (!plan.packing && !plan.misfits.empty()) return;
  const auto racks = plan.packing ? static_cast<int>(plan.packing->racks.size()) : 0;
  if (const auto& most = site.racks.max_racks)
    out.push_back({Limit::max_racks, static_cast<double>(racks) / *most, count_of(*most, "rack"),
                   count_of(racks, "rack"), no_units,
                   doc::Reason{"racks",
                               {missing_fact(no_units),
                                {"racks", racks},
                                {"lower_bound", plan.packing ? plan.packing->lower_bound : 0},
                                {"allowed", *most}}}});
  if (!site.floor.area) return;
  const Area needed = racks * plan.area_per_rack;
  out.push_back({Limit::floor_area, needed / *site.floor.area, to_text(*site.floor.area),
                 told_apart(needed, *site.floor.area), no_units,
                 doc::Reason{"floor_area",
                             {missing_fact(no_units),
                              {"racks", racks},
                              {"rack_m2", plan.area_per_rack.base()},
                              {"needed_m2", needed.base()},
                              {"allowed_m2", site.floor.area->base()}}}});
}

}  // namespace

std::vector<LimitValue> limits_of_site(const SiteSpec& site, const SitePlan& plan) {
  std::vector<LimitValue> out;
  add_racks(site, plan, out);
  if (!site.power.feed) return out;
  const Power it = site.racks.nameplate ? plan.nameplate() : plan.typical();
  const Power needed = plan.pue.value * it;
  const Power usable = *site.power.usable_feed();
  const std::string no_power = missing_power(plan.missing());
  out.push_back({Limit::site_power, needed / usable, to_text(usable), told_apart(needed, usable), no_power,
                 doc::Reason{"feed",
                             {missing_fact(no_power),
                              {"basis", site.racks.nameplate ? "nameplate" : "typical"},
                              {"it_w", it.base()},
                              {"pue", plan.pue.value},
                              {"needed_w", needed.base()},
                              {"usable_w", usable.base()},
                              {"redundant", site.power.redundancy != Redundancy::none}}}});
  return out;
}

std::vector<LimitValue> limits_of_money(const SiteSpec& site, const CostReport& cost) {
  std::vector<LimitValue> out;
  const PriceOptions& prices = *site.prices;
  const auto add = [&](Limit limit, Money need, Money allowed, const std::string& missing) {
    const char* period = limit == Limit::opex_budget ? " a year" : "";
    out.push_back({limit, need / allowed, to_text(allowed) + period, told_apart(need, allowed) + period,
                   missing.empty() ? missing : missing + " (give prices under site.prices.items)",
                   doc::Reason{"money",
                               {missing_fact(missing),
                                {"limit", to_string(limit)},
                                {"date", prices.date},
                                {"needed_usd", need.base()},
                                {"allowed_usd", allowed.base()}}}});
  };
  if (prices.budget) add(Limit::budget, cost.own.capex, *prices.budget, missing_text(cost.lacking, false));
  const std::string any = missing_text(cost.lacking);
  if (prices.opex_budget)
    add(Limit::opex_budget, (cost.own.total(cost.utilisation) - cost.own.capital()) * hours_of_year,
        *prices.opex_budget * hours_of_year, any);
  if (prices.total_budget)
    add(Limit::total_budget, cost.own.over_life(cost.utilisation), *prices.total_budget, any);
  return out;
}

std::vector<Conflict> site_conflicts(const Catalog& catalog, const SiteSpec& site, const Cluster& cluster,
                                     int spares, const StorageSpec& storage,
                                     const std::vector<SiteRun>& runs) {
  const SitePlan plan = site_plan(catalog, site, cluster, spares, storage);
  std::vector<LimitValue> limits = limits_of_site(site, plan);
  if (site.prices && (site.prices->budget || site.prices->opex_budget || site.prices->total_budget)) {
    std::optional<NetworkReport> network;
    if (cluster.fabric.leaves > 0) network = network_report(catalog, plan, cluster);
    const auto bill = bill_of_materials(catalog, site, plan, network);
    const auto of_money = limits_of_money(
        site,
        cost_report(catalog, site, plan, cluster, power_report(catalog, site, plan, cluster, runs), bill));
    limits.insert(limits.end(), of_money.begin(), of_money.end());
  }
  return conflicts_of(limits);
}

}  // namespace rackcast
