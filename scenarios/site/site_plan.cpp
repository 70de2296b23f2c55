#include "scenarios/site/site_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/data_path/storage_system.hpp"
#include "models/site/cabling.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/names/placed.hpp"
#include "sim/units/quantity_text.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/catalog/spec_reader.hpp"

namespace rackcast {

namespace {

/// Rack units as whole ones; 0 if unknown.
int whole_units(const Maybe<double>& units) {
  return units ? static_cast<int>(std::ceil(units->value - 1e-9)) : 0;
}

/// Number of power supplies, each with a cord; 0 if unknown.
int supplies(const CatalogEntry& entry) {
  if (const Fact* count = entry.find("psu_count")) return static_cast<int>(count->number());
  const Fact* fact = entry.find("power_supplies");
  if (!fact || fact->value().kind() != JsonKind::object) return 0;
  const Json* count = fact->value().find("count");
  return count ? static_cast<int>(count->integer()) : 0;
}

/// What is known, and by name what is not.
void finish(SiteDevice& d, const Maybe<Power>& max, const Maybe<Power>& typical, bool nameplate) {
  d.power_known = max || typical;
  d.nameplate = max ? max->value : value_or(typical, Power{0});
  d.typical = typical ? typical->value : typical_of(d.nameplate);
  d.item.power = nameplate ? d.nameplate : d.typical;
  d.units_known = d.item.units > 0;
  d.nameplate_is_typical = !max && typical;
  const auto missing = [&d](const char* what) {
    d.item.unknown += (d.item.unknown.empty() ? "" : ", ") + std::string{what};
  };
  if (!d.units_known) missing("rack units");
  if (!d.power_known) missing("power");
  if (!max && typical) missing("nameplate power (typical power counts)");
  if (d.item.weight.base() == 0) missing("weight");
}

SiteDevice node_device(const Catalog& catalog, const Cluster& cluster, bool nameplate) {
  const NodeSpec& node = cluster.node;
  const CatalogEntry& entry = catalog.find("nodes", node.listed_as);
  SiteDevice d;
  d.role = DeviceRole::node;
  d.catalog_kind = "nodes";
  d.catalog_id = node.listed_as;
  d.item = {node.id,
            node.name,
            RackItemKind::node,
            cluster.nodes,
            whole_units(node.rack_units),
            Power{0},
            value_or(node.weight, Mass{0})};
  if (const Fact* depth = entry.find("depth_mm")) d.item.depth = depth->quantity<Length>();
  d.item.outlets = supplies(entry);
  d.item.ports = node.nics;
  finish(d, node.max_power, node.typical_power, nameplate);
  return d;
}

/// A cap is kept by the GPUs themselves: the node can then draw no more than its rating less what they give
/// up.
void apply_cap(const Catalog& catalog, const SiteSpec& site, const Cluster& cluster, SiteDevice& d) {
  const NodePower power = node_power(catalog, cluster.node, site.power.psu);
  if (!site.power.gpu_cap || !power.known) return;
  const auto given_up = [&](Power uncapped) {
    return power.gpus * std::max(Power{0}, uncapped - *site.power.gpu_cap) / power.efficiency;
  };
  d.nameplate -= given_up(power.gpu_limit);
  d.typical -= given_up(power.gpu.busy_fraction * power.gpu_limit);
  d.item.power = site.racks.nameplate ? d.nameplate : d.typical;
}

SiteDevice switch_device(const Catalog& catalog, const SwitchSpec& spec, DeviceRole role, int count,
                         bool nameplate) {
  SiteDevice d;
  d.role = role;
  d.catalog_kind = "switches";
  d.catalog_id = spec.id;
  d.item = {spec.id,
            spec.name,
            RackItemKind::network,
            count,
            whole_units(spec.rack_units),
            Power{0},
            value_or(spec.weight, Mass{0})};
  d.item.outlets = supplies(catalog.find("switches", spec.id));
  finish(d, spec.max_power, spec.typical_power, nameplate);
  return d;
}

SiteDevice storage_device(const Catalog& catalog, const std::string& id, int count, int ports,
                          bool nameplate) {
  const CatalogEntry& entry = catalog.find("storage", id);
  const SpecReader reader{entry};
  SiteDevice d;
  d.role = DeviceRole::storage;
  d.catalog_kind = "storage";
  d.catalog_id = entry.id;
  d.item = {entry.id,
            entry.name,
            RackItemKind::storage,
            count,
            whole_units(reader.number("rack_units")),
            Power{0},
            value_or(reader.quantity<Mass>("weight_kg"), Mass{0})};
  d.item.outlets = supplies(entry);
  d.item.ports = ports;
  const auto power = reader.quantity<Power>("power_w");
  finish(d, power, power, nameplate);  // one figure for both: what the array draws when it works
  return d;
}

SiteDevice equipment_device(const Catalog& catalog, const SiteEquipment& e, bool nameplate) {
  if (!e.item.name.empty()) {
    const auto slash = e.item.name.find('/');
    const std::string kind = e.item.name.substr(0, slash), id = e.item.name.substr(slash + 1);
    return placed(e.item.where, [&] {
      SiteDevice d = kind == "switches" ? switch_device(catalog, switch_spec(catalog, id),
                                                        DeviceRole::equipment, e.count, nameplate)
                                        : storage_device(catalog, id, e.count, 0, nameplate);
      d.role = DeviceRole::equipment;
      return d;
    });
  }
  SiteDevice d;
  d.role = DeviceRole::equipment;
  d.item = {e.label, e.label, RackItemKind::other, e.count, e.units, e.power, e.weight};
  d.item.outlets = e.outlets;
  d.nameplate = d.typical = e.power;
  return d;
}

/// How a node that is a whole rack has to be cooled; nothing of a node that stands in a rack.
std::optional<RackCooling> own_cooling_of(const Catalog& catalog, const NodeSpec& node) {
  const Fact* fact = catalog.find("nodes", node.listed_as).find("rack_scale");
  if (!fact) return std::nullopt;
  return rack_cooling(catalog, fact->value().require("cooling").string());
}

std::vector<SiteDevice> devices_of(const Catalog& catalog, const SiteSpec& site, const Cluster& cluster,
                                   int spares, const StorageSpec& storage, std::optional<Power> own_rack) {
  const bool nameplate = site.racks.nameplate;
  const FabricPlan& plan = cluster.fabric;
  std::vector<SiteDevice> out{node_device(catalog, cluster, nameplate)};
  apply_cap(catalog, site, cluster, out.front());
  out.front().item.own_rack = own_rack;
  const auto without_work = [&out](int count, DeviceRole role, const char* name) {
    if (count <= 0) return;
    SiteDevice others = out.front();
    out.front().item.count -= count;
    others.role = role;
    others.item.name += name;
    others.item.count = count;
    out.push_back(std::move(others));
  };
  without_work(cluster.nodes - spares - cluster.topology.nodes(), DeviceRole::idle, ", idle");
  without_work(spares, DeviceRole::spare, ", spare");
  const auto add_switches = [&](const SwitchSpec& spec, DeviceRole role, int count) {
    if (count == 0) return;
    out.push_back(switch_device(catalog, spec, role, count, nameplate));
    if (plan.spines > 0) {  // levels may be of one product
      out.back().item.name += role == DeviceRole::leaf    ? ", leaf"
                              : role == DeviceRole::spine ? ", spine"
                                                          : ", core";
    }
  };
  add_switches(plan.leaf, DeviceRole::leaf, plan.leaves);
  add_switches(plan.spine, DeviceRole::spine, plan.spines);
  add_switches(plan.core, DeviceRole::core, plan.cores);
  if (storage.array != "none" &&
      storage_kind_of(catalog.find("storage", storage.array).id) != StorageKind::local) {
    out.push_back(storage_device(catalog, storage.array, storage.count, plan.storage_links, nameplate));
  }
  for (const SiteEquipment& e : site.racks.equipment) out.push_back(equipment_device(catalog, e, nameplate));
  return out;
}

RackSpec rack_spec(const Catalog& catalog, const RackOptions& o, const RackCooling& cooling) {
  return placed(o.rack.where, [&] {
    const CatalogEntry& entry = catalog.find("facility", "racks");
    const std::string id = o.rack.name.empty() ? "standard_42ru" : o.rack.name;
    const Fact* units = entry.find(id + "/rack_units");
    if (!units)
      throw Error{fmt::format("the catalogue has no rack \"{}\"", id), {}, "standard_42ru, tall_48ru"};
    RackSpec rack;
    rack.id = id;
    rack.units = o.units.value_or(static_cast<int>(units->number()));
    rack.name = fmt::format("{} U rack", rack.units);
    rack.reserved_units =
        o.reserved_units.value_or(static_cast<int>(entry.require("usable_rack_units_reserved").number()));
    if (rack.usable_units() < 1)
      throw Error{"all units of the rack are reserved", {}, "give \"reserved_units\""};
    rack.power = o.power.value_or(cooling.limit.value);
    const Mass empty = entry.require(id + "/empty_weight_kg").quantity<Mass>();
    rack.load = o.load ? *o.load : entry.require(id + "/static_load_kg").quantity<Mass>() - empty;
    rack.depth = o.depth ? *o.depth : entry.require(id + "/depth_m").quantity<Length>();
    rack.outlets = o.outlets;
    rack.ports = o.ports;
    return rack;
  });
}

Pue site_pue(const Catalog& catalog, const CoolingOptions& o) {
  if (o.pue) {
    Pue out;
    out.value = out.low = out.high = *o.pue;
    out.source = "the scenario";
    out.confidence = Confidence::verified;
    return out;
  }
  const Where& where = o.climate.name.empty() ? o.plant.where : o.climate.where;
  return placed(where, [&] {
    return pue_of(catalog, o.plant.name.empty() ? "industry_average" : o.plant.name, o.climate.name);
  });
}

RackCooling site_cooling(const Catalog& catalog, const CoolingOptions& o) {
  return placed(o.rack.where,
                [&] { return rack_cooling(catalog, o.rack.name.empty() ? "air" : o.rack.name); });
}

Power sum(const std::vector<SiteDevice>& devices, Power SiteDevice::*member) {
  Power out{0};
  for (const SiteDevice& d : devices) out += d.item.count * d.*member;
  return out;
}

}  // namespace

std::vector<RackItem> SitePlan::items() const {
  std::vector<RackItem> out;
  for (const SiteDevice& d : devices) {
    out.push_back(d.item);
    if (!d.units_known) out.back().count = 0;  // nobody knows how tall it is
  }
  return out;
}

std::vector<RackItem> SitePlan::items(bool nameplate_basis) const {
  std::vector<RackItem> out = items();
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i].power = nameplate_basis ? devices[i].nameplate : devices[i].typical;
  return out;
}

Power SitePlan::nameplate() const {
  return sum(devices, &SiteDevice::nameplate);
}

Power SitePlan::typical() const {
  return sum(devices, &SiteDevice::typical);
}

int SitePlan::count(DeviceRole role) const {
  int out = 0;
  for (const SiteDevice& d : devices)
    if (d.role == role) out += d.item.count;
  return out;
}

double SitePlan::rack_units() const {
  double out = 0;
  for (const SiteDevice& d : devices) out += d.item.count * d.item.units;
  return out;
}

int SitePlan::own_racks() const {
  int out = 0;
  for (const SiteDevice& d : devices)
    if (d.item.own_rack) out += d.item.count;
  return out;
}

Power SitePlan::power_limit(const RackCounts& counts) const {
  for (std::size_t i = 0; i < devices.size(); ++i)
    if (counts[i] > 0 && devices[i].item.own_rack) return *devices[i].item.own_rack;
  return rack.power;
}

MissingFacts SitePlan::missing() const {
  MissingFacts out;
  for (const SiteDevice& d : devices) {
    if (d.item.count == 0) continue;
    const std::string what = fmt::format("{} x {}", d.item.count, d.item.name);
    if (!d.power_known) out.power.push_back(what);
    if (!d.units_known) out.units.push_back(what);
  }
  return out;
}

SitePlan site_plan(const Catalog& catalog, const SiteSpec& site, const Cluster& cluster, int spares,
                   const StorageSpec& storage) {
  SitePlan plan;
  plan.cooling = site_cooling(catalog, site.cooling);
  plan.rack_power_given = site.racks.power.has_value();
  plan.rack = rack_spec(catalog, site.racks, plan.cooling);
  plan.pue = site_pue(catalog, site.cooling);
  plan.area_per_rack = site.floor.area_per_rack.value_or(
      catalog.find("facility", "floor").require("area_per_rack_with_aisles_m2").quantity<Area>());
  const CatalogEntry& floor = catalog.find("facility", "floor");
  plan.floor = {catalog.find("facility", "racks").require(plan.rack.id + "/width_m").quantity<Length>(),
                floor.require("cold_aisle_m").quantity<Length>(),
                floor.require("hot_aisle_m").quantity<Length>(), racks_per_row()};
  plan.own_cooling = own_cooling_of(catalog, cluster.node);
  std::optional<Power> own_rack;
  if (plan.own_cooling) {
    // What the scenario says of racks is said of these, too.
    if (!site.cooling.rack.name.empty()) plan.own_cooling = plan.cooling;
    own_rack = site.racks.power.value_or(plan.own_cooling->limit.value);
  }
  plan.devices = devices_of(catalog, site, cluster, spares, storage, own_rack);
  const std::vector<RackItem> items = plan.items();
  bool any = false;
  for (const RackItem& item : items) {
    if (!item.unknown.empty())
      plan.unknown.push_back(fmt::format("{}: the catalogue has no {}", item.name, item.unknown));
    any = any || item.count > 0;
    if (item.count == 0) continue;
    if (auto why = misfit(item, plan.rack)) plan.misfits.push_back(std::move(*why));
  }
  if (plan.misfits.empty() && any) plan.packing = pack_racks(items, plan.rack, site.racks.method);
  return plan;
}

void check_site_names(const Catalog& catalog, const SiteSpec& site) {
  (void)rack_spec(catalog, site.racks, site_cooling(catalog, site.cooling));
  (void)site_pue(catalog, site.cooling);
  for (const SiteEquipment& e : site.racks.equipment) (void)equipment_device(catalog, e, true);
  const GridOptions& grid = site.grid;
  if (!grid.region.name.empty())
    placed(grid.region.where, [&] { return grid_intensity(catalog, grid.region.name); });
  if (!grid.tariff.name.empty())
    placed(grid.tariff.where, [&] {
      return electricity_price(catalog, grid.tariff.name, site.prices ? site.prices->date : "");
    });
  if (site.prices && !site.prices->rent.instance.name.empty()) {
    const PriceOptions& p = *site.prices;
    placed(p.rent.instance.where,
           [&] { return rent_offer(catalog, p.rent.instance.name, p.rent.terms, p.date); });
  }
}

std::optional<Price> site_price(const Catalog& catalog, const PriceOptions& prices, const std::string& kind,
                                const std::string& id, const std::string& label) {
  for (const PriceEntry& entry : prices.items) {
    if (entry.item == label || (!kind.empty() && entry.item == kind + "/" + id)) return entry.price;
  }
  return kind.empty() ? std::nullopt : price_of(catalog, kind, id, prices.date);
}

}  // namespace rackcast
