#include <algorithm>
#include <map>

#include "scenarios/site/site_report.hpp"

namespace rackcast {

namespace {

std::vector<RackItem> with_power(std::vector<RackItem> items, const std::vector<Power>& power) {
  for (std::size_t i = 0; i < items.size(); ++i) items[i].power = power[i];
  return items;
}

/// Racks were the other basis of power to count; nothing if a device would not fit.
std::optional<int> racks_by(const SitePlan& plan, PackMethod method, bool nameplate) {
  const auto items = plan.items(nameplate);
  for (const RackItem& item : items) {
    if (item.count > 0 && misfit(item, plan.rack)) return std::nullopt;
  }
  return static_cast<int>(pack_racks(items, plan.rack, method).racks.size());
}

}  // namespace

RackReport rack_report(const SiteSpec& site, const SitePlan& plan, const std::vector<Power>& expected) {
  RackReport r;
  if (!plan.packing) return r;
  const auto items = plan.items();
  const auto nameplate = plan.items(true), typical = plan.items(false),
             in_training = with_power(items, expected);
  const auto elevations = rack_elevations(items, plan.packing->racks);
  std::map<RackCounts, std::size_t> known;
  for (std::size_t i = 0; i < plan.packing->racks.size(); ++i) {
    const RackCounts& counts = plan.packing->racks[i];
    const auto [it, fresh] = known.emplace(counts, r.groups.size());
    r.positions_of_rack.push_back(static_cast<int>(it->second));
    if (!fresh) {
      ++r.groups[it->second].count;
      continue;
    }
    const int units = rack_units(items, counts);
    r.groups.push_back({static_cast<int>(i) + 1, 1, counts, elevations[i], units,
                        std::max(units, plan.rack.units), plan.power_limit(counts),
                        rack_power(nameplate, counts), rack_power(typical, counts),
                        rack_power(in_training, counts), rack_weight(items, counts)});
  }
  r.by_nameplate = racks_by(plan, site.racks.method, true);
  r.by_typical = racks_by(plan, site.racks.method, false);
  return r;
}

}  // namespace rackcast
