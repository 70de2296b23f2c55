#include "scenarios/site/site_conflicts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/result.hpp"
#include "scenarios/site/power_report.hpp"
#include "scenarios/site/site_report.hpp"
#include "sim/quantity_text.hpp"

namespace rackcast {

namespace {

void check_racks(const SiteSpec& site, const SitePlan& plan, std::vector<Conflict>& out) {
  for (const std::string& why : plan.misfits) {
    out.push_back(
        {"rack", "a rack for every device", plan.rack.name, fmt::format("No rack takes it: {}.", why)});
  }
  double units = 0;
  for (const SiteDevice& d : plan.devices) units += d.item.count * d.item.units;
  if (site.racks.max_units && units > *site.racks.max_units) {
    out.push_back(
        {"rack_units", fmt::format("{:g} units", units), fmt::format("{} units", *site.racks.max_units),
         fmt::format("The equipment takes {:g} rack units; the site has {}.", units, *site.racks.max_units)});
  }
  if (!plan.packing) return;
  const auto racks = static_cast<int>(plan.packing->racks.size());
  if (site.racks.max_racks && racks > *site.racks.max_racks) {
    out.push_back(
        {"max_racks", fmt::format("{} racks", racks), fmt::format("{} racks", *site.racks.max_racks),
         fmt::format("The equipment fills {} racks (no packing takes fewer than {}); the site has {}.", racks,
                     plan.packing->lower_bound, *site.racks.max_racks)});
  }
  if (!site.floor.area) return;
  const Area needed = racks * plan.area_per_rack;
  if (needed > *site.floor.area * (1 + 1e-9)) {
    out.push_back({"floor_area", to_text(needed), to_text(*site.floor.area),
                   fmt::format("{} racks of {} each, aisles included, take {}; the site has {}.", racks,
                               to_text(plan.area_per_rack), to_text(needed), to_text(*site.floor.area))});
  }
}

void check_power(const SiteSpec& site, const SitePlan& plan, std::vector<Conflict>& out) {
  if (!site.power.feed) return;
  const Power it = site.racks.nameplate ? plan.nameplate() : plan.typical();
  const Power needed = plan.pue.value * it;
  const Power usable = *site.power.usable_feed();
  if (needed <= usable * (1 + 1e-9)) return;
  const bool all = site.power.redundancy == Redundancy::none;
  out.push_back({"site_power", to_text(needed), to_text(usable),
                 fmt::format("{} of IT ({}) with a PUE of {:.3g} draw {}; {} {}.", to_text(it),
                             site.racks.nameplate ? "nameplate" : "typical", plan.pue.value, to_text(needed),
                             all ? "the feed is" : "what the feed carries with a part of it failed is",
                             to_text(usable))});
}

/// Holds sums of money against what may be spent; half a sum proves nothing.
class Budgets {
 public:
  Budgets(const PriceOptions& prices, const std::vector<BillRow>& bill, std::vector<Conflict>& out)
      : prices_(prices), out_(out) {
    const auto row = std::ranges::find_if(bill, [](const BillRow& r) { return !r.price; });
    if (row != bill.end()) unpriced_ = &*row;
  }

  void check(const char* name, Money need, Money allowed, const char* what, const char* of) {
    if (need > allowed * (1 + 1e-9)) {
      out_.push_back({name, to_text(need), to_text(allowed),
                      fmt::format("{} {} at prices of {}; {} is {}.", what, to_text(need), prices_.date, of,
                                  to_text(allowed))});
    } else if (unpriced_) {
      out_.push_back({name, "a price of " + unpriced_->item, to_text(allowed),
                      fmt::format("The budget of {} cannot be held against {}: {}. Give it under "
                                  "site.prices.items.",
                                  to_text(allowed), unpriced_->item, unpriced_->note)});
    }
  }

 private:
  const PriceOptions& prices_;
  std::vector<Conflict>& out_;
  const BillRow* unpriced_ = nullptr;
};

void check_budgets(const Catalog& catalog, const SiteSpec& site, const SitePlan& plan, const Cluster& cluster,
                   const std::vector<SiteRun>& runs, std::vector<Conflict>& out) {
  if (!site.prices) return;
  const PriceOptions& prices = *site.prices;
  if (!prices.budget && !prices.opex_budget && !prices.total_budget) return;
  std::optional<NetworkReport> network;
  if (cluster.fabric.leaves > 0) network = network_report(catalog, plan, cluster);
  const auto bill = bill_of_materials(catalog, site, plan, network);
  Budgets budgets{prices, bill, out};
  if (prices.budget)
    budgets.check("budget", bill_total(bill), *prices.budget, "The equipment costs", "the budget");
  if (!prices.opex_budget && !prices.total_budget) return;
  const CostReport cost =
      cost_report(catalog, site, plan, cluster, power_report(catalog, site, plan, cluster, runs), bill);
  if (prices.opex_budget)
    budgets.check("opex_budget", (cost.own.total(cost.utilisation) - cost.own.capital()) * hours_of_year,
                  *prices.opex_budget * hours_of_year, "A year of operation costs", "the budget for it");
  if (prices.total_budget)
    budgets.check("total_budget", cost.own.over_life(cost.utilisation), *prices.total_budget,
                  "Buying it and running it until it is written off costs", "the budget for it");
}

}  // namespace

std::vector<Conflict> site_conflicts(const Catalog& catalog, const SiteSpec& site, const Cluster& cluster,
                                     const StorageSpec& storage, const std::vector<SiteRun>& runs) {
  std::vector<Conflict> out;
  const SitePlan plan = site_plan(catalog, site, cluster, storage);
  check_racks(site, plan, out);
  check_power(site, plan, out);
  check_budgets(catalog, site, plan, cluster, runs, out);
  return out;
}

}  // namespace rackcast
