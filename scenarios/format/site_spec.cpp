#include "scenarios/format/site_spec.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "models/site/cost.hpp"
#include "scenarios/names/placed.hpp"

namespace rackcast {

namespace {

constexpr std::array<std::string_view, 2> bases{"nameplate", "typical"};
constexpr std::array<std::string_view, 3> redundancies{"N", "N+1", "2N"};

PlacedName name_of(ObjectReader& in, std::string_view key) {
  const Json* found = in.find(key);
  if (!found) return {};
  if (found->string().empty()) found->fail(fmt::format("\"{}\" is empty", key));
  return {found->string(), found->where()};
}

template <class Q>
std::optional<Q> maybe(ObjectReader& in, std::string_view key, bool positive = true) {
  if (!in.find(key)) return std::nullopt;
  return in.quantity<Q>(key, positive);
}

std::optional<double> fraction(ObjectReader& in, std::string_view key) {
  if (!in.find(key)) return std::nullopt;
  return in.number(key, 0, 1);
}

std::optional<int> whole(ObjectReader& in, std::string_view key, int low, int high) {
  if (!in.find(key)) return std::nullopt;
  return static_cast<int>(in.integer(key, low, high));
}

SiteEquipment read_equipment(const Json& json) {
  ObjectReader in{json};
  SiteEquipment out;
  if (in.has("item") == in.has("name")) {
    json.fail("equipment is either an \"item\" of the catalogue or has a \"name\" of its own",
              in.has("item") ? "remove one of them" : R"(for example "item": "switches/sn2201")");
  }
  out.item = name_of(in, "item");
  out.count = static_cast<int>(in.integer_or("count", 1, 1, 100'000));
  if (!out.item.name.empty()) {
    const auto slash = out.item.name.find('/');
    const std::string kind = out.item.name.substr(0, slash);
    if (slash == std::string::npos || (kind != "switches" && kind != "storage")) {
      in.require("item").fail(
          fmt::format("\"{}\" is neither a switch nor a storage of the catalogue", out.item.name),
          R"(write "switches/sn2201" or "storage/ddn_ai400x")");
    }
    out.label = out.item.name;
  } else {
    out.label = in.string("name");
    if (out.label.empty()) in.require("name").fail("equipment needs a name");
    out.units = static_cast<int>(in.integer("units", 1, 60));
    out.power = in.quantity<Power>("power", false);
    out.weight = in.quantity_or<Mass>("weight", Mass{0}, false);
    out.outlets = static_cast<int>(in.integer_or("outlets", 0, 0, 100));
  }
  in.finish();
  return out;
}

RackOptions read_racks(const Json& json) {
  ObjectReader in{json};
  RackOptions o;
  o.rack = name_of(in, "rack");
  o.power = maybe<Power>(in, "power");
  o.units = whole(in, "units", 1, 60);
  o.reserved_units = whole(in, "reserved_units", 0, 59);
  if (o.units && o.reserved_units && *o.reserved_units >= *o.units) {
    in.require("reserved_units").fail("all units of the rack are reserved", "leave some for the equipment");
  }
  o.load = maybe<Mass>(in, "load");
  o.depth = maybe<Length>(in, "depth");
  o.outlets = static_cast<int>(in.integer_or("outlets", 0, 0, 1000));
  o.ports = static_cast<int>(in.integer_or("ports", 0, 0, 100'000));
  o.pdus = static_cast<int>(in.integer_or("pdus", 2, 0, 16));
  o.max_racks = whole(in, "max_racks", 1, 100'000);
  o.max_units = whole(in, "max_units", 1, 10'000'000);
  if (in.find("basis")) o.nameplate = in.choice("basis", bases) == 0;
  if (const Json* method = in.find("method")) o.method = parsed(*method, parse_pack_method);
  if (const Json* equipment = in.find("equipment")) {
    for (const Json& one : equipment->array()) o.equipment.push_back(read_equipment(one));
    if (o.equipment.size() > 32) equipment->fail("more than 32 kinds of equipment");
  }
  in.finish();
  return o;
}

SitePowerOptions read_power(const Json& json) {
  ObjectReader in{json};
  SitePowerOptions o;
  o.feed = maybe<Power>(in, "feed");
  o.gpu_cap = maybe<Power>(in, "gpu_cap");
  if (o.gpu_cap) o.gpu_cap_where = in.require("gpu_cap").where();
  if (const Json* psu = in.find("psu")) o.psu = parsed(*psu, parse_psu_class);
  if (const Json* redundancy = in.find("redundancy")) {
    o.redundancy = static_cast<Redundancy>(in.choice("redundancy", redundancies));
    if (!o.feed) redundancy->fail("redundancy of which feed?", R"(for example "feed": "200 kW")");
  }
  o.modules = static_cast<int>(in.integer_or("modules", o.modules, 2, 64));
  if (in.has("modules") && o.redundancy != Redundancy::one_more)
    in.require("modules").fail("modules are counted where one of them may fail",
                               R"(add "redundancy": "N+1")");
  o.utilisation = in.number_or("utilisation", 1, 0.001, 1);
  in.finish();
  return o;
}

CoolingOptions read_cooling(const Json& json) {
  ObjectReader in{json};
  CoolingOptions o;
  o.rack = name_of(in, "rack");
  o.plant = name_of(in, "plant");
  o.climate = name_of(in, "climate");
  if (const Json* pue = in.find("pue")) {
    if (pue->number() < 1) {
      pue->fail(fmt::format("a PUE of {:g}: the site cannot draw less than its own IT", pue->number()),
                "PUE = power of the site / power of the IT, at least 1");
    }
    o.pue = in.number("pue", 1, 10);
    if (!o.plant.name.empty()) pue->fail("\"pue\" and \"plant\" say the same", "remove one of them");
  }
  if (!o.climate.name.empty() && o.plant.name.empty()) {
    in.require("climate").fail("a climate needs a cooling plant",
                               R"(for example "plant": "midsize_air_chiller")");
  }
  o.air_rise_kelvin = in.number_or("air_rise_kelvin", 15, 1, 40);
  in.finish();
  return o;
}

GridOptions read_grid(const Json& json) {
  ObjectReader in{json};
  GridOptions o;
  o.region = name_of(in, "region");
  o.tariff = name_of(in, "tariff");
  o.intensity = maybe<CarbonIntensity>(in, "intensity", false);
  o.price = maybe<EnergyPrice>(in, "price", false);
  if (o.intensity && !o.region.name.empty())
    in.require("intensity").fail("\"intensity\" and \"region\" say the same", "remove one of them");
  if (o.price && !o.tariff.name.empty())
    in.require("price").fail("\"price\" and \"tariff\" say the same", "remove one of them");
  in.finish();
  return o;
}

FloorOptions read_floor(const Json& json) {
  ObjectReader in{json};
  FloorOptions o{maybe<Area>(in, "area"), maybe<Area>(in, "area_per_rack")};
  in.finish();
  return o;
}

std::string date_of(ObjectReader& in) {
  const Json& date = in.require("date");
  parsed(date, [](const std::string& text) {
    check_date(text);
    return 0;
  });
  return date.string();
}

PriceEntry read_price(const Json& json) {
  ObjectReader in{json};
  PriceEntry out;
  out.item = in.string("item");
  out.price.unit = in.quantity<Money>("price", false);
  out.price.date = date_of(in);
  out.price.source = in.string_or("source", "the scenario");
  out.price.confidence = Confidence::verified;
  in.finish();
  return out;
}

RentOptions read_rent(const Json& json) {
  ObjectReader in{json};
  RentOptions o;
  o.instance = name_of(in, "instance");
  if (const Json* terms = in.find("terms")) o.terms = parsed(*terms, parse_rent_terms);
  in.finish();
  return o;
}

StaffOptions read_staff(const Json& json) {
  ObjectReader in{json};
  StaffOptions o;
  if (in.has("people")) o.people = in.number("people", 0, 1e6);
  o.wage = maybe<MoneyRate>(in, "wage");
  in.finish();
  return o;
}

PriceOptions read_prices(const Json& json) {
  ObjectReader in{json};
  PriceOptions o;
  o.date = date_of(in);
  o.budget = maybe<Money>(in, "budget");
  o.opex_budget = maybe<MoneyRate>(in, "opex_budget");
  o.total_budget = maybe<Money>(in, "total_budget");
  if (const Json* items = in.find("items")) {
    for (const Json& one : items->array()) o.items.push_back(read_price(one));
  }
  o.depreciation = maybe<Duration>(in, "depreciation");
  if (o.depreciation && (*o.depreciation < Duration{86400} || *o.depreciation > 100 * hours_of_year))
    in.find("depreciation")->fail("equipment is written off over a day to 100 years", R"("4 years")");
  o.support = fraction(in, "support");
  o.installation = fraction(in, "installation");
  o.interest = fraction(in, "interest");
  if (const Json* staff = in.find("staff"); staff && staff->kind() == JsonKind::object) {
    o.people = read_staff(*staff);
  } else {
    o.staff = maybe<MoneyRate>(in, "staff", false);
  }
  o.space = maybe<EnergyPrice>(in, "space", false);
  if (const Json* rent = in.find("rent")) o.rent = read_rent(*rent);
  in.finish();
  return o;
}

}  // namespace

double SitePowerOptions::usable_share() const {
  if (redundancy == Redundancy::twice) return 0.5;
  return redundancy == Redundancy::one_more ? (modules - 1.0) / modules : 1;
}

std::optional<Power> SitePowerOptions::usable_feed() const {
  return feed ? std::optional(usable_share() * *feed) : std::nullopt;
}

SiteSpec read_site(const Json& json) {
  ObjectReader in{json};
  SiteSpec site;
  site.where = json.where();
  if (const Json* racks = in.find("racks")) site.racks = read_racks(*racks);
  if (const Json* power = in.find("power")) site.power = read_power(*power);
  if (const Json* cooling = in.find("cooling")) site.cooling = read_cooling(*cooling);
  if (const Json* grid = in.find("grid")) site.grid = read_grid(*grid);
  if (const Json* floor = in.find("floor")) site.floor = read_floor(*floor);
  if (const Json* prices = in.find("prices")) site.prices = read_prices(*prices);
  in.finish();
  return site;
}

}  // namespace rackcast
