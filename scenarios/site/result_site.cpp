#include "scenarios/site/result_site.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "scenarios/result_document.hpp"
#include "scenarios/site/site_report.hpp"
#include "topologies/plain_name.hpp"

namespace rackcast {

namespace {

using Document = nlohmann::ordered_json;

Document document(const Estimate& e) {
  return {{"value", e.value}, {"low", e.low}, {"high", e.high}, {"unit", e.unit}};
}

template <class T>
Document number_or_null(const std::optional<T>& value) {
  return value ? Document(*value) : Document(nullptr);
}

double usd_of_year(MoneyRate rate) {
  return (rate * hours_of_year).base();
}

double kwh(Energy energy) {
  return energy.base() / 3.6e6;
}

Document device_document(const SiteDevice& d) {
  Document out = {
      {"name", d.item.name},
      {"kind", to_string(d.item.kind)},
      {"count", d.item.count},
      {"units", d.item.units},
      {"nameplate_w", d.power_known ? Document(d.nameplate.base()) : Document(nullptr)},
      {"typical_w", d.power_known ? Document(d.typical.base()) : Document(nullptr)},
      {"weight_kg", d.item.weight.base() > 0 ? Document(d.item.weight.base()) : Document(nullptr)}};
  if (!d.item.unknown.empty()) out["unknown"] = d.item.unknown;
  return out;
}

Document group_document(const RackReport::Group& g, const SitePlan& plan) {
  Document out = {{"first", g.first},
                  {"count", g.count},
                  {"units_used", g.units},
                  {"rack_units", g.height},
                  {"power_limit_w", g.limit.base()},
                  {"nameplate_w", g.nameplate.base()},
                  {"typical_w", g.typical.base()},
                  {"expected_w", g.expected.base()},
                  {"weight_kg", g.weight.base()}};
  out["contents"] = Document::array();
  for (std::size_t k = 0; k < g.counts.size(); ++k) {
    if (g.counts[k] > 0)
      out["contents"].push_back({{"name", plan.devices[k].item.name}, {"count", g.counts[k]}});
  }
  out["positions"] = Document::array();
  for (const Placed& p : g.positions) {
    const RackItem& item = plan.devices[p.item].item;
    out["positions"].push_back({{"u", p.u},
                                {"units", item.units},
                                {"side", to_string(p.side)},
                                {"kind", to_string(item.kind)},
                                {"name", item.name},
                                {"number", p.number + 1}});
  }
  return out;
}

Document racks_document(const SiteReport& site) {
  const SitePlan& plan = site.plan;
  const RackReport& r = site.racks;
  Document out = {{"rack", plan.rack.id},
                  {"units", plan.rack.units},
                  {"reserved_units", plan.rack.reserved_units},
                  {"power_limit_w", plan.rack.power.base()},
                  {"load_limit_kg", plan.rack.load.base()},
                  {"cooling", plan.cooling.name},
                  {"basis", site.nameplate_basis ? "nameplate" : "typical"},
                  {"statement", r.statement}};
  if (plan.packing) {
    const auto count = plan.packing->racks.size();
    out["count"] = count;
    out["lower_bound"] = plan.packing->lower_bound;
    out["optimal"] = plan.packing->optimal();
    out["method"] = plan.packing->method;
    out["area_m2"] = (static_cast<double>(count) * plan.area_per_rack).base();
    out["floor"] = {{"rack_width_m", plan.floor.rack_width.base()},
                    {"rack_depth_m", plan.rack.depth.base()},
                    {"cold_aisle_m", plan.floor.cold_aisle.base()},
                    {"hot_aisle_m", plan.floor.hot_aisle.base()},
                    {"racks_per_row", plan.floor.racks_per_row}};
    out["by_nameplate"] = number_or_null(r.by_nameplate);
    out["by_typical"] = number_or_null(r.by_typical);
    out["power_statement"] = r.power_statement;
  }
  out["devices"] = Document::array();
  for (const SiteDevice& d : plan.devices) out["devices"].push_back(device_document(d));
  out["groups"] = Document::array();
  for (const auto& g : r.groups) out["groups"].push_back(group_document(g, plan));
  out["group_of_rack"] = r.positions_of_rack;
  out["unknown"] = plan.unknown;
  return out;
}

Document power_document(const SiteReport& site) {
  const PowerReport& p = site.power;
  const Pue& pue = site.plan.pue;
  Document out = {{"known", p.known},
                  {"statement", p.statement},
                  {"nameplate_w", p.nameplate.base()},
                  {"typical_w", p.typical.base()},
                  {"pue",
                   {{"value", pue.value},
                    {"low", pue.low},
                    {"high", pue.high},
                    {"plant", pue.plant},
                    {"plant_title", plain_name(pue.plant)},
                    {"climate", pue.climate}}}};
  if (!p.known) return out;
  out["busy"] = p.busy;
  out["it_w"] = document(p.it);
  out["nodes_w"] = p.nodes.base();
  out["switches_w"] = p.switches.base();
  out["storage_w"] = p.storage.base();
  out["equipment_w"] = p.equipment.base();
  out["psu_loss_w"] = p.psu_loss.base();
  out["idle_w"] = p.idle.base();
  out["facility_w"] = p.facility.base();
  out["gpu_w"] = p.gpu.base();
  out["gpu_model"] = p.gpu_model;
  if (p.gpu_cap) out["gpu_cap"] = {{"cap_w", p.gpu_cap->base()}, {"speed", p.cap_speed}};
  out["rack_mean_w"] = p.per_rack_mean.base();
  out["rack_most_w"] = p.per_rack_most.base();
  out["heat"] = {{"btu_per_h", p.btu_per_hour},
                 {"cooling_tons", p.tons},
                 {"air_cfm", p.air_cfm},
                 {"air_rise_kelvin", p.air_rise}};
  out["year"] = {{"utilisation", p.utilisation},
                 {"it_kwh", kwh(p.it_year)},
                 {"facility_kwh", kwh(p.facility_year)},
                 {"co2_kg", p.co2_year.base()},
                 {"g_co2_per_kwh", p.intensity.value.base() * 3.6e9},
                 {"grid", p.region},
                 {"grid_title", plain_name(p.region)},
                 {"water_litres", number_or_null(p.water_litres_year)}};
  out["step"] = Document::array();
  for (const auto& s : p.step)
    out["step"].push_back({{"name", s.name}, {"seconds", s.time.base()}, {"node_w", s.node.base()}});
  out["runs"] = Document::array();
  for (const auto& r : p.runs) {
    out["runs"].push_back({{"model", r.model},
                           {"title", r.title},
                           {"seconds", r.time.base()},
                           {"busy", r.busy},
                           {"it_kwh", kwh(r.it)},
                           {"facility_kwh", kwh(r.facility)},
                           {"co2_kg", r.co2.base()}});
  }
  return out;
}

Document network_document(const NetworkReport& n) {
  Document out = {{"kind", n.kind}, {"oversubscription", n.oversubscription}, {"statement", n.statement}};
  out["switches"] = Document::array();
  for (const auto& s : n.switches) {
    out["switches"].push_back({{"level", s.what},
                               {"product", s.product},
                               {"count", s.count},
                               {"ports", s.ports},
                               {"free_ports", s.free_ports}});
  }
  out["cables"] = Document::array();
  for (const CableGroup& c : n.cables) {
    out["cables"].push_back({{"use", c.use},
                             {"link", c.link},
                             {"link_title", plain_name(c.link)},
                             {"product", c.product},
                             {"product_title", c.name},
                             {"length_m", c.length.base()},
                             {"count", c.count}});
  }
  return out;
}

Document bill_document(const BillRow& row) {
  Document out = {{"group", row.group}, {"item", row.item}, {"quantity", row.quantity}};
  out["unit_price_usd"] = row.price ? Document(row.price->unit.base()) : Document(nullptr);
  out["total_usd"] = row.price ? Document(row.total().base()) : Document(nullptr);
  out["date"] = row.price ? row.price->date : "";
  out["source"] = row.price ? row.price->source : "";
  out["confidence"] = row.price ? std::string{to_string(row.price->confidence)} : "";
  out["note"] = row.note;
  return out;
}

Document cost_document(const CostReport& c) {
  const OwnCost& own = c.own;
  Document out = {{"date", c.date},
                  {"statement", c.statement},
                  {"capex_usd", own.capex.base()},
                  {"depreciation_years", own.depreciation / hours_of_year},
                  {"utilisation", c.utilisation},
                  {"year",
                   {{"depreciation_usd", usd_of_year(own.capex / own.depreciation)},
                    {"interest_usd", usd_of_year(own.capital() - own.capex / own.depreciation)},
                    {"energy_usd", usd_of_year(own.energy(c.utilisation))},
                    {"energy_low_usd", usd_of_year(c.of_energy.low * own.energy(c.utilisation))},
                    {"energy_high_usd", usd_of_year(c.of_energy.high * own.energy(c.utilisation))},
                    {"energy_idle_usd", usd_of_year(own.energy_idle)},
                    {"energy_busy_usd", usd_of_year(own.energy_busy)},
                    {"space_usd", usd_of_year(own.space)},
                    {"support_usd", usd_of_year(own.support)},
                    {"staff_usd", c.staff_known ? Document(usd_of_year(own.staff)) : Document(nullptr)},
                    {"staff_how", c.staff_how},
                    {"total_usd", usd_of_year(own.total(c.utilisation))}}},
                  {"total_usd", own.over_life(c.utilisation).base()},
                  {"usd_per_kwh", c.energy_price.value.base() * 3.6e6}};
  if (c.offer) {
    out["rent"] = {{"instance", c.offer->instance},
                   {"terms", c.rent_terms},
                   {"terms_title", plain_name(c.rent_terms)},
                   {"date", c.offer->date},
                   {"usd_per_hour", (c.offer->rate * Duration{3600}).base()},
                   {"instances", c.instances},
                   {"year_usd", usd_of_year(c.utilisation * c.rent)},
                   {"break_even_utilisation", number_or_null(c.break_even)},
                   {"break_even_low", number_or_null(c.break_even_low)},
                   {"break_even_high", number_or_null(c.break_even_high)},
                   {"source", c.offer->source},
                   {"confidence", to_string(c.offer->confidence)},
                   {"note", c.offer->note}};
  }
  out["runs"] = Document::array();
  for (const auto& r : c.runs) {
    Document row = {{"model", r.model}, {"title", r.title}, {"own_usd", r.own.base()}};
    row["own_low_usd"] = r.of_own.low * r.own.base();
    row["own_high_usd"] = r.of_own.high * r.own.base();
    row["rent_usd"] = r.rent ? Document(r.rent->base()) : Document(nullptr);
    if (r.rent)
      row.update({{"rent_low_usd", r.of_rent.low * r.rent->base()},
                  {"rent_high_usd", r.of_rent.high * r.rent->base()}});
    out["runs"].push_back(row);
  }
  out["missing"] = c.missing;
  return out;
}

}  // namespace

Document site_document(const SiteReport& site) {
  Document out = {{"racks", racks_document(site)}, {"power", power_document(site)}};
  if (site.network) out["network"] = network_document(*site.network);
  out["bill"] = Document::array();
  for (const BillRow& row : site.bill) out["bill"].push_back(bill_document(row));
  out["missing"] = missing_document(site.missing);
  out["bill_total_usd"] = site.cost ? Document(bill_total(site.bill).base()) : Document(nullptr);
  if (site.cost) out["cost"] = cost_document(*site.cost);
  return out;
}

}  // namespace rackcast
