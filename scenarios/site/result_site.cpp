#include "scenarios/site/result_site.hpp"

#include "scenarios/site/site_report.hpp"
#include "topologies/catalog/plain_name.hpp"

namespace rackcast {

namespace {

template <class T>
std::optional<std::int64_t> counted(const std::optional<T>& value) {
  return value ? std::optional<std::int64_t>{*value} : std::nullopt;
}

double usd_of_year(MoneyRate rate) {
  return (rate * hours_of_year).base();
}

double kwh(Energy energy) {
  return energy.base() / 3.6e6;
}

doc::SiteRacks::Device device_document(const SiteDevice& d) {
  doc::SiteRacks::Device out;
  out.name = d.item.name;
  out.kind = to_string(d.item.kind);
  out.count = d.item.count;
  out.units = d.item.units;
  if (d.power_known) {
    out.nameplate_w = d.nameplate.base();
    out.typical_w = d.typical.base();
  }
  if (d.item.weight.base() > 0) out.weight_kg = d.item.weight.base();
  out.unknown = d.item.unknown;
  return out;
}

doc::SiteRacks::Group group_document(const RackReport::Group& g, const SitePlan& plan) {
  doc::SiteRacks::Group out;
  out.first = g.first;
  out.count = g.count;
  out.units_used = g.units;
  out.rack_units = g.height;
  out.power_limit_w = g.limit.base();
  out.nameplate_w = g.nameplate.base();
  out.typical_w = g.typical.base();
  out.expected_w = g.expected.base();
  out.weight_kg = g.weight.base();
  for (std::size_t k = 0; k < g.counts.size(); ++k)
    if (g.counts[k] > 0) out.contents.push_back({plan.devices[k].item.name, g.counts[k]});
  for (const Placed& p : g.positions) {
    const RackItem& item = plan.devices[p.item].item;
    out.positions.push_back({.u = p.u,
                             .units = item.units,
                             .number = p.number + 1,
                             .side = std::string{to_string(p.side)},
                             .kind = std::string{to_string(item.kind)},
                             .name = item.name});
  }
  return out;
}

doc::SiteRacks racks_document(const SiteReport& site) {
  const SitePlan& plan = site.plan;
  const RackReport& r = site.racks;
  doc::SiteRacks out;
  out.rack = plan.rack.id;
  out.units = plan.rack.units;
  out.reserved_units = plan.rack.reserved_units;
  out.power_limit_w = plan.rack.power.base();
  out.load_limit_kg = plan.rack.load.base();
  out.cooling = plan.cooling.name;
  out.basis = site.nameplate_basis ? "nameplate" : "typical";
  if (plan.packing) {
    const auto count = plan.packing->racks.size();
    out.count = static_cast<std::int64_t>(count);
    out.lower_bound = plan.packing->lower_bound;
    out.optimal = plan.packing->optimal();
    out.method = plan.packing->method;
    out.area_m2 = (static_cast<double>(count) * plan.area_per_rack).base();
    out.floor = {plan.floor.rack_width.base(), plan.rack.depth.base(), plan.floor.cold_aisle.base(),
                 plan.floor.hot_aisle.base(), plan.floor.racks_per_row};
    out.by_nameplate = counted(r.by_nameplate);
    out.by_typical = counted(r.by_typical);
    out.own_racks = plan.own_racks();
    if (out.own_racks > 0) out.own_power_w = plan.devices.front().item.own_rack->base();
  }
  for (const SiteDevice& d : plan.devices) out.devices.push_back(device_document(d));
  for (const auto& g : r.groups) out.groups.push_back(group_document(g, plan));
  out.group_of_rack.assign(r.positions_of_rack.begin(), r.positions_of_rack.end());
  out.unknown = plan.unknown;
  out.misfits = plan.misfits;
  return out;
}

void fill_consumers(const PowerReport& p, doc::SitePower& out) {
  out.busy = p.busy;
  out.it_w = p.it.value;
  out.it_low_w = p.it.low;
  out.it_high_w = p.it.high;
  out.it_unit = p.it.unit;
  out.nodes_w = p.nodes.base();
  out.switches_w = p.switches.base();
  out.storage_w = p.storage.base();
  out.equipment_w = p.equipment.base();
  out.psu_loss_w = p.psu_loss.base();
  out.idle_w = p.idle.base();
  out.facility_w = p.facility.base();
  out.gpu_w = p.gpu.base();
  out.gpu_model = p.gpu_model;
  out.gpu_borrowed = p.gpu_borrowed;
  if (p.gpu_cap) {
    out.gpu_cap_w = p.gpu_cap->base();
    out.gpu_cap_speed = p.cap_speed;
  }
  out.rack_mean_w = p.per_rack_mean.base();
  out.rack_most_w = p.per_rack_most.base();
  out.btu_per_h = p.btu_per_hour;
  out.cooling_tons = p.tons;
  out.air_cfm = p.air_cfm;
  out.air_rise_kelvin = p.air_rise;
}

doc::SitePower power_document(const SiteReport& site) {
  const PowerReport& p = site.power;
  const Pue& pue = site.plan.pue;
  doc::SitePower out;
  out.known = p.known;
  out.unrated = p.unrated;
  out.nameplate_w = p.nameplate.base();
  out.typical_w = p.typical.base();
  out.pue = pue.value;
  out.pue_low = pue.low;
  out.pue_high = pue.high;
  out.plant_key = pue.plant;
  out.plant = plain_name(pue.plant);
  out.climate = pue.climate;
  if (!p.known) return out;
  fill_consumers(p, out);
  out.idle_nodes = site.plan.count(DeviceRole::idle);
  out.spare_nodes = site.plan.count(DeviceRole::spare);
  if (p.feed.redundancy != Redundancy::none) {
    out.feed_w = p.feed.feed->base();
    out.feed_usable_w = p.feed.usable_feed()->base();
    out.feed_redundancy = p.feed.redundancy == Redundancy::twice ? "2N" : "N+1";
    out.feed_modules = p.feed.modules;
  }
  out.utilisation = p.utilisation;
  out.it_kwh_year = kwh(p.it_year);
  out.facility_kwh_year = kwh(p.facility_year);
  out.co2_kg_year = p.co2_year.base();
  out.g_co2_per_kwh = p.intensity.value.base() * 3.6e9;
  out.grid_key = p.region;
  out.grid = plain_name(p.region);
  out.water_litres_year = p.water_litres_year;
  for (const auto& s : p.step) out.step.push_back({s.name, s.time.base(), s.node.base()});
  for (const auto& r : p.runs)
    out.runs.push_back({.model = r.model,
                        .title = r.title,
                        .seconds = r.time.base(),
                        .busy = r.busy,
                        .it_kwh = kwh(r.it),
                        .facility_kwh = kwh(r.facility),
                        .co2_kg = r.co2.base()});
  return out;
}

doc::SiteNetwork network_document(const NetworkReport& n) {
  doc::SiteNetwork out;
  out.kind = n.kind;
  out.oversubscription = n.oversubscription;
  out.node_cables = n.node_cables;
  out.storage_cables = n.storage_cables;
  out.trunk_cables = n.trunk_cables;
  for (const auto& s : n.switches)
    out.switches.push_back({s.what, s.product, s.count, s.ports, s.free_ports});
  for (const CableGroup& c : n.cables)
    out.cables.push_back({.use = c.use,
                          .link_key = c.link,
                          .link = plain_name(c.link),
                          .product_key = c.product,
                          .product = c.name,
                          .length_m = c.length.base(),
                          .count = c.count});
  return out;
}

doc::SiteBillRow bill_document(const BillRow& row) {
  doc::SiteBillRow out;
  out.group = row.group;
  out.item = row.item;
  out.quantity = row.quantity;
  out.note = row.note;
  if (row.price) {
    out.unit_price_usd = row.price->unit.base();
    out.total_usd = row.total().base();
    out.date = row.price->date;
    out.source = row.price->source;
    out.confidence = to_string(row.price->confidence);
  }
  return out;
}

doc::SiteCost::Rent rent_document(const CostReport& c) {
  doc::SiteCost::Rent out;
  out.instance = c.offer->instance;
  out.terms_key = c.rent_terms;
  out.terms = plain_name(c.rent_terms);
  out.date = c.offer->date;
  out.usd_per_hour = (c.offer->rate * Duration{3600}).base();
  out.instances = c.instances;
  out.year_usd = usd_of_year(c.utilisation * c.rent);
  out.break_even = c.break_even;
  out.break_even_low = c.break_even_low;
  out.break_even_high = c.break_even_high;
  out.source = c.offer->source;
  out.confidence = to_string(c.offer->confidence);
  out.note = c.offer->note;
  return out;
}

void fill_year(const CostReport& c, doc::SiteCost& out) {
  const OwnCost& own = c.own;
  out.depreciation_usd = usd_of_year(own.capex / own.depreciation);
  out.interest_usd = usd_of_year(own.capital() - own.capex / own.depreciation);
  out.energy_usd = usd_of_year(own.energy(c.utilisation));
  out.energy_low_usd = usd_of_year(c.of_energy.low * own.energy(c.utilisation));
  out.energy_high_usd = usd_of_year(c.of_energy.high * own.energy(c.utilisation));
  out.energy_idle_usd = usd_of_year(own.energy_idle);
  out.energy_busy_usd = usd_of_year(own.energy_busy);
  out.space_usd = usd_of_year(own.space);
  out.support_usd = usd_of_year(own.support);
  out.staff = c.staff;
  if (c.staff_known) out.staff_usd = usd_of_year(own.staff);
  out.year_usd = usd_of_year(own.total(c.utilisation));
}

doc::SiteCost cost_document(const CostReport& c) {
  doc::SiteCost out;
  out.date = c.date;
  out.capex_usd = c.own.capex.base();
  out.depreciation_years = c.own.depreciation / hours_of_year;
  out.utilisation = c.utilisation;
  fill_year(c, out);
  out.total_usd = c.own.over_life(c.utilisation).base();
  out.usd_per_kwh = c.energy_price.value.base() * 3.6e6;
  if (c.offer) out.rent = rent_document(c);
  for (const auto& r : c.runs) {
    doc::SiteCost::Run& run = out.runs.emplace_back();
    run.model = r.model;
    run.title = r.title;
    run.own_usd = r.own.base();
    run.own_low_usd = r.of_own.low * r.own.base();
    run.own_high_usd = r.of_own.high * r.own.base();
    if (!r.rent) continue;
    run.rent_usd = r.rent->base();
    run.rent_low_usd = r.of_rent.low * r.rent->base();
    run.rent_high_usd = r.of_rent.high * r.rent->base();
  }
  out.missing = c.missing;
  return out;
}

}  // namespace

doc::Site site_document(const SiteReport& site) {
  doc::Site out;
  out.racks = racks_document(site);
  out.power = power_document(site);
  if (site.network) out.network = network_document(*site.network);
  for (const BillRow& row : site.bill) out.bill.push_back(bill_document(row));
  out.no_price = site.missing.prices;
  out.no_power = site.missing.power;
  out.no_units = site.missing.units;
  if (site.cost) {
    out.bill_total_usd = bill_total(site.bill).base();
    out.cost = cost_document(*site.cost);
  }
  return out;
}

}  // namespace rackcast
