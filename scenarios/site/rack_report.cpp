#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "scenarios/site/site_report.hpp"
#include "sim/quantity_text.hpp"

namespace rackcast {

namespace {

std::string count_of(std::size_t n) {
  return fmt::format("{} rack{}", n, n == 1 ? "" : "s");
}

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

std::string against(Power draw, Power limit) {
  return draw > limit * (1 + 1e-9) ? fmt::format("{} over", to_text(draw - limit))
                                   : fmt::format("{} to spare", to_text(limit - draw));
}

std::string power_statement(const SiteSpec& site, const SitePlan& plan, const RackReport& r,
                            std::string_view activity) {
  const auto fullest = std::ranges::max_element(r.groups, {}, &RackReport::Group::nameplate);
  const Power limit = plan.rack.power;
  std::string text = fmt::format(
      "The fullest rack may draw {}. By nameplate it would draw {} ({}), typically {} ({}), {} "
      "{} ({}). ",
      to_text(limit), to_text(fullest->nameplate), against(fullest->nameplate, limit),
      to_text(fullest->typical), against(fullest->typical, limit),
      activity == "trains" ? "in this training" : "while it serves", to_text(fullest->expected),
      against(fullest->expected, limit));
  text += fmt::format("Racks were packed by {} power. ", site.racks.nameplate ? "nameplate" : "typical");
  if (r.by_nameplate && r.by_typical) {
    text += *r.by_nameplate == *r.by_typical
                ? fmt::format("By either it takes {}.", count_of(static_cast<std::size_t>(*r.by_typical)))
                : fmt::format("By nameplate it takes {}, by typical power {}.",
                              count_of(static_cast<std::size_t>(*r.by_nameplate)),
                              count_of(static_cast<std::size_t>(*r.by_typical)));
  }
  if (!site.racks.nameplate && fullest->nameplate > limit * (1 + 1e-9)) {
    text +=
        " With every device at its rating at once the rack's breaker would open: cap the power, or keep a "
        "margin.";
  }
  return text;
}

}  // namespace

RackReport rack_report(const SiteSpec& site, const SitePlan& plan, const std::vector<Power>& expected,
                       std::string_view activity) {
  RackReport r;
  if (!plan.packing) {
    r.statement = plan.misfits.empty()
                      ? "Nothing here has rack units in the catalogue, so nothing was packed."
                      : "Not packed: " + plan.misfits.front() + ".";
    return r;
  }
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
    r.groups.push_back({static_cast<int>(i) + 1, 1, counts, elevations[i], rack_units(items, counts),
                        rack_power(nameplate, counts), rack_power(typical, counts),
                        rack_power(in_training, counts), rack_weight(items, counts)});
  }
  r.by_nameplate = racks_by(plan, site.racks.method, true);
  r.by_typical = racks_by(plan, site.racks.method, false);
  const Packing& packing = *plan.packing;
  r.statement = fmt::format("{} of {} usable units and {}, by {}: ", count_of(packing.racks.size()),
                            plan.rack.usable_units(), to_text(plan.rack.power), packing.method);
  r.statement += packing.optimal() ? fmt::format("no packing takes fewer.")
                                   : fmt::format("no packing takes fewer than {}.", packing.lower_bound);
  r.power_statement = power_statement(site, plan, r, activity);
  return r;
}

}  // namespace rackcast
