#include "models/site/facility.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/near_matches.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {

namespace {

struct NamedFact {
  std::string_view name, fact;
};
/// Plants whose figure does not depend on the climate.
constexpr std::array<NamedFact, 6> plants{{{"industry_average", "uptime_survey_by_year/2024"},
                                           {"modern_air", "planning_default"},
                                           {"direct_liquid", "direct_liquid_cooled_hpc"},
                                           {"google_cloud", "operators/google_cloud"},
                                           {"aws", "operators/aws"},
                                           {"azure", "operators/azure"}}};

struct CoolingLimit {
  std::string_view name, fact;
};
constexpr std::array<CoolingLimit, 4> coolings{{{"air", "air_cooling_limit_kw"},
                                                {"contained_air", "dgx_pod_kw"},
                                                {"rear_door", "rear_door_heat_exchanger_limit_kw"},
                                                {"direct_liquid", "direct_liquid_range_kw"}}};

/// The names of an entry's facts, groups by their first part.
std::vector<std::string> groups(const CatalogEntry& entry) {
  std::set<std::string> names;
  for (const Fact& fact : entry.facts) names.insert(fact.key().substr(0, fact.key().find('/')));
  return {names.begin(), names.end()};
}

[[noreturn]] void fail_unknown(std::string_view what, std::string_view name,
                               const std::vector<std::string>& known) {
  throw Error{
      fmt::format("there is no {} \"{}\"", what, name), {}, fmt::format("known: {}", fmt::join(known, ", "))};
}

/// A number, or of a range of two the first or the second.
double bound(const Fact& fact, std::size_t which) {
  return fact.value().kind() == JsonKind::array ? fact.value().array().at(which).number() : fact.number();
}

Pue by_climate(const CatalogEntry& entry, std::string_view plant, std::string_view climate) {
  const std::string key = fmt::format("{}/{}/", plant, climate);
  const Fact* fact = entry.find(key + "pue");
  if (!fact) {
    std::vector<std::string> zones;
    const std::string prefix = fmt::format("{}/", plant);
    for (const Fact& one : entry.facts) {
      if (one.key().starts_with(prefix) && one.key().ends_with("/pue"))
        zones.push_back(one.key().substr(prefix.size(), one.key().size() - prefix.size() - 4));
    }
    if (climate.empty()) {
      throw Error{fmt::format("the PUE of \"{}\" depends on the climate", plant),
                  {},
                  fmt::format("give \"climate\", an ASHRAE zone: {}", fmt::join(zones, ", "))};
    }
    fail_unknown("climate zone", climate, zones);
  }
  Pue out;
  out.low = bound(*fact, 0);
  out.high = bound(*fact, 1);
  out.value = (out.low + out.high) / 2;
  const Fact& water = entry.require(key + "wue");
  out.water_l_per_kwh = (bound(water, 0) + bound(water, 1)) / 2;
  out.source = fact->source();
  out.confidence = fact->confidence();
  return out;
}

}  // namespace

Pue pue_of(const Catalog& catalog, std::string_view plant, std::string_view climate) {
  Pue out;
  if (const auto* found = std::ranges::find(plants, plant, &NamedFact::name); found != plants.end()) {
    if (!climate.empty()) {
      throw Error{
          fmt::format("the PUE of \"{}\" does not depend on a climate", plant), {}, "remove \"climate\""};
    }
    const Fact& fact = catalog.find("facility", "pue").require(found->fact);
    out.value = out.low = out.high = fact.number();
    out.source = fact.source();
    out.confidence = fact.confidence();
  } else {
    const CatalogEntry& entry = catalog.find("facility", "pue_by_climate");
    std::vector<std::string> known = groups(entry);
    if (std::ranges::find(known, plant) == known.end()) {
      for (const NamedFact& one : plants) known.emplace_back(one.name);
      fail_unknown("cooling plant", plant, known);
    }
    out = by_climate(entry, plant, climate);
  }
  out.plant = plant;
  out.climate = climate;
  return out;
}

RackCooling rack_cooling(const Catalog& catalog, std::string_view name) {
  const auto* found = std::ranges::find(coolings, name, &CoolingLimit::name);
  if (found == coolings.end()) {
    std::vector<std::string> known;
    for (const CoolingLimit& one : coolings) known.emplace_back(one.name);
    fail_unknown("way to cool a rack", name, known);
  }
  const Fact& fact = catalog.find("facility", "rack_density").require(found->fact);
  // Of a range for air the lower end, which every hall meets; for liquid the upper, which is what it is built
  // for.
  const double kilowatts = bound(fact, name == "direct_liquid" ? 1 : 0);
  return {std::string{name},
          {Power{1000 * kilowatts}, fact.confidence(), fact.source(), "facility/rack_density/" + fact.key()}};
}

double btu_per_hour(Power heat) {
  constexpr double joules_per_btu = 1055.05585262;  // International Table, ISO 31-4:1992
  return heat.base() * 3600 / joules_per_btu;
}

double cooling_tons(const Catalog& catalog, Power heat) {
  return heat / catalog.find("facility", "cooling").require("w_per_cooling_ton").quantity<Power>();
}

AirFlow air_flow(Power heat, double rise_kelvin) {
  if (!(rise_kelvin > 0))
    throw Error{"air that does not warm carries no heat", {}, "a rise of 15 K is usual"};
  constexpr double density = 1.204,
                   specific_heat = 1005;  // dry air, 20 degrees, 101.325 kPa: kg/m3, J/(kg K)
  return AirFlow{heat.base() / (density * specific_heat * rise_kelvin)};
}

double cubic_feet_per_minute(AirFlow flow) {
  constexpr double cubic_metres_per_cubic_foot = 0.3048 * 0.3048 * 0.3048;
  return flow.base() * 60 / cubic_metres_per_cubic_foot;
}

Known<CarbonIntensity> grid_intensity(const Catalog& catalog, std::string_view region) {
  const CatalogEntry& entry = catalog.find("facility", "grid_intensity");
  const Fact* fact = entry.find(region);
  if (!fact) fail_unknown("grid region", region, groups(entry));
  return {fact->quantity<CarbonIntensity>(), fact->confidence(), fact->source(),
          "facility/grid_intensity/" + fact->key()};
}

Known<EnergyPrice> electricity_price(const Catalog& catalog, std::string_view name, std::string_view date) {
  const CatalogEntry& entry = catalog.find("facility", "electricity_price");
  std::vector<std::string> known;
  for (const Fact& fact : entry.facts) {
    if (fact.unit() == "USD/kWh" && fact.value().kind() == JsonKind::number) known.push_back(fact.key());
  }
  if (std::ranges::find(known, name) == known.end()) fail_unknown("electricity price in USD", name, known);
  const Fact& fact = entry.require(name);
  if (fact.year() && !date.empty() && std::to_string(*fact.year()) > date.substr(0, 4)) {
    throw Error{fmt::format("the electricity price \"{}\" is of {}, after {}", name, *fact.year(), date),
                {},
                "give \"price\", for example \"0.07 USD/kWh\", or take \"planning_default\""};
  }
  return {fact.quantity<EnergyPrice>(), fact.confidence(), fact.source(),
          "facility/electricity_price/" + fact.key()};
}

}  // namespace rackcast
