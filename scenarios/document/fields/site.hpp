#pragma once
/// Keys, units and meanings of the structs of scenarios/document/site.hpp.
#include "scenarios/document/form/reason_form.hpp"
#include "scenarios/document/site.hpp"

namespace rackcast::doc {

template <>
struct Fields<SiteRacks::Device> {
  static constexpr std::string_view name = "rack_device";
  static void each(const auto& visit) {
    visit(field("name", &SiteRacks::Device::name).needed());
    visit(field("kind", &SiteRacks::Device::kind).of("server storage equipment switch"));
    visit(field("count", &SiteRacks::Device::count));
    visit(field("units", &SiteRacks::Device::units, "height of one, in rack units"));
    visit(field("nameplate_w", &SiteRacks::Device::nameplate_w, "of one; null: not in the catalogue"));
    visit(field("typical_w", &SiteRacks::Device::typical_w, "of one; null: not in the catalogue"));
    visit(field("weight_kg", &SiteRacks::Device::weight_kg, "of one; null: not in the catalogue"));
    visit(field("unknown", &SiteRacks::Device::unknown, "what the catalogue does not say of it").omitted());
  }
};

template <>
struct Fields<SiteRacks::Content> {
  static constexpr std::string_view name = "rack_content";
  static void each(const auto& visit) {
    visit(field("name", &SiteRacks::Content::name).needed());
    visit(field("count", &SiteRacks::Content::count));
  }
};

template <>
struct Fields<SiteRacks::Position> {
  static constexpr std::string_view name = "rack_position";
  static void each(const auto& visit) {
    visit(field("u", &SiteRacks::Position::u, "the lowest unit, counted from 1 at the bottom").from(1));
    visit(field("units", &SiteRacks::Position::units).from(1));
    visit(field("side", &SiteRacks::Position::side).of("front rear"));
    visit(field("kind", &SiteRacks::Position::kind));
    visit(field("name", &SiteRacks::Position::name).needed());
    visit(field("number", &SiteRacks::Position::number, "among the devices of its kind, from 1").omitted());
  }
};

template <>
struct Fields<SiteRacks::Group> {
  static constexpr std::string_view name = "rack_group";
  static constexpr std::string_view meaning = "Racks with the same contents.";
  static void each(const auto& visit) {
    visit(field("first", &SiteRacks::Group::first, "the number of its first rack").from(1));
    visit(field("count", &SiteRacks::Group::count).from(1));
    visit(field("units_used", &SiteRacks::Group::units_used));
    visit(field("rack_units", &SiteRacks::Group::rack_units, "of the rack itself: a device may bring its own")
              .from(1));
    visit(
        field("power_limit_w", &SiteRacks::Group::power_limit_w, "that a rack with these contents may draw"));
    visit(field("nameplate_w", &SiteRacks::Group::nameplate_w));
    visit(field("typical_w", &SiteRacks::Group::typical_w));
    visit(field("expected_w", &SiteRacks::Group::expected_w, "at the load that was simulated"));
    visit(field("weight_kg", &SiteRacks::Group::weight_kg));
    visit(field("contents", &SiteRacks::Group::contents));
    visit(field("positions", &SiteRacks::Group::positions, "of the first rack, from the bottom up"));
  }
};

template <>
struct Fields<SiteRacks::Floor> {
  static constexpr std::string_view name = "floor";
  static constexpr std::string_view meaning =
      "The room that cables were measured in: rows of racks with cold and hot aisles in turn.";
  static void each(const auto& visit) {
    visit(field("rack_width_m", &SiteRacks::Floor::rack_width_m).from(0.01).up_to(100));
    visit(field("rack_depth_m", &SiteRacks::Floor::rack_depth_m).from(0.01).up_to(100));
    visit(field("cold_aisle_m", &SiteRacks::Floor::cold_aisle_m));
    visit(field("hot_aisle_m", &SiteRacks::Floor::hot_aisle_m));
    visit(field("racks_per_row", &SiteRacks::Floor::racks_per_row).from(1));
  }
};

template <>
struct Fields<SiteRacks> {
  static constexpr std::string_view name = "site_racks";
  static void each(const auto& visit) {
    visit(field("rack", &SiteRacks::rack, "its name in the catalogue"));
    visit(field("units", &SiteRacks::units).from(1));
    visit(field("reserved_units", &SiteRacks::reserved_units).omitted());
    visit(field("power_limit_w", &SiteRacks::power_limit_w, "of a rack"));
    visit(field("load_limit_kg", &SiteRacks::load_limit_kg, "of a rack"));
    visit(field("cooling", &SiteRacks::cooling));
    visit(field("basis", &SiteRacks::basis, "the power that racks are packed by").of("nameplate typical"));
    visit(field("count", &SiteRacks::count, "racks; left out where the devices fit no rack").omitted());
    visit(field("lower_bound", &SiteRacks::lower_bound, "no packing has fewer racks").omitted());
    visit(field("optimal", &SiteRacks::optimal).omitted());
    visit(field("method", &SiteRacks::method).omitted());
    visit(field("area_m2", &SiteRacks::area_m2).omitted());
    visit(field("floor", &SiteRacks::floor).omitted());
    visit(field("by_nameplate", &SiteRacks::by_nameplate,
                "racks by nameplate power; null: a device fits none"));
    visit(field("by_typical", &SiteRacks::by_typical, "racks by typical power; likewise"));
    visit(field("own_racks", &SiteRacks::own_racks, "of count, those that come with a device").omitted());
    visit(field("own_power_w", &SiteRacks::own_power_w, "that one of them may draw").omitted());
    visit(field("devices", &SiteRacks::devices));
    visit(field("groups", &SiteRacks::groups));
    visit(field("group_of_rack", &SiteRacks::group_of_rack, "for each rack its kind, an index of groups"));
    visit(field("unknown", &SiteRacks::unknown, "what the catalogue does not say"));
    visit(field("misfits", &SiteRacks::misfits, "why devices fit no rack; then nothing is packed").omitted());
  }
};

template <>
struct Fields<SitePower::Part> {
  static constexpr std::string_view name = "power_part";
  static void each(const auto& visit) {
    visit(field("name", &SitePower::Part::name).needed());
    visit(field("seconds", &SitePower::Part::seconds));
    visit(field("node_w", &SitePower::Part::node_w));
  }
};

template <>
struct Fields<SitePower::Run> {
  static constexpr std::string_view name = "power_run";
  static void each(const auto& visit) {
    visit(field("model", &SitePower::Run::model));
    visit(field("title", &SitePower::Run::title));
    visit(field("seconds", &SitePower::Run::seconds));
    visit(field("busy", &SitePower::Run::busy, "share of the time in which GPUs compute").up_to(1));
    visit(field("it_kwh", &SitePower::Run::it_kwh));
    visit(field("facility_kwh", &SitePower::Run::facility_kwh));
    visit(field("co2_kg", &SitePower::Run::co2_kg));
  }
};

template <>
struct Fields<SitePower> {
  static constexpr std::string_view name = "site_power";
  static void each(const auto& visit) {
    visit(field("known", &SitePower::known));
    visit(field("unrated", &SitePower::unrated, "the node, where the catalogue does not rate its power")
              .omitted());
    visit(field("nameplate_w", &SitePower::nameplate_w));
    visit(field("typical_w", &SitePower::typical_w));
    visit(field("pue.value", &SitePower::pue, "facility power over IT power").from(1));
    visit(field("pue.low", &SitePower::pue_low));
    visit(field("pue.high", &SitePower::pue_high));
    visit(field("pue.plant", &SitePower::plant_key));
    visit(field("pue.plant_title", &SitePower::plant, "in words"));
    visit(field("pue.climate", &SitePower::climate));
    visit(field("busy", &SitePower::busy, "share of the time in which GPUs compute").up_to(1).omitted());
    visit(field("it_w.value", &SitePower::it_w, "expected power of all devices").omitted());
    visit(field("it_w.low", &SitePower::it_low_w).omitted());
    visit(field("it_w.high", &SitePower::it_high_w).omitted());
    visit(field("it_w.unit", &SitePower::it_unit).omitted());
    visit(field("nodes_w", &SitePower::nodes_w).omitted());
    visit(field("switches_w", &SitePower::switches_w).omitted());
    visit(field("storage_w", &SitePower::storage_w).omitted());
    visit(field("equipment_w", &SitePower::equipment_w).omitted());
    visit(field("psu_loss_w", &SitePower::psu_loss_w, "lost in power supplies").omitted());
    visit(field("idle_w", &SitePower::idle_w).omitted());
    visit(field("facility_w", &SitePower::facility_w).omitted());
    visit(field("gpu_w", &SitePower::gpu_w, "of one GPU").omitted());
    visit(field("gpu_model", &SitePower::gpu_model, "where the power curve comes from").omitted());
    visit(field("gpu_borrowed", &SitePower::gpu_borrowed, "the GPU itself was not measured").omitted());
    visit(field("gpu_cap.cap_w", &SitePower::gpu_cap_w, "power limit of a GPU").omitted());
    visit(field("gpu_cap.speed", &SitePower::gpu_cap_speed, "of a GPU at its limit").up_to(1).omitted());
    visit(field("idle_nodes", &SitePower::idle_nodes, "of the cluster, without a GPU of the job").omitted());
    visit(field("spare_nodes", &SitePower::spare_nodes, "that idle").omitted());
    visit(field("feed.power_w", &SitePower::feed_w, "of the whole site, where it is redundant").omitted());
    visit(field("feed.usable_w", &SitePower::feed_usable_w).omitted());
    visit(field("feed.redundancy", &SitePower::feed_redundancy).of("2N N+1").omitted());
    visit(field("feed.modules", &SitePower::feed_modules, "equal parts of the feed").omitted());
    visit(field("rack_mean_w", &SitePower::rack_mean_w).omitted());
    visit(field("rack_most_w", &SitePower::rack_most_w).omitted());
    visit(field("heat.btu_per_h", &SitePower::btu_per_h, "of the nameplate power").omitted());
    visit(field("heat.cooling_tons", &SitePower::cooling_tons).omitted());
    visit(field("heat.air_cfm", &SitePower::air_cfm).omitted());
    visit(field("heat.air_rise_kelvin", &SitePower::air_rise_kelvin).omitted());
    visit(field("year.utilisation", &SitePower::utilisation).up_to(1).omitted());
    visit(field("year.it_kwh", &SitePower::it_kwh_year).omitted());
    visit(field("year.facility_kwh", &SitePower::facility_kwh_year).omitted());
    visit(field("year.co2_kg", &SitePower::co2_kg_year).omitted());
    visit(field("year.g_co2_per_kwh", &SitePower::g_co2_per_kwh).omitted());
    visit(field("year.grid", &SitePower::grid_key).omitted());
    visit(field("year.grid_title", &SitePower::grid, "in words").omitted());
    visit(field("year.water_litres", &SitePower::water_litres_year).omitted());
    visit(field("step", &SitePower::step, "power of a node in the parts of a step").omitted());
    visit(field("runs", &SitePower::runs).omitted());
  }
};

template <>
struct Fields<SiteNetwork::Switches> {
  static constexpr std::string_view name = "switches";
  static void each(const auto& visit) {
    visit(field("level", &SiteNetwork::Switches::level).needed());
    visit(field("product", &SiteNetwork::Switches::product).needed());
    visit(field("count", &SiteNetwork::Switches::count));
    visit(field("ports", &SiteNetwork::Switches::ports, "of each"));
    visit(field("free_ports", &SiteNetwork::Switches::free_ports, "of each"));
  }
};

template <>
struct Fields<SiteNetwork::Cables> {
  static constexpr std::string_view name = "cables";
  static void each(const auto& visit) {
    visit(field("use", &SiteNetwork::Cables::use).needed());
    visit(field("link", &SiteNetwork::Cables::link_key));
    visit(field("link_title", &SiteNetwork::Cables::link, "in words"));
    visit(field("product", &SiteNetwork::Cables::product_key,
                "empty: the catalogue has none that reaches so far"));
    visit(field("product_title", &SiteNetwork::Cables::product, "in words"));
    visit(field("length_m", &SiteNetwork::Cables::length_m));
    visit(field("count", &SiteNetwork::Cables::count));
  }
};

template <>
struct Fields<SiteNetwork> {
  static constexpr std::string_view name = "site_network";
  static void each(const auto& visit) {
    visit(field("kind", &SiteNetwork::kind));
    visit(field("oversubscription", &SiteNetwork::oversubscription,
                "ports down over ports up of a leaf switch"));
    visit(field("node_cables", &SiteNetwork::node_cables));
    visit(field("storage_cables", &SiteNetwork::storage_cables));
    visit(field("trunk_cables", &SiteNetwork::trunk_cables, "between switches"));
    visit(field("switches", &SiteNetwork::switches));
    visit(field("cables", &SiteNetwork::cables));
  }
};

template <>
struct Fields<SiteBillRow> {
  static constexpr std::string_view name = "bill_row";
  static void each(const auto& visit) {
    visit(field("group", &SiteBillRow::group).needed());
    visit(field("item", &SiteBillRow::item).needed());
    visit(field("quantity", &SiteBillRow::quantity));
    visit(field("unit_price_usd", &SiteBillRow::unit_price_usd, "null: no price is known"));
    visit(field("total_usd", &SiteBillRow::total_usd));
    visit(field("date", &SiteBillRow::date, "of the price"));
    visit(field("source", &SiteBillRow::source));
    visit(field("confidence", &SiteBillRow::confidence));
    visit(field("note", &SiteBillRow::note));
  }
};

template <>
struct Fields<SiteCost::Rent> {
  static constexpr std::string_view name = "rent";
  static void each(const auto& visit) {
    visit(field("instance", &SiteCost::Rent::instance).needed());
    visit(field("terms", &SiteCost::Rent::terms_key));
    visit(field("terms_title", &SiteCost::Rent::terms, "in words"));
    visit(field("date", &SiteCost::Rent::date));
    visit(field("usd_per_hour", &SiteCost::Rent::usd_per_hour, "of one instance"));
    visit(field("instances", &SiteCost::Rent::instances));
    visit(field("year_usd", &SiteCost::Rent::year_usd));
    visit(field("break_even_utilisation", &SiteCost::Rent::break_even,
                "owning is cheaper from here on; null: never")
              .up_to(1));
    visit(field("break_even_low", &SiteCost::Rent::break_even_low,
                "where energy costs what the low end of its interval says"));
    visit(field("break_even_high", &SiteCost::Rent::break_even_high, "null: never"));
    visit(field("source", &SiteCost::Rent::source));
    visit(field("confidence", &SiteCost::Rent::confidence));
    visit(field("note", &SiteCost::Rent::note));
  }
};

template <>
struct Fields<SiteCost::Run> {
  static constexpr std::string_view name = "cost_run";
  static void each(const auto& visit) {
    visit(field("model", &SiteCost::Run::model));
    visit(field("title", &SiteCost::Run::title));
    visit(field("own_usd", &SiteCost::Run::own_usd));
    visit(field("own_low_usd", &SiteCost::Run::own_low_usd, "90 % interval of own_usd: time, power and PUE"));
    visit(field("own_high_usd", &SiteCost::Run::own_high_usd));
    visit(field("rent_usd", &SiteCost::Run::rent_usd));
    visit(field("rent_low_usd", &SiteCost::Run::rent_low_usd, "90 % interval of rent_usd: time").omitted());
    visit(field("rent_high_usd", &SiteCost::Run::rent_high_usd).omitted());
  }
};

template <>
struct Fields<SiteCost> {
  static constexpr std::string_view name = "site_cost";
  static void each(const auto& visit) {
    visit(field("date", &SiteCost::date));
    visit(field("capex_usd", &SiteCost::capex_usd));
    visit(field("depreciation_years", &SiteCost::depreciation_years));
    visit(field("utilisation", &SiteCost::utilisation).up_to(1));
    visit(field("year.depreciation_usd", &SiteCost::depreciation_usd));
    visit(field("year.interest_usd", &SiteCost::interest_usd));
    visit(field("year.energy_usd", &SiteCost::energy_usd));
    visit(field("year.energy_low_usd", &SiteCost::energy_low_usd,
                "90 % interval of energy_usd: power of the nodes and PUE"));
    visit(field("year.energy_high_usd", &SiteCost::energy_high_usd));
    visit(field("year.energy_idle_usd", &SiteCost::energy_idle_usd, "were the cluster idle all year"));
    visit(field("year.energy_busy_usd", &SiteCost::energy_busy_usd, "did it work all year"));
    visit(field("year.space_usd", &SiteCost::space_usd));
    visit(field("year.support_usd", &SiteCost::support_usd));
    visit(field("year.staff_usd", &SiteCost::staff_usd));
    visit(field("year.staff", &SiteCost::staff, "of people and their wage").omitted());
    visit(field("year.total_usd", &SiteCost::year_usd));
    visit(field("total_usd", &SiteCost::total_usd, "until it is written off"));
    visit(field("usd_per_kwh", &SiteCost::usd_per_kwh));
    visit(field("rent", &SiteCost::rent).omitted());
    visit(field("runs", &SiteCost::runs));
    visit(field("missing", &SiteCost::missing, "what the sums leave out, with the reason"));
  }
};

template <>
struct Fields<Site> {
  static constexpr std::string_view name = "site";
  static constexpr std::string_view meaning =
      "Racks, power, network, bill of materials and cost of the chosen cluster.";
  static void each(const auto& visit) {
    visit(field("racks", &Site::racks));
    visit(field("power", &Site::power));
    visit(field("network", &Site::network).omitted());
    visit(field("bill", &Site::bill));
    visit(
        field("missing.prices", &Site::no_price, "devices that sums leave out, because they have no price"));
    visit(field("missing.power", &Site::no_power, "likewise: no power"));
    visit(field("missing.units", &Site::no_units, "likewise: no height in rack units"));
    visit(field("bill_total_usd", &Site::bill_total_usd,
                "of the rows with a price: a lower bound where \"missing\" names prices or units"));
    visit(field("cost", &Site::cost).omitted());
  }
};

}  // namespace rackcast::doc
