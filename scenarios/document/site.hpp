#pragma once
/// The "site" of a result document: racks, power, network, bill of materials, cost.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/document/form/reason.hpp"

namespace rackcast::doc {

struct SiteRacks {
  struct Device {
    std::string name, kind, unknown;
    std::int64_t count = 0, units = 0;
    std::optional<double> nameplate_w, typical_w, weight_kg;
  };
  struct Content {
    std::string name;
    std::int64_t count = 0;
  };
  struct Position {
    std::int64_t u = 1, units = 1, number = 1;
    std::string side, kind, name;

    [[nodiscard]] bool rear() const { return side == "rear"; }
  };
  struct Group {
    std::int64_t first = 1, count = 1, units_used = 0;
    std::optional<std::int64_t> rack_units;
    std::optional<double> power_limit_w, nameplate_w, typical_w, expected_w, weight_kg;
    std::vector<Content> contents;
    std::vector<Position> positions;
  };
  struct Floor {
    double rack_width_m = 0, rack_depth_m = 0, cold_aisle_m = 0, hot_aisle_m = 0;
    std::int64_t racks_per_row = 1;
  };
  std::string activity = "training";  ///< or "serving", as the document around says
  std::string rack, cooling, basis, method;
  std::int64_t units = 0, reserved_units = 0;
  std::optional<double> power_limit_w, load_limit_kg, area_m2, own_power_w;
  std::int64_t own_racks = 0;
  std::optional<std::int64_t> count, lower_bound, by_nameplate, by_typical;
  std::optional<bool> optimal;
  std::optional<Floor> floor;
  std::vector<Device> devices;
  std::vector<Group> groups;
  std::vector<std::int64_t> group_of_rack;
  std::vector<std::string> unknown, misfits;
};

struct SitePower {
  struct Part {
    std::string name;
    double seconds = 0, node_w = 0;
  };
  struct Run {
    std::string model, title;
    double seconds = 0;
    std::optional<double> busy, it_kwh, facility_kwh, co2_kg;
  };
  bool known = false, gpu_borrowed = false;
  std::string unrated, plant_key, plant, climate, grid_key, grid, gpu_model;
  std::string activity = "training";  ///< or "serving", as the document around says
  std::string it_unit, feed_redundancy;
  std::optional<double> feed_w, feed_usable_w;
  std::int64_t idle_nodes = 0, spare_nodes = 0, feed_modules = 0;
  std::optional<double> pue, pue_low, pue_high, busy, it_w, it_low_w, it_high_w;
  std::optional<double> nameplate_w, typical_w, idle_w, facility_w, gpu_w;
  std::optional<double> nodes_w, switches_w, storage_w, equipment_w, psu_loss_w;
  std::optional<double> gpu_cap_w, gpu_cap_speed, rack_mean_w, rack_most_w;
  std::optional<double> btu_per_h, cooling_tons, air_cfm, air_rise_kelvin;
  std::optional<double> utilisation, it_kwh_year, facility_kwh_year, co2_kg_year, g_co2_per_kwh,
      water_litres_year;
  std::vector<Part> step;
  std::vector<Run> runs;
};

struct SiteNetwork {
  struct Switches {
    std::string level, product;
    std::int64_t count = 0;
    std::optional<std::int64_t> ports, free_ports;
  };
  struct Cables {
    std::string use, link_key, link, product_key, product;
    double length_m = 0;
    std::int64_t count = 0;
  };
  std::string kind;
  std::int64_t node_cables = 0, storage_cables = 0, trunk_cables = 0;
  std::optional<double> oversubscription;
  std::vector<Switches> switches;
  std::vector<Cables> cables;
};

struct SiteBillRow {
  std::string group, item, date, source, confidence, note;
  double quantity = 0;
  std::optional<double> unit_price_usd, total_usd;
};

struct SiteCost {
  struct Rent {
    std::string instance, terms_key, terms, date, source, confidence, note;
    double usd_per_hour = 0;
    std::optional<std::int64_t> instances;
    std::optional<double> year_usd, break_even, break_even_low, break_even_high;
  };
  struct Run {
    std::string model, title;
    double own_usd = 0;
    std::optional<double> own_low_usd, own_high_usd, rent_usd, rent_low_usd, rent_high_usd;
  };
  std::string activity = "training";  ///< or "serving", as the document around says
  std::string date;
  std::optional<Reason> staff;
  double capex_usd = 0;
  std::optional<double> depreciation_years, utilisation, total_usd, usd_per_kwh;
  std::optional<double> depreciation_usd, interest_usd, energy_usd, space_usd, support_usd, staff_usd,
      year_usd;
  std::optional<double> energy_idle_usd, energy_busy_usd, energy_low_usd, energy_high_usd;
  std::optional<Rent> rent;
  std::vector<Run> runs;
  std::vector<Reason> missing;
};

struct Site {
  SiteRacks racks;
  SitePower power;
  std::optional<SiteNetwork> network;
  std::vector<SiteBillRow> bill;
  /// Devices that sums leave out for want of this fact: each such sum is "at least".
  std::vector<std::string> no_price, no_power, no_units;
  std::optional<double> bill_total_usd;
  std::optional<SiteCost> cost;

  [[nodiscard]] bool bill_is_open() const { return !no_price.empty() || !no_units.empty(); }
  [[nodiscard]] bool cost_is_open() const { return bill_is_open() || !no_power.empty(); }
};

/// Throws Error unless every device stands within its rack and every rack has a group.
void check(const SiteRacks& racks, const Json& json);

}  // namespace rackcast::doc
