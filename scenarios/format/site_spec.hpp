#pragma once
/// The scenario's "site": the place of the cluster and its limits. All of it is optional; what is left out is
/// taken from the catalogue and listed among the assumptions, or not limited at all.
#include <optional>
#include <string>
#include <vector>

#include "models/power/node_power.hpp"
#include "models/site/facility.hpp"
#include "models/site/prices.hpp"
#include "models/site/rack_packing.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

/// A name that the catalogue resolves later, and its place for the message if it does not.
struct PlacedName {
  std::string name;  ///< empty: not given
  Where where;
};

/// Equipment beside nodes, fabric and storage: a switch or array of the catalogue, or a box of the user's
/// own.
struct SiteEquipment {
  PlacedName item;  ///< "switches/sn2201"; empty name: described here
  std::string label;
  int count = 1;
  int units = 1;
  Power power{0};
  Mass weight{0};
  int outlets = 0;
};

struct RackOptions {
  PlacedName rack;  ///< below facility/racks
  std::optional<Power> power;
  std::optional<int> units;
  std::optional<int> reserved_units;
  std::optional<Mass> load;
  std::optional<Length> depth;
  int outlets = 0, ports = 0;  ///< 0: not limited
  int pdus = 2;
  std::optional<int> max_racks;
  std::optional<int> max_units;  ///< rack units of all equipment together
  bool nameplate = true;         ///< rack and site limits count nameplate power; else typical power
  PackMethod method = PackMethod::automatic;
  std::vector<SiteEquipment> equipment;
};

/// The part of the feed that may be used while the rest may fail: all of it, all but one of the modules, or
/// half.
enum class Redundancy { none, one_more, twice };

struct SitePowerOptions {
  std::optional<Power> feed;  ///< of the whole site, cooling included, with what is there for redundancy
  Redundancy redundancy = Redundancy::none;
  int modules = 4;  ///< equal parts of the feed with `one_more`, that one included
  std::optional<Power> gpu_cap;
  Where gpu_cap_where;
  PsuClass psu = PsuClass::platinum;
  double utilisation = 1;  ///< fraction of the year in which the cluster trains

  /// Share of the feed that may be used; 1 without redundancy.
  [[nodiscard]] double usable_share() const;
  /// Power that may be used; nothing without a feed.
  [[nodiscard]] std::optional<Power> usable_feed() const;
};

struct CoolingOptions {
  PlacedName rack, plant, climate;
  std::optional<double> pue;
  double air_rise_kelvin = 15;
};

struct GridOptions {
  PlacedName region, tariff;
  std::optional<CarbonIntensity> intensity;
  std::optional<EnergyPrice> price;
};

struct FloorOptions {
  std::optional<Area> area, area_per_rack;
};

/// A price in the scenario, which replaces that of the catalogue.
struct PriceEntry {
  std::string item;  ///< "nodes/dgx1v_32gb", or the label of equipment
  Price price;
};

struct RentOptions {
  PlacedName instance;  ///< empty: the largest with the cluster's GPU
  RentTerms terms = RentTerms::on_demand;
};

/// People who run the cluster; what is absent comes from the catalogue (prices/planning).
struct StaffOptions {
  std::optional<double> people;   ///< full-time
  std::optional<MoneyRate> wage;  ///< of one, without what an employer pays besides
};

struct PriceOptions {
  std::string date;
  std::optional<Money> budget;           ///< for what is bought
  std::optional<MoneyRate> opex_budget;  ///< energy, space, support and staff
  std::optional<Money> total_budget;     ///< purchase and operation over the years of depreciation
  std::vector<PriceEntry> items;
  std::optional<Duration> depreciation;
  std::optional<double> support, installation, interest;
  std::optional<MoneyRate> staff;  ///< in all; or
  std::optional<StaffOptions> people;
  std::optional<EnergyPrice> space;  ///< per kW and month: money per energy
  RentOptions rent;
};

struct SiteSpec {
  Where where;
  RackOptions racks;
  SitePowerOptions power;
  CoolingOptions cooling;
  GridOptions grid;
  FloorOptions floor;
  std::optional<PriceOptions> prices;  ///< without it nothing is priced
};

/// Throws Error at the place of what is unknown, out of range or contradicts itself.
SiteSpec read_site(const Json& json);

}  // namespace rackcast
