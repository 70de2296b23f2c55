#include "scenarios/site/site_conflicts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/result.hpp"
#include "scenarios/site/site_report.hpp"
#include "sim/quantity_text.hpp"

namespace rackcast {

namespace {

void check_racks(const SiteSpec& site, const SitePlan& plan, std::vector<Conflict>& out) {
  for (const std::string& why : plan.misfits) {
    out.push_back(
        {"rack", "a rack for every device", plan.rack.name, fmt::format("No rack takes it: {}.", why)});
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

void check_budget(const Catalog& catalog, const SiteSpec& site, const SitePlan& plan, const Cluster& cluster,
                  std::vector<Conflict>& out) {
  if (!site.prices || !site.prices->budget) return;
  std::optional<NetworkReport> network;
  if (cluster.fabric.leaves > 0) network = network_report(catalog, plan, cluster);
  const auto bill = bill_of_materials(catalog, site, plan, network);
  const auto unpriced = std::ranges::find_if(bill, [](const BillRow& row) { return !row.price; });
  const Money total = bill_total(bill), budget = *site.prices->budget;
  if (total > budget) {
    out.push_back({"budget", to_text(total), to_text(budget),
                   fmt::format("The equipment costs {} at prices of {}; the budget is {}.", to_text(total),
                               site.prices->date, to_text(budget))});
  } else if (unpriced != bill.end()) {
    out.push_back(
        {"budget", "a price of " + unpriced->item, to_text(budget),
         fmt::format("The budget of {} cannot be held against {}: {}. Give it under site.prices.items.",
                     to_text(budget), unpriced->item, unpriced->note)});
  }
}

}  // namespace

std::vector<Conflict> site_conflicts(const Catalog& catalog, const SiteSpec& site, const Cluster& cluster,
                                     const StorageSpec& storage) {
  std::vector<Conflict> out;
  const SitePlan plan = site_plan(catalog, site, cluster, storage);
  check_racks(site, plan, out);
  check_power(site, plan, out);
  check_budget(catalog, site, plan, cluster, out);
  return out;
}

}  // namespace rackcast
