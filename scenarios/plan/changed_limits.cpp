#include "scenarios/plan/changed_limits.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <type_traits>
#include <utility>

#include "models/data_path/storage.hpp"
#include "scenarios/names/count_text.hpp"
#include "scenarios/plan/limit_text.hpp"
#include "scenarios/site/site_plan.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

namespace {

constexpr double kTenth = 1.1;

int tenth_more_of(int count) {
  return static_cast<int>(std::ceil(kTenth * count - 1e-6));
}

template <class Change>
Scenario with_site(const Scenario& s, Change change) {
  SiteSpec site = *s.site;
  change(site);
  Scenario out = s;
  out.site = std::make_shared<const SiteSpec>(std::move(site));
  return out;
}

}  // namespace

std::vector<ChangedLimit> rack_limits(const Scenario& s, const SitePlan& plan) {
  const RackSpec& rack = plan.rack;
  std::vector<ChangedLimit> out;
  if (!s.site) return out;
  const RackOptions& stated = s.site->racks;
  const auto quantity = [&](const char* limit, auto now, auto member) {
    out.push_back({limit, to_text(now), to_text(kTenth * now),
                   with_site(s, [&](SiteSpec& site) { site.racks.*member = kTenth * now; })});
  };
  const auto whole = [&](const char* limit, int now, const char* what, auto member) {
    const int more = tenth_more_of(now);
    out.push_back({limit, count_of(now, what), count_of(more, what),
                   with_site(s, [&](SiteSpec& site) { site.racks.*member = more; })});
  };
  // Racks that come with their contents have a limit of their own, until the scenario states one for all.
  if (rack.power > Power{0} && (stated.power || !plan.own_cooling))
    quantity("rack_power", rack.power, &RackOptions::power);
  if (stated.units || stated.reserved_units) whole("units_of_rack", rack.units, "unit", &RackOptions::units);
  if (stated.load) quantity("rack_load", rack.load, &RackOptions::load);
  if (stated.depth) quantity("rack_depth", rack.depth, &RackOptions::depth);
  if (stated.outlets > 0) whole("rack_outlets", rack.outlets, "outlet", &RackOptions::outlets);
  if (stated.ports > 0) whole("rack_ports", rack.ports, "port", &RackOptions::ports);
  return out;
}

std::optional<ChangedLimit> gpu_cap_limit(const Scenario& s) {
  if (!s.site || !s.site->power.gpu_cap) return std::nullopt;
  const Power now = *s.site->power.gpu_cap, more = kTenth * now;
  return ChangedLimit{"gpu_cap", to_text(now), to_text(more),
                      with_site(s, [&](SiteSpec& site) { site.power.gpu_cap = more; })};
}

std::optional<ChangedLimit> storage_rate_limit(const StorageSpec& chosen, const Scenario& s,
                                               const Catalog& catalog) {
  if (chosen.array == "none") return std::nullopt;
  const StorageFacts facts = storage_facts(catalog, chosen.array);
  const Bandwidth now = chosen.count * facts.read;
  const char* where = facts.kind == StorageKind::local ? " of reads in each node" : " of reads";
  ChangedLimit out{"storage_throughput", to_text(now) + where, to_text(kTenth * now) + where, s};
  out.scenario.storage.speed *= kTenth;
  for (StorageSpec& other : out.scenario.search.storage) other.speed *= kTenth;
  return out;
}

std::optional<Scenario> with_more(const Scenario& s, Limit limit) {
  if (!s.site) return std::nullopt;
  SiteSpec site = *s.site;
  const auto more = [&](auto& value) {
    if (!value) return false;
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(*value)>, int>)
      value = tenth_more_of(*value);
    else
      value = kTenth * *value;
    return true;
  };
  const auto money = [&](auto member) {
    if (!site.prices) return false;
    return more((*site.prices).*member);
  };
  const bool stated = limit == Limit::max_racks      ? more(site.racks.max_racks)
                      : limit == Limit::rack_units   ? more(site.racks.max_units)
                      : limit == Limit::floor_area   ? more(site.floor.area)
                      : limit == Limit::site_power   ? more(site.power.feed)
                      : limit == Limit::budget       ? money(&PriceOptions::budget)
                      : limit == Limit::opex_budget  ? money(&PriceOptions::opex_budget)
                      : limit == Limit::total_budget ? money(&PriceOptions::total_budget)
                                                     : false;
  if (!stated) return std::nullopt;
  return with_site(s, [&](SiteSpec& changed) { changed = std::move(site); });
}

}  // namespace rackcast
