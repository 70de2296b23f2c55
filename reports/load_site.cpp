#include "reports/load_site.hpp"

#include "reports/load_members.hpp"

namespace rackcast::reports {
namespace {

std::int64_t whole(const Json& value, std::int64_t low = 0) {
  const std::int64_t number = value.integer();
  if (number < low || number > 1'000'000'000) {
    value.fail("expected a count from " + std::to_string(low) + " on", std::string(damaged_hint));
  }
  return number;
}

double checked(const Json& value) {
  if (value.number() < 0) {
    value.fail("expected a number that is not negative", std::string(damaged_hint));
  }
  return value.number();
}

/// Of a side of a rack.
double length(const Json& object, std::string_view key) {
  const double metres = checked(object.require(key));
  if (metres < 0.01 || metres > 100) {
    object.require(key).fail("expected the side of a rack, in metres", std::string(damaged_hint));
  }
  return metres;
}

std::optional<std::int64_t> maybe_whole(const Json& object, std::string_view key) {
  const Json* found = optional_member(object, key);
  return found == nullptr ? std::nullopt : std::optional(whole(*found));
}

std::vector<std::string> texts(const Json& object, std::string_view key) {
  return read_list(object, key, [](const Json& one) { return one.string(); });
}

SiteRacks::Device read_device(const Json& json) {
  return {json.require("name").string(),          json.require("kind").string(),
          text_or_empty(json, "unknown"),         whole(json.require("count")),
          maybe_whole(json, "units").value_or(0), optional_amount(json, "nameplate_w"),
          optional_amount(json, "typical_w"),     optional_amount(json, "weight_kg")};
}

SiteRacks::Position read_position(const Json& json) {
  return {whole(json.require("u"), 1), whole(json.require("units"), 1),
          json.require("side").string() == "rear", json.require("kind").string(),
          json.require("name").string()};
}

SiteRacks::Group read_group(const Json& json) {
  SiteRacks::Group group{whole(json.require("first"), 1),
                         whole(json.require("count"), 1),
                         whole(json.require("units_used")),
                         optional_amount(json, "nameplate_w"),
                         optional_amount(json, "typical_w"),
                         optional_amount(json, "expected_w"),
                         optional_amount(json, "weight_kg"),
                         maybe_whole(json, "rack_units"),
                         optional_amount(json, "power_limit_w"),
                         {},
                         {}};
  group.contents = read_list(json, "contents", [](const Json& one) {
    return SiteRacks::Content{one.require("name").string(), whole(one.require("count"))};
  });
  group.positions = read_list(json, "positions", read_position);
  return group;
}

SiteRacks read_racks(const Json& json) {
  SiteRacks r;
  r.units = whole(json.require("units"), 1);
  r.reserved_units = maybe_whole(json, "reserved_units").value_or(0);
  r.power_limit_w = optional_amount(json, "power_limit_w");
  r.load_limit_kg = optional_amount(json, "load_limit_kg");
  r.area_m2 = optional_amount(json, "area_m2");
  if (const Json* floor = optional_member(json, "floor")) {
    r.floor = {length(*floor, "rack_width_m"), length(*floor, "rack_depth_m"),
               checked(floor->require("cold_aisle_m")), checked(floor->require("hot_aisle_m")),
               whole(floor->require("racks_per_row"), 1)};
  }
  r.cooling = text_or_empty(json, "cooling");
  r.basis = text_or_empty(json, "basis");
  r.statement = text_or_empty(json, "statement");
  r.method = text_or_empty(json, "method");
  r.power_statement = text_or_empty(json, "power_statement");
  r.count = maybe_whole(json, "count");
  r.lower_bound = maybe_whole(json, "lower_bound");
  r.by_nameplate = maybe_whole(json, "by_nameplate");
  r.by_typical = maybe_whole(json, "by_typical");
  r.devices = read_list(json, "devices", read_device);
  r.groups = read_list(json, "groups", read_group);
  r.group_of_rack = read_list(json, "group_of_rack", [&r](const Json& one) {
    if (whole(one) >= std::ssize(r.groups))
      one.fail("there is no such group of racks", std::string(damaged_hint));
    return whole(one);
  });
  for (const auto& group : r.groups) {
    for (const auto& p : group.positions) {
      if (p.u + p.units - 1 > group.rack_units.value_or(r.units)) {
        json.require("groups").fail("a device stands above the top of its rack", std::string(damaged_hint));
      }
    }
  }
  r.unknown = texts(json, "unknown");
  return r;
}

void read_consumers(const Json& json, SitePower& p) {
  p.nodes_w = optional_amount(json, "nodes_w");
  p.switches_w = optional_amount(json, "switches_w");
  p.storage_w = optional_amount(json, "storage_w");
  p.equipment_w = optional_amount(json, "equipment_w");
  p.psu_loss_w = optional_amount(json, "psu_loss_w");
  p.nameplate_w = optional_amount(json, "nameplate_w");
  p.typical_w = optional_amount(json, "typical_w");
  p.idle_w = optional_amount(json, "idle_w");
  p.facility_w = optional_amount(json, "facility_w");
  p.gpu_w = optional_amount(json, "gpu_w");
  p.rack_mean_w = optional_amount(json, "rack_mean_w");
  p.rack_most_w = optional_amount(json, "rack_most_w");
}

void read_year(const Json& json, SitePower& p) {
  p.utilisation = optional_amount(json, "utilisation");
  p.it_kwh_year = optional_amount(json, "it_kwh");
  p.facility_kwh_year = optional_amount(json, "facility_kwh");
  p.co2_kg_year = optional_amount(json, "co2_kg");
  p.g_co2_per_kwh = optional_amount(json, "g_co2_per_kwh");
  p.grid = title_or_key(json, "grid");
  p.water_litres_year = optional_amount(json, "water_litres");
}

SitePower read_power(const Json& json) {
  SitePower p;
  p.known = json.require("known").boolean();
  p.statement = text_or_empty(json, "statement");
  p.gpu_model = text_or_empty(json, "gpu_model");
  p.busy = optional_amount(json, "busy");
  read_consumers(json, p);
  if (const Json* pue = optional_member(json, "pue")) {
    p.pue = optional_amount(*pue, "value");
    p.pue_low = optional_amount(*pue, "low");
    p.pue_high = optional_amount(*pue, "high");
    p.plant = title_or_key(*pue, "plant");
    p.climate = text_or_empty(*pue, "climate");
  }
  if (const Json* it = optional_member(json, "it_w")) {
    p.it_w = optional_amount(*it, "value");
    p.it_low_w = optional_amount(*it, "low");
    p.it_high_w = optional_amount(*it, "high");
  }
  if (const Json* cap = optional_member(json, "gpu_cap")) {
    p.gpu_cap_w = optional_amount(*cap, "cap_w");
    p.gpu_cap_speed = optional_amount(*cap, "speed");
  }
  if (const Json* heat = optional_member(json, "heat")) {
    p.btu_per_h = optional_amount(*heat, "btu_per_h");
    p.cooling_tons = optional_amount(*heat, "cooling_tons");
    p.air_cfm = optional_amount(*heat, "air_cfm");
    p.air_rise_kelvin = optional_amount(*heat, "air_rise_kelvin");
  }
  if (const Json* year = optional_member(json, "year")) {
    read_year(*year, p);
  }
  p.step = read_list(json, "step", [](const Json& one) {
    return SitePower::Part{one.require("name").string(), checked(one.require("seconds")),
                           checked(one.require("node_w"))};
  });
  p.runs = read_list(json, "runs", [](const Json& one) {
    const std::string title = text_or_empty(one, "title");
    return SitePower::Run{title.empty() ? one.require("model").string() : title,
                          checked(one.require("seconds")),
                          optional_amount(one, "busy"),
                          optional_amount(one, "it_kwh"),
                          optional_amount(one, "facility_kwh"),
                          optional_amount(one, "co2_kg")};
  });
  return p;
}

SiteNetwork read_network(const Json& json) {
  SiteNetwork n;
  n.kind = text_or_empty(json, "kind");
  n.statement = text_or_empty(json, "statement");
  n.oversubscription = optional_amount(json, "oversubscription");
  n.switches = read_list(json, "switches", [](const Json& one) {
    return SiteNetwork::Switches{one.require("level").string(), one.require("product").string(),
                                 whole(one.require("count")), maybe_whole(one, "ports"),
                                 maybe_whole(one, "free_ports")};
  });
  n.cables = read_list(json, "cables", [](const Json& one) {
    return SiteNetwork::Cables{one.require("use").string(), title_or_key(one, "link"),
                               title_or_key(one, "product"), checked(one.require("length_m")),
                               whole(one.require("count"))};
  });
  return n;
}

SiteBillRow read_bill_row(const Json& json) {
  return {json.require("group").string(),    json.require("item").string(),
          text_or_empty(json, "date"),       text_or_empty(json, "source"),
          text_or_empty(json, "confidence"), text_or_empty(json, "note"),
          checked(json.require("quantity")), optional_amount(json, "unit_price_usd"),
          optional_amount(json, "total_usd")};
}

SiteCost::Rent read_rent(const Json& json) {
  SiteCost::Rent rent;
  rent.instance = json.require("instance").string();
  rent.terms = title_or_key(json, "terms");
  rent.date = text_or_empty(json, "date");
  rent.source = text_or_empty(json, "source");
  rent.confidence = text_or_empty(json, "confidence");
  rent.note = text_or_empty(json, "note");
  rent.usd_per_hour = checked(json.require("usd_per_hour"));
  rent.instances = maybe_whole(json, "instances");
  rent.year_usd = optional_amount(json, "year_usd");
  rent.break_even = optional_amount(json, "break_even_utilisation");
  rent.break_even_low = optional_amount(json, "break_even_low");
  rent.break_even_high = optional_amount(json, "break_even_high");
  return rent;
}

SiteCost read_cost(const Json& json) {
  SiteCost c;
  c.date = text_or_empty(json, "date");
  c.statement = text_or_empty(json, "statement");
  c.capex_usd = checked(json.require("capex_usd"));
  c.depreciation_years = optional_amount(json, "depreciation_years");
  c.utilisation = optional_amount(json, "utilisation");
  c.total_usd = optional_amount(json, "total_usd");
  c.usd_per_kwh = optional_amount(json, "usd_per_kwh");
  if (const Json* year = optional_member(json, "year")) {
    c.depreciation_usd = optional_amount(*year, "depreciation_usd");
    c.interest_usd = optional_amount(*year, "interest_usd");
    c.energy_usd = optional_amount(*year, "energy_usd");
    c.energy_idle_usd = optional_amount(*year, "energy_idle_usd");
    c.energy_busy_usd = optional_amount(*year, "energy_busy_usd");
    c.energy_low_usd = optional_amount(*year, "energy_low_usd");
    c.energy_high_usd = optional_amount(*year, "energy_high_usd");
    c.space_usd = optional_amount(*year, "space_usd");
    c.support_usd = optional_amount(*year, "support_usd");
    c.staff_usd = optional_amount(*year, "staff_usd");
    c.staff_how = text_or_empty(*year, "staff_how");
    c.year_usd = optional_amount(*year, "total_usd");
  }
  if (const Json* rent = optional_member(json, "rent")) {
    c.rent = read_rent(*rent);
  }
  c.runs = read_list(json, "runs", [](const Json& one) {
    const std::string title = text_or_empty(one, "title");
    return SiteCost::Run{title.empty() ? one.require("model").string() : title,
                         checked(one.require("own_usd")),
                         optional_amount(one, "rent_usd"),
                         optional_amount(one, "own_low_usd"),
                         optional_amount(one, "own_high_usd"),
                         optional_amount(one, "rent_low_usd"),
                         optional_amount(one, "rent_high_usd")};
  });
  c.missing = texts(json, "missing");
  return c;
}

}  // namespace

Site read_site(const Json& json) {
  Site site;
  site.racks = read_racks(json.require("racks"));
  site.power = read_power(json.require("power"));
  if (const Json* network = optional_member(json, "network")) {
    site.network = read_network(*network);
  }
  site.bill = read_list(json, "bill", read_bill_row);
  site.bill_total_usd = optional_amount(json, "bill_total_usd");
  if (const Json* cost = optional_member(json, "cost")) {
    site.cost = read_cost(*cost);
  }
  if (const Json* missing = optional_member(json, "missing")) {
    site.no_price = texts(*missing, "prices");
    site.no_power = texts(*missing, "power");
    site.no_units = texts(*missing, "units");
  }
  return site;
}

}  // namespace rackcast::reports
