#include "reports/sentences/site_sentences.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "reports/blocks/format.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast::reports {

namespace {

std::string watts_text(std::optional<double> power) {
  return to_text(Power{power.value_or(0)});
}

std::string yearly_text(double usd) {
  return to_text(Money{usd}) + " a year";
}

/// "the price of 2 x A, 3 x B and 4 more".
std::string facts_of(std::string_view fact, const std::vector<std::string>& items) {
  constexpr std::size_t most = 2;
  const auto shown = std::span(items).first(std::min(most, items.size()));
  std::string out = fmt::format("the {} of {}", fact, fmt::join(shown, ", "));
  if (items.size() > most) out += fmt::format(" and {} more", items.size() - most);
  return out;
}

/// " These sums leave out the price of ..., which nobody states."; empty where they leave out nothing.
std::string leaves_out_text(
    std::initializer_list<std::pair<std::string_view, const std::vector<std::string>*>> lists) {
  std::string out;
  for (const auto& [fact, items] : lists)
    if (!items->empty()) out += (out.empty() ? "" : "; ") + facts_of(fact, *items);
  return out.empty() ? out : " These sums leave out " + out + ", which nobody states.";
}

/// "1.94 kW over (limit)" or "... to spare".
std::string against(double draw, double limit) {
  return draw > limit * (1 + 1e-9) ? watts_text(draw - limit) + " over"
                                   : watts_text(limit - draw) + " to spare";
}

/// " (3.1 kW over)" behind a power.
std::string beside_limit(std::optional<double> draw, double limit) {
  return fmt::format("{} ({})", watts_text(draw), against(draw.value_or(0), limit));
}

std::string own_racks_text(const SiteRacks& racks, bool others) {
  const bool one = racks.own_racks == 1;
  return fmt::format("{} that come{} with what stands in {} and may draw {}{}",
                     counted(racks.own_racks, "rack"), one ? "s" : "", one ? "it" : "them",
                     watts_text(racks.own_power_w), others ? "; " : ".");
}

std::string gpu_cap_text(const SitePower& p) {
  if (!p.gpu_cap_w) return {};
  const double speed = p.gpu_cap_speed.value_or(1);
  return fmt::format(" Each GPU is capped at {}{}", watts_text(p.gpu_cap_w),
                     speed < 0.9995 ? fmt::format(" and computes at {:.1f} % of its speed.", 100 * speed)
                                    : std::string{", which does not slow it."});
}

std::string feed_text(const SitePower& p) {
  if (!p.feed_w) return {};
  return fmt::format(" The feed of {} is {}: {} of it may be used.", watts_text(p.feed_w),
                     p.feed_redundancy == "2N" ? std::string{"there twice (2N)"}
                                               : fmt::format("N+1 of {} modules", p.feed_modules),
                     watts_text(p.feed_usable_w));
}

std::string rent_text(const SiteCost& cost, bool open) {
  if (const auto& rent = cost.rent) {
    const std::string than =
        open ? " Whether owning is cheaper cannot be said."
        : rent->break_even
            ? fmt::format(" Owning is cheaper from {:.0f} % utilisation on.", 100 * *rent->break_even)
            : " Renting is cheaper even for a cluster that is never idle.";
    return fmt::format(" The same hours on {} x {} ({}, {}) cost {}.{}", rent->instances.value_or(0),
                       rent->instance, rent->terms, rent->date, yearly_text(rent->year_usd.value_or(0)),
                       than);
  }
  const auto why = std::ranges::find_if(cost.missing, [](const doc::Reason& r) {
    return r.code() == "no_instance" || r.code() == "no_rent_yet";
  });
  return why == cost.missing.end()
             ? std::string{}
             : fmt::format(" There is no rent to compare with: {}.", no_rent_text(*why));
}

}  // namespace

std::string packing_text(const Site& site) {
  const SiteRacks& racks = site.racks;
  if (!racks.count)
    return racks.misfits.empty() ? "Nothing here has rack units in the catalogue, so nothing was packed."
                                 : "Not packed: " + racks.misfits.front() + ".";
  const std::int64_t shared = *racks.count - racks.own_racks;
  std::string text = site.no_units.empty() ? "" : "At least ";
  if (racks.own_racks > 0) text += own_racks_text(racks, shared > 0);
  if (shared > 0) {
    text += fmt::format("{} of {} usable units and {}, by {}: ", counted(shared, "rack"),
                        racks.units - racks.reserved_units, watts_text(racks.power_limit_w), racks.method);
    text += racks.optimal.value_or(false) ? std::string{"no packing takes fewer."}
                                          : fmt::format("no packing takes fewer than {}.",
                                                        racks.lower_bound.value_or(0) - racks.own_racks);
  }
  if (!site.no_units.empty())
    text += fmt::format(" Not packed for want of {}.", facts_of("rack units", site.no_units));
  return text;
}

std::string fullest_rack_text(const Site& site) {
  const SiteRacks& racks = site.racks;
  const bool open = !site.no_units.empty() || !site.no_power.empty();
  const std::string_view least = open ? "at least " : "";
  // The fullest is the one with the least to spare, where racks have limits of their own.
  const auto fullest = std::ranges::max_element(racks.groups, {}, [](const SiteRacks::Group& g) {
    const double limit = g.power_limit_w.value_or(0);
    return limit > 0 ? g.nameplate_w.value_or(0) / limit : 0;
  });
  const double limit = fullest->power_limit_w.value_or(racks.power_limit_w.value_or(0));
  const bool nameplate = racks.basis == "nameplate";
  std::string text = fmt::format(
      "{} may draw {}. By nameplate it would draw {}, typically {}, {} {}. Racks were packed by {} power. ",
      open ? "Of what is known of the equipment, the fullest rack" : "The fullest rack", watts_text(limit),
      beside_limit(fullest->nameplate_w, limit), beside_limit(fullest->typical_w, limit),
      racks.activity == "training" ? "in this training" : "while it serves",
      beside_limit(fullest->expected_w, limit), racks.basis);
  if (racks.by_nameplate && racks.by_typical)
    text += *racks.by_nameplate == *racks.by_typical
                ? fmt::format("By either it takes {}{}.", least, counted(*racks.by_typical, "rack"))
                : fmt::format("By nameplate it takes {0}{1}, by typical power {0}{2}.", least,
                              counted(*racks.by_nameplate, "rack"), counted(*racks.by_typical, "rack"));
  if (!nameplate && fullest->nameplate_w.value_or(0) > limit * (1 + 1e-9))
    text +=
        " With every device at its rating at once the rack's breaker would open: cap the power, or keep a "
        "margin.";
  return text;
}

std::string unrated_text(const std::string& node, double others_w) {
  return fmt::format("The catalogue has no power rating of {}: no power is given.", node) +
         (others_w > 0 ? fmt::format(" All else is rated at {}.", watts_text(others_w)) : "");
}

std::string power_text(const Site& site) {
  const SitePower& p = site.power;
  const double nameplate = p.nameplate_w.value_or(0);
  if (!p.known) return unrated_text(p.unrated, nameplate);
  std::string text = fmt::format(
      "While it {} the IT draws {}{} (90 % interval {} to {}), {:.0f} % of its nameplate of {}; with a PUE "
      "of "
      "{:.3g} the site draws {}.",
      p.activity == "training" ? "trains" : "serves", site.no_power.empty() ? "" : "at least ",
      watts_text(p.it_w), watts_text(p.it_low_w), watts_text(p.it_high_w),
      100 * p.it_w.value_or(0) / nameplate, watts_text(nameplate), p.pue.value_or(1),
      watts_text(p.facility_w));
  text += leaves_out_text({{"power", &site.no_power}});
  if (p.idle_nodes > 0)
    text += fmt::format(" {} without a GPU of the job idle{}.", counted(p.idle_nodes, "node"),
                        p.idle_nodes == 1 ? "s" : "");
  if (p.spare_nodes > 0)
    text += fmt::format(" {} idle{}.", counted(p.spare_nodes, "spare node"), p.spare_nodes == 1 ? "s" : "");
  return text + gpu_cap_text(p) + feed_text(p);
}

std::string network_text(const SiteNetwork& n) {
  std::vector<std::string> switches, cables;
  std::int64_t free_ports = 0;
  for (const SiteNetwork::Switches& s : n.switches) {
    switches.push_back(fmt::format("{} {} switch{}", s.count, s.level, s.count == 1 ? "" : "es"));
    free_ports += s.free_ports.value_or(0);
  }
  for (const auto& [count, where] : {std::pair{n.node_cables, "to nodes"},
                                     {n.storage_cables, "to storage"},
                                     {n.trunk_cables, "between switches"}})
    if (count > 0) cables.push_back(fmt::format("{} {}", count, where));  // what there is none of is not said
  return fmt::format("{}; cables: {}; {} ports left; oversubscription {:.3g}.", fmt::join(switches, ", "),
                     fmt::join(cables, ", "), free_ports, n.oversubscription.value_or(1));
}

std::string no_rent_text(const doc::Reason& r) {
  if (r.code() == "no_instance")
    return fmt::format("the catalogue has no price of a cloud instance with {} ({}) by {}", r.text("gpu"),
                       r.text("terms"), r.text("date"));
  return fmt::format("the first price of {} ({}) that the catalogue knows is of {}, after {}",
                     r.text("instance"), r.text("terms"), r.text("first"), r.text("date"));
}

std::string cost_text(const Site& site) {
  const SiteCost& cost = *site.cost;
  const bool open = site.cost_is_open();
  std::string text = fmt::format("{}{} to buy; owned at {:.0f} % utilisation it costs {}{}.",
                                 site.bill_is_open() ? "At least " : "", to_text(Money{cost.capex_usd}),
                                 100 * cost.utilisation.value_or(1), open ? "at least " : "",
                                 yearly_text(cost.year_usd.value_or(0)));
  text +=
      leaves_out_text({{"price", &site.no_price}, {"power", &site.no_power}, {"rack units", &site.no_units}});
  if (!cost.staff_usd) text += " Staff is not counted.";
  return text + rent_text(cost, open);
}

}  // namespace rackcast::reports
