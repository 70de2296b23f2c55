#include "scenarios/site/site_conflicts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/result/result.hpp"
#include "scenarios/site/power_report.hpp"
#include "scenarios/site/site_report.hpp"
#include "sim/units/quantity_text.hpp"
#include "sim/units/told_apart.hpp"

namespace rackcast {

namespace {

/// A limit is broken by a sum above it, even one that leaves something out. One below it that leaves
/// something out decides nothing.
class LimitChecks {
 public:
  explicit LimitChecks(std::vector<Conflict>& out) : out_(out) {}

  /// `need` over `allowed`, both as texts, too; `missing`: what the sum leaves out, empty if nothing.
  void check(const char* name, double share, const std::string& need, const std::string& allowed,
             const std::string& statement, const std::string& missing) {
    if (share > 1 + 1e-9)
      out_.push_back({name, allowed, std::string{at_least(!missing.empty())} + need, statement});
    else if (!missing.empty())
      undecided(name, allowed, missing);
  }
  void undecided(const char* name, const std::string& allowed, const std::string& missing) {
    out_.push_back({name, allowed, "unknown: " + missing,
                    fmt::format("Whether {} is enough cannot be decided without {}.", allowed, missing)});
  }

 private:
  std::vector<Conflict>& out_;
};

std::string missing_units(const MissingFacts& missing) {
  return missing.units.empty() ? std::string{} : missing_text("rack units", missing.units);
}

std::string missing_power(const MissingFacts& missing) {
  return missing.power.empty() ? std::string{} : missing_text("power", missing.power);
}

void check_racks(const SiteSpec& site, const SitePlan& plan, std::vector<Conflict>& out) {
  for (const std::string& why : plan.misfits) {
    out.push_back(
        {"rack", "a rack for every device", plan.rack.name, fmt::format("No rack takes it: {}.", why)});
  }
  const MissingFacts missing = plan.missing();
  const std::string no_units = missing_units(missing);
  LimitChecks limits{out};
  if (site.racks.power && !missing.power.empty())
    limits.undecided("rack", fmt::format("{} a rack", to_text(*site.racks.power)), missing_power(missing));
  if (const auto& most = site.racks.max_units) {
    const double units = plan.rack_units();
    limits.check("rack_units", units / *most, fmt::format("{:g} units", units),
                 fmt::format("{} units", *most),
                 fmt::format("The equipment takes {}{:g} rack units; the site has {}.",
                             at_least(!no_units.empty()), units, *most),
                 no_units);
  }
  if (!plan.packing && !plan.misfits.empty()) return;
  const auto racks = plan.packing ? static_cast<int>(plan.packing->racks.size()) : 0;
  if (const auto& most = site.racks.max_racks)
    limits.check(
        "max_racks", static_cast<double>(racks) / *most, fmt::format("{} racks", racks),
        fmt::format("{} racks", *most),
        fmt::format("The equipment fills {}{} racks (no packing takes fewer than {}); the site has {}.",
                    at_least(!no_units.empty()), racks, plan.packing ? plan.packing->lower_bound : 0, *most),
        no_units);
  if (!site.floor.area) return;
  const Area needed = racks * plan.area_per_rack;
  limits.check("floor_area", needed / *site.floor.area, told_apart(needed, *site.floor.area),
               to_text(*site.floor.area),
               fmt::format("{}{} racks of {} each, aisles included, take {}; the site has {}.",
                           at_least(!no_units.empty()), racks, to_text(plan.area_per_rack),
                           told_apart(needed, *site.floor.area), to_text(*site.floor.area)),
               no_units);
}

void check_power(const SiteSpec& site, const SitePlan& plan, std::vector<Conflict>& out) {
  if (!site.power.feed) return;
  const Power it = site.racks.nameplate ? plan.nameplate() : plan.typical();
  const Power needed = plan.pue.value * it;
  const Power usable = *site.power.usable_feed();
  const bool all = site.power.redundancy == Redundancy::none;
  const std::string no_power = missing_power(plan.missing());
  LimitChecks{out}.check(
      "site_power", needed / usable, told_apart(needed, usable), to_text(usable),
      fmt::format("{}{} of IT ({}) with a PUE of {:.3g} draw {}; {} {}.", at_least(!no_power.empty()),
                  to_text(it), site.racks.nameplate ? "nameplate" : "typical", plan.pue.value,
                  told_apart(needed, usable),
                  all ? "the feed is" : "what the feed carries with a part of it failed is", to_text(usable)),
      no_power);
}

void check_budgets(const Catalog& catalog, const SiteSpec& site, const SitePlan& plan, const Cluster& cluster,
                   const std::vector<SiteRun>& runs, std::vector<Conflict>& out) {
  if (!site.prices) return;
  const PriceOptions& prices = *site.prices;
  if (!prices.budget && !prices.opex_budget && !prices.total_budget) return;
  std::optional<NetworkReport> network;
  if (cluster.fabric.leaves > 0) network = network_report(catalog, plan, cluster);
  const auto bill = bill_of_materials(catalog, site, plan, network);
  const CostReport cost =
      cost_report(catalog, site, plan, cluster, power_report(catalog, site, plan, cluster, runs), bill);
  const auto check = [&](const char* name, Money need, Money allowed, const char* what, const char* of,
                         const std::string& missing) {
    LimitChecks{out}.check(name, need / allowed, told_apart(need, allowed), to_text(allowed),
                           fmt::format("{} {}{} at prices of {}; {} is {}.", what, at_least(!missing.empty()),
                                       told_apart(need, allowed), prices.date, of, to_text(allowed)),
                           missing.empty() ? missing : missing + " (give prices under site.prices.items)");
  };
  if (prices.budget)
    check("budget", cost.own.capex, *prices.budget, "The equipment costs", "the budget",
          missing_text(cost.lacking, false));
  const std::string any = missing_text(cost.lacking);
  if (prices.opex_budget)
    check("opex_budget", (cost.own.total(cost.utilisation) - cost.own.capital()) * hours_of_year,
          *prices.opex_budget * hours_of_year, "A year of operation costs", "the budget for it", any);
  if (prices.total_budget)
    check("total_budget", cost.own.over_life(cost.utilisation), *prices.total_budget,
          "Buying it and running it until it is written off costs", "the budget for it", any);
}

}  // namespace

std::vector<Conflict> site_conflicts(const Catalog& catalog, const SiteSpec& site, const Cluster& cluster,
                                     int spares, const StorageSpec& storage,
                                     const std::vector<SiteRun>& runs) {
  std::vector<Conflict> out;
  const SitePlan plan = site_plan(catalog, site, cluster, spares, storage);
  check_racks(site, plan, out);
  check_power(site, plan, out);
  check_budgets(catalog, site, plan, cluster, runs, out);
  return out;
}

}  // namespace rackcast
