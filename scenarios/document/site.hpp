#pragma once
/// The "site" of a result document: racks, power, network, bill of materials, cost.
#include "scenarios/document/form/field.hpp"
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

template <>
struct Fields<SiteRacks::Device> {
  static constexpr std::string_view name = "rack_device";
  static constexpr auto list = std::tuple{
      field("name", &SiteRacks::Device::name).needed(),
      field("kind", &SiteRacks::Device::kind).of("server storage equipment switch"),
      field("count", &SiteRacks::Device::count),
      field("units", &SiteRacks::Device::units, "height of one, in rack units"),
      field("nameplate_w", &SiteRacks::Device::nameplate_w, "of one; null: not in the catalogue"),
      field("typical_w", &SiteRacks::Device::typical_w, "of one; null: not in the catalogue"),
      field("weight_kg", &SiteRacks::Device::weight_kg, "of one; null: not in the catalogue"),
      field("unknown", &SiteRacks::Device::unknown, "what the catalogue does not say of it").omitted(),
  };
};
template <>
struct Fields<SiteRacks::Content> {
  static constexpr std::string_view name = "rack_content";
  static constexpr auto list = std::tuple{
      field("name", &SiteRacks::Content::name).needed(),
      field("count", &SiteRacks::Content::count),
  };
};
template <>
struct Fields<SiteRacks::Position> {
  static constexpr std::string_view name = "rack_position";
  static constexpr auto list = std::tuple{
      field("u", &SiteRacks::Position::u, "the lowest unit, counted from 1 at the bottom").from(1),
      field("units", &SiteRacks::Position::units).from(1),
      field("side", &SiteRacks::Position::side).of("front rear"),
      field("kind", &SiteRacks::Position::kind),
      field("name", &SiteRacks::Position::name).needed(),
      field("number", &SiteRacks::Position::number, "among the devices of its kind, from 1").omitted(),
  };
};
template <>
struct Fields<SiteRacks::Group> {
  static constexpr std::string_view name = "rack_group";
  static constexpr std::string_view meaning = "Racks with the same contents.";
  static constexpr auto list = std::tuple{
      field("first", &SiteRacks::Group::first, "the number of its first rack").from(1),
      field("count", &SiteRacks::Group::count).from(1),
      field("units_used", &SiteRacks::Group::units_used),
      field("rack_units", &SiteRacks::Group::rack_units, "of the rack itself: a device may bring its own")
          .from(1),
      field("power_limit_w", &SiteRacks::Group::power_limit_w, "that a rack with these contents may draw"),
      field("nameplate_w", &SiteRacks::Group::nameplate_w),
      field("typical_w", &SiteRacks::Group::typical_w),
      field("expected_w", &SiteRacks::Group::expected_w, "at the load that was simulated"),
      field("weight_kg", &SiteRacks::Group::weight_kg),
      field("contents", &SiteRacks::Group::contents),
      field("positions", &SiteRacks::Group::positions, "of the first rack, from the bottom up"),
  };
};
template <>
struct Fields<SiteRacks::Floor> {
  static constexpr std::string_view name = "floor";
  static constexpr std::string_view meaning =
      "The room that cables were measured in: rows of racks with cold and hot aisles in turn.";
  static constexpr auto list = std::tuple{
      field("rack_width_m", &SiteRacks::Floor::rack_width_m).from(0.01).up_to(100),
      field("rack_depth_m", &SiteRacks::Floor::rack_depth_m).from(0.01).up_to(100),
      field("cold_aisle_m", &SiteRacks::Floor::cold_aisle_m),
      field("hot_aisle_m", &SiteRacks::Floor::hot_aisle_m),
      field("racks_per_row", &SiteRacks::Floor::racks_per_row).from(1),
  };
};
template <>
struct Fields<SiteRacks> {
  static constexpr std::string_view name = "site_racks";
  static constexpr auto list = std::tuple{
      field("rack", &SiteRacks::rack, "its name in the catalogue"),
      field("units", &SiteRacks::units).from(1),
      field("reserved_units", &SiteRacks::reserved_units).omitted(),
      field("power_limit_w", &SiteRacks::power_limit_w, "of a rack"),
      field("load_limit_kg", &SiteRacks::load_limit_kg, "of a rack"),
      field("cooling", &SiteRacks::cooling),
      field("basis", &SiteRacks::basis, "the power that racks are packed by").of("nameplate typical"),
      field("count", &SiteRacks::count, "racks; left out where the devices fit no rack").omitted(),
      field("lower_bound", &SiteRacks::lower_bound, "no packing has fewer racks").omitted(),
      field("optimal", &SiteRacks::optimal).omitted(),
      field("method", &SiteRacks::method).omitted(),
      field("area_m2", &SiteRacks::area_m2).omitted(),
      field("floor", &SiteRacks::floor).omitted(),
      field("by_nameplate", &SiteRacks::by_nameplate, "racks by nameplate power; null: a device fits none"),
      field("by_typical", &SiteRacks::by_typical, "racks by typical power; likewise"),
      field("own_racks", &SiteRacks::own_racks, "of count, those that come with a device").omitted(),
      field("own_power_w", &SiteRacks::own_power_w, "that one of them may draw").omitted(),
      field("devices", &SiteRacks::devices),
      field("groups", &SiteRacks::groups),
      field("group_of_rack", &SiteRacks::group_of_rack, "for each rack its kind, an index of groups"),
      field("unknown", &SiteRacks::unknown, "what the catalogue does not say"),
      field("misfits", &SiteRacks::misfits, "why devices fit no rack; then nothing is packed").omitted(),
  };
};
template <>
struct Fields<SitePower::Part> {
  static constexpr std::string_view name = "power_part";
  static constexpr auto list = std::tuple{
      field("name", &SitePower::Part::name).needed(),
      field("seconds", &SitePower::Part::seconds),
      field("node_w", &SitePower::Part::node_w),
  };
};
template <>
struct Fields<SitePower::Run> {
  static constexpr std::string_view name = "power_run";
  static constexpr auto list = std::tuple{
      field("model", &SitePower::Run::model),
      field("title", &SitePower::Run::title),
      field("seconds", &SitePower::Run::seconds),
      field("busy", &SitePower::Run::busy, "share of the time in which GPUs compute").up_to(1),
      field("it_kwh", &SitePower::Run::it_kwh),
      field("facility_kwh", &SitePower::Run::facility_kwh),
      field("co2_kg", &SitePower::Run::co2_kg),
  };
};
template <>
struct Fields<SitePower> {
  static constexpr std::string_view name = "site_power";
  static constexpr auto list = std::tuple{
      field("known", &SitePower::known),
      field("unrated", &SitePower::unrated, "the node, where the catalogue does not rate its power")
          .omitted(),
      field("nameplate_w", &SitePower::nameplate_w),
      field("typical_w", &SitePower::typical_w),
      field("pue.value", &SitePower::pue, "facility power over IT power").from(1),
      field("pue.low", &SitePower::pue_low),
      field("pue.high", &SitePower::pue_high),
      field("pue.plant", &SitePower::plant_key),
      field("pue.plant_title", &SitePower::plant, "in words"),
      field("pue.climate", &SitePower::climate),
      field("busy", &SitePower::busy, "share of the time in which GPUs compute").up_to(1).omitted(),
      field("it_w.value", &SitePower::it_w, "expected power of all devices").omitted(),
      field("it_w.low", &SitePower::it_low_w).omitted(),
      field("it_w.high", &SitePower::it_high_w).omitted(),
      field("it_w.unit", &SitePower::it_unit).omitted(),
      field("nodes_w", &SitePower::nodes_w).omitted(),
      field("switches_w", &SitePower::switches_w).omitted(),
      field("storage_w", &SitePower::storage_w).omitted(),
      field("equipment_w", &SitePower::equipment_w).omitted(),
      field("psu_loss_w", &SitePower::psu_loss_w, "lost in power supplies").omitted(),
      field("idle_w", &SitePower::idle_w).omitted(),
      field("facility_w", &SitePower::facility_w).omitted(),
      field("gpu_w", &SitePower::gpu_w, "of one GPU").omitted(),
      field("gpu_model", &SitePower::gpu_model, "where the power curve comes from").omitted(),
      field("gpu_borrowed", &SitePower::gpu_borrowed, "the GPU itself was not measured").omitted(),
      field("gpu_cap.cap_w", &SitePower::gpu_cap_w, "power limit of a GPU").omitted(),
      field("gpu_cap.speed", &SitePower::gpu_cap_speed, "of a GPU at its limit").up_to(1).omitted(),
      field("idle_nodes", &SitePower::idle_nodes, "of the cluster, without a GPU of the job").omitted(),
      field("spare_nodes", &SitePower::spare_nodes, "that idle").omitted(),
      field("feed.power_w", &SitePower::feed_w, "of the whole site, where it is redundant").omitted(),
      field("feed.usable_w", &SitePower::feed_usable_w).omitted(),
      field("feed.redundancy", &SitePower::feed_redundancy).of("2N N+1").omitted(),
      field("feed.modules", &SitePower::feed_modules, "equal parts of the feed").omitted(),
      field("rack_mean_w", &SitePower::rack_mean_w).omitted(),
      field("rack_most_w", &SitePower::rack_most_w).omitted(),
      field("heat.btu_per_h", &SitePower::btu_per_h, "of the nameplate power").omitted(),
      field("heat.cooling_tons", &SitePower::cooling_tons).omitted(),
      field("heat.air_cfm", &SitePower::air_cfm).omitted(),
      field("heat.air_rise_kelvin", &SitePower::air_rise_kelvin).omitted(),
      field("year.utilisation", &SitePower::utilisation).up_to(1).omitted(),
      field("year.it_kwh", &SitePower::it_kwh_year).omitted(),
      field("year.facility_kwh", &SitePower::facility_kwh_year).omitted(),
      field("year.co2_kg", &SitePower::co2_kg_year).omitted(),
      field("year.g_co2_per_kwh", &SitePower::g_co2_per_kwh).omitted(),
      field("year.grid", &SitePower::grid_key).omitted(),
      field("year.grid_title", &SitePower::grid, "in words").omitted(),
      field("year.water_litres", &SitePower::water_litres_year).omitted(),
      field("step", &SitePower::step, "power of a node in the parts of a step").omitted(),
      field("runs", &SitePower::runs).omitted(),
  };
};
template <>
struct Fields<SiteNetwork::Switches> {
  static constexpr std::string_view name = "switches";
  static constexpr auto list = std::tuple{
      field("level", &SiteNetwork::Switches::level).needed(),
      field("product", &SiteNetwork::Switches::product).needed(),
      field("count", &SiteNetwork::Switches::count),
      field("ports", &SiteNetwork::Switches::ports, "of each"),
      field("free_ports", &SiteNetwork::Switches::free_ports, "of each"),
  };
};
template <>
struct Fields<SiteNetwork::Cables> {
  static constexpr std::string_view name = "cables";
  static constexpr auto list = std::tuple{
      field("use", &SiteNetwork::Cables::use).needed(),
      field("link", &SiteNetwork::Cables::link_key),
      field("link_title", &SiteNetwork::Cables::link, "in words"),
      field("product", &SiteNetwork::Cables::product_key,
            "empty: the catalogue has none that reaches so far"),
      field("product_title", &SiteNetwork::Cables::product, "in words"),
      field("length_m", &SiteNetwork::Cables::length_m),
      field("count", &SiteNetwork::Cables::count),
  };
};
template <>
struct Fields<SiteNetwork> {
  static constexpr std::string_view name = "site_network";
  static constexpr auto list = std::tuple{
      field("kind", &SiteNetwork::kind),
      field("oversubscription", &SiteNetwork::oversubscription, "ports down over ports up of a leaf switch"),
      field("node_cables", &SiteNetwork::node_cables),
      field("storage_cables", &SiteNetwork::storage_cables),
      field("trunk_cables", &SiteNetwork::trunk_cables, "between switches"),
      field("switches", &SiteNetwork::switches),
      field("cables", &SiteNetwork::cables),
  };
};
template <>
struct Fields<SiteBillRow> {
  static constexpr std::string_view name = "bill_row";
  static constexpr auto list = std::tuple{
      field("group", &SiteBillRow::group).needed(),
      field("item", &SiteBillRow::item).needed(),
      field("quantity", &SiteBillRow::quantity),
      field("unit_price_usd", &SiteBillRow::unit_price_usd, "null: no price is known"),
      field("total_usd", &SiteBillRow::total_usd),
      field("date", &SiteBillRow::date, "of the price"),
      field("source", &SiteBillRow::source),
      field("confidence", &SiteBillRow::confidence),
      field("note", &SiteBillRow::note),
  };
};
template <>
struct Fields<SiteCost::Rent> {
  static constexpr std::string_view name = "rent";
  static constexpr auto list = std::tuple{
      field("instance", &SiteCost::Rent::instance).needed(),
      field("terms", &SiteCost::Rent::terms_key),
      field("terms_title", &SiteCost::Rent::terms, "in words"),
      field("date", &SiteCost::Rent::date),
      field("usd_per_hour", &SiteCost::Rent::usd_per_hour, "of one instance"),
      field("instances", &SiteCost::Rent::instances),
      field("year_usd", &SiteCost::Rent::year_usd),
      field("break_even_utilisation", &SiteCost::Rent::break_even,
            "owning is cheaper from here on; null: never")
          .up_to(1),
      field("break_even_low", &SiteCost::Rent::break_even_low,
            "where energy costs what the low end of its interval says"),
      field("break_even_high", &SiteCost::Rent::break_even_high, "null: never"),
      field("source", &SiteCost::Rent::source),
      field("confidence", &SiteCost::Rent::confidence),
      field("note", &SiteCost::Rent::note),
  };
};
template <>
struct Fields<SiteCost::Run> {
  static constexpr std::string_view name = "cost_run";
  static constexpr auto list = std::tuple{
      field("model", &SiteCost::Run::model),
      field("title", &SiteCost::Run::title),
      field("own_usd", &SiteCost::Run::own_usd),
      field("own_low_usd", &SiteCost::Run::own_low_usd, "90 % interval of own_usd: time, power and PUE"),
      field("own_high_usd", &SiteCost::Run::own_high_usd),
      field("rent_usd", &SiteCost::Run::rent_usd),
      field("rent_low_usd", &SiteCost::Run::rent_low_usd, "90 % interval of rent_usd: time").omitted(),
      field("rent_high_usd", &SiteCost::Run::rent_high_usd).omitted(),
  };
};
template <>
struct Fields<SiteCost> {
  static constexpr std::string_view name = "site_cost";
  static constexpr auto list = std::tuple{
      field("date", &SiteCost::date),
      field("capex_usd", &SiteCost::capex_usd),
      field("depreciation_years", &SiteCost::depreciation_years),
      field("utilisation", &SiteCost::utilisation).up_to(1),
      field("year.depreciation_usd", &SiteCost::depreciation_usd),
      field("year.interest_usd", &SiteCost::interest_usd),
      field("year.energy_usd", &SiteCost::energy_usd),
      field("year.energy_low_usd", &SiteCost::energy_low_usd,
            "90 % interval of energy_usd: power of the nodes and PUE"),
      field("year.energy_high_usd", &SiteCost::energy_high_usd),
      field("year.energy_idle_usd", &SiteCost::energy_idle_usd, "were the cluster idle all year"),
      field("year.energy_busy_usd", &SiteCost::energy_busy_usd, "did it work all year"),
      field("year.space_usd", &SiteCost::space_usd),
      field("year.support_usd", &SiteCost::support_usd),
      field("year.staff_usd", &SiteCost::staff_usd),
      field("year.staff", &SiteCost::staff, "of people and their wage").omitted(),
      field("year.total_usd", &SiteCost::year_usd),
      field("total_usd", &SiteCost::total_usd, "until it is written off"),
      field("usd_per_kwh", &SiteCost::usd_per_kwh),
      field("rent", &SiteCost::rent).omitted(),
      field("runs", &SiteCost::runs),
      field("missing", &SiteCost::missing, "what the sums leave out, with the reason"),
  };
};
template <>
struct Fields<Site> {
  static constexpr std::string_view name = "site";
  static constexpr std::string_view meaning =
      "Racks, power, network, bill of materials and cost of the chosen cluster.";
  static constexpr auto list = std::tuple{
      field("racks", &Site::racks),
      field("power", &Site::power),
      field("network", &Site::network).omitted(),
      field("bill", &Site::bill),
      field("missing.prices", &Site::no_price, "devices that sums leave out, because they have no price"),
      field("missing.power", &Site::no_power, "likewise: no power"),
      field("missing.units", &Site::no_units, "likewise: no height in rack units"),
      field("bill_total_usd", &Site::bill_total_usd,
            "of the rows with a price: a lower bound where \"missing\" names prices or units"),
      field("cost", &Site::cost).omitted(),
  };
};

}  // namespace rackcast::doc
