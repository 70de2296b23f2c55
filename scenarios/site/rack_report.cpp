#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "scenarios/site/site_report.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

namespace {

std::string rack_count(std::size_t n) {
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

/// `open`: devices of unknown height or power are left out.
std::string fullest_rack(const SiteSpec& site, const RackReport& r, std::string_view activity, bool open) {
  // The fullest is the one with the least to spare, where racks have limits of their own.
  const auto fullest = std::ranges::max_element(r.groups, {}, [](const RackReport::Group& g) {
    return g.limit > Power{0} ? g.nameplate / g.limit : 0;
  });
  const Power limit = fullest->limit;
  std::string text = fmt::format(
      "{} may draw {}. By nameplate it would draw {} ({}), typically {} ({}), {} "
      "{} ({}). ",
      open ? "Of what is known of the equipment, the fullest rack" : "The fullest rack", to_text(limit),
      to_text(fullest->nameplate), against(fullest->nameplate, limit), to_text(fullest->typical),
      against(fullest->typical, limit), activity == "trains" ? "in this training" : "while it serves",
      to_text(fullest->expected), against(fullest->expected, limit));
  text += fmt::format("Racks were packed by {} power. ", site.racks.nameplate ? "nameplate" : "typical");
  if (r.by_nameplate && r.by_typical) {
    text += *r.by_nameplate == *r.by_typical
                ? fmt::format("By either it takes {}{}.", at_least(open),
                              rack_count(static_cast<std::size_t>(*r.by_typical)))
                : fmt::format("By nameplate it takes {0}{1}, by typical power {0}{2}.", at_least(open),
                              rack_count(static_cast<std::size_t>(*r.by_nameplate)),
                              rack_count(static_cast<std::size_t>(*r.by_typical)));
  }
  if (!site.racks.nameplate && fullest->nameplate > limit * (1 + 1e-9)) {
    text +=
        " With every device at its rating at once the rack's breaker would open: cap the power, or keep a "
        "margin.";
  }
  return text;
}

std::string rack_statement(const SitePlan& plan) {
  const Packing& packing = *plan.packing;
  const MissingFacts missing = plan.missing();
  const auto own = static_cast<std::size_t>(plan.own_racks()), shared = packing.racks.size() - own;
  std::string text{missing.units.empty() ? "" : "At least "};
  if (own > 0)
    text += fmt::format("{} that come{} with what stands in {} and may draw {}{}", rack_count(own),
                        own == 1 ? "s" : "", own == 1 ? "it" : "them",
                        to_text(*plan.devices.front().item.own_rack), shared > 0 ? "; " : ".");
  if (shared > 0) {
    text += fmt::format("{} of {} usable units and {}, by {}: ", rack_count(shared), plan.rack.usable_units(),
                        to_text(plan.rack.power), packing.method);
    text += packing.optimal()
                ? fmt::format("no packing takes fewer.")
                : fmt::format("no packing takes fewer than {}.", packing.lower_bound - static_cast<int>(own));
  }
  if (!missing.units.empty())
    text += fmt::format(" Not packed for want of {}.", missing_text("rack units", missing.units));
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
    const int units = rack_units(items, counts);
    r.groups.push_back({static_cast<int>(i) + 1, 1, counts, elevations[i], units,
                        std::max(units, plan.rack.units), plan.power_limit(counts),
                        rack_power(nameplate, counts), rack_power(typical, counts),
                        rack_power(in_training, counts), rack_weight(items, counts)});
  }
  r.by_nameplate = racks_by(plan, site.racks.method, true);
  r.by_typical = racks_by(plan, site.racks.method, false);
  r.statement = rack_statement(plan);
  const MissingFacts missing = plan.missing();
  r.power_statement = fullest_rack(site, r, activity, !missing.units.empty() || !missing.power.empty());
  return r;
}

}  // namespace rackcast
