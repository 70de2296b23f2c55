#pragma once
/// The building around the racks: PUE by plant and climate, what cooling a rack needs, heat as facilities
/// engineers count it.
#include <optional>
#include <string>
#include <string_view>

#include "sim/units/quantity.hpp"
#include "topologies/catalog/known.hpp"

namespace rackcast {

class Catalog;

using CarbonIntensity = Quantity<Dimension{.energy = -1, .mass = 1}>;
using AirFlow = Quantity<Dimension{.time = -1, .length = 3}>;

/// Power of the facility over that of its IT, with the range of the source where it gives one.
struct Pue {
  double value = 1, low = 1, high = 1;
  std::optional<double> water_l_per_kwh;  ///< litres evaporated per kWh of IT
  std::string plant, climate, source;
  Confidence confidence = Confidence::memory;
};

/// PUE of a cooling plant in an ASHRAE climate zone ("midsize_air_chiller", "4A": the middle of the 5th and
/// the 95th percentile of Lei and Masanet 2022), or, without a climate, that of "industry_average" (Uptime
/// 2024), "modern_air", "direct_liquid", "google_cloud", "aws", "azure". Throws Error with the known names.
Pue pue_of(const Catalog& catalog, std::string_view plant, std::string_view climate);

/// How heat leaves a rack, and what a rack so cooled may draw.
struct RackCooling {
  std::string name;  ///< "air", "contained_air", "rear_door", "direct_liquid"
  Known<Power> limit;
};
RackCooling rack_cooling(const Catalog& catalog, std::string_view name);  ///< Error with the known ones

double btu_per_hour(Power heat);
double cooling_tons(const Catalog& catalog, Power heat);
/// Air that carries the heat away when it warms by `rise_kelvin`: Q = P / (density x specific heat x rise),
/// at sea level and 20 degrees. Throws Error unless the rise is positive.
AirFlow air_flow(Power heat, double rise_kelvin);
double cubic_feet_per_minute(AirFlow flow);

/// Known<...> of facility/grid_intensity; Error with the known regions.
Known<CarbonIntensity> grid_intensity(const Catalog& catalog, std::string_view region);
/// A price of the catalogue in USD; Error with the known names. Regions priced in other currencies are not
/// answered: the catalogue has no rates of exchange. Error also for a price of a year after `date` (ISO;
/// empty: of any year).
Known<EnergyPrice> electricity_price(const Catalog& catalog, std::string_view name,
                                     std::string_view date = {});

}  // namespace rackcast
