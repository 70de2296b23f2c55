#include <fmt/format.h>

#include <cmath>

#include "scenarios/names/placed.hpp"
#include "scenarios/site/site_report.hpp"
#include "sim/units/quantity_text.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/catalog/plain_name.hpp"

namespace rackcast {

namespace {

void note_planning(const Fact& fact, doc::Reason what, CostReport& out) {
  out.planning.push_back(
      {std::move(what), fact.source(), "prices/planning/" + fact.key(), trust_in(fact.confidence())});
}

/// A planning fraction of the catalogue, unless the scenario gives its own.
double fraction(const Catalog& catalog, const std::optional<double>& given, const char* key, const char* code,
                CostReport& out) {
  if (given) return *given;
  const Fact& fact = catalog.find("prices", "planning").require(key);
  note_planning(fact, doc::Reason{code, {{"fraction", fact.number()}, {"year", fact.year()}}}, out);
  return fact.number();
}

Duration write_off(const Catalog& catalog, const std::optional<Duration>& given, CostReport& out) {
  if (given) return *given;
  const Fact& fact = catalog.find("prices", "planning").require("depreciation_years");
  const Duration time = fact.quantity<Duration>();
  note_planning(fact, doc::Reason{"depreciation", {{"time_s", time.base()}, {"year", fact.year()}}}, out);
  return time;
}

void add_energy(const Catalog& catalog, const SiteSpec& site, const PowerReport& power, const Pue& pue,
                CostReport& out) {
  const GridOptions& grid = site.grid;
  if (grid.price) {
    out.energy_price = {*grid.price, Confidence::verified, "the scenario", ""};
    out.energy_price_name = "given";
  } else {
    out.energy_price_name = grid.tariff.name.empty() ? "planning_default" : grid.tariff.name;
    out.energy_price = placed(grid.tariff.where, [&] {
      return electricity_price(catalog, out.energy_price_name, site.prices->date);
    });
    out.energy_year = catalog.find("facility", "electricity_price").require(out.energy_price_name).year();
  }
  out.own.energy_busy = pue.value * Power{power.it.value} * out.energy_price.value;
  out.own.energy_idle = pue.value * power.idle * out.energy_price.value;
}

void add_space(const Catalog& catalog, const SiteSpec& site, const SitePlan& plan, CostReport& out) {
  if (site.prices->space) {
    out.space = Known<EnergyPrice>{*site.prices->space, Confidence::verified, "the scenario", ""};
  } else {
    const Fact& fact = catalog.find("facility", "construction_cost").require("colocation_usd_per_kw_month");
    out.space = Known<EnergyPrice>{fact.quantity<EnergyPrice>(), fact.confidence(), fact.source(),
                                   "facility/construction_cost/" + fact.key()};
  }
  out.own.space = out.space->value * (site.racks.nameplate ? plan.nameplate() : plan.typical());
}

/// People times what an employer pays for one of them.
void add_staff(const Catalog& catalog, const PriceOptions& prices, const Cluster& cluster, CostReport& out) {
  out.staff_known = prices.staff || prices.people;
  out.own.staff = prices.staff.value_or(MoneyRate{0});
  if (!out.staff_known) out.missing.emplace_back("no_staff");
  if (!prices.people) return;
  const CatalogEntry& planning = catalog.find("prices", "planning");
  const double sockets = static_cast<double>(cluster.nodes) * cluster.node.sockets;
  const double people =
      prices.people->people.value_or(sockets / planning.require("staff_processors_per_person").number());
  const MoneyRate wage =
      prices.people->wage.value_or(planning.require("staff_wage_per_year").quantity<Money>() / hours_of_year);
  const double share = planning.require("staff_wage_share_of_cost").number();
  out.own.staff = people * wage / share;
  const auto year = prices.people->wage ? std::nullopt : planning.require("staff_wage_per_year").year();
  out.staff = doc::Reason{"staff",
                          {{"people", people},
                           {"wage_usd_per_year", (wage * hours_of_year).base()},
                           {"share", share},
                           {"year", year}}};
  out.planning.push_back({*out.staff, "wages: BLS, May 2019; people: CTWatch Quarterly 2(2), 2006",
                          "prices/planning", Trust::verified});
}

/// As many GPUs as work: a cloud keeps its own spares.
void add_rent(const Catalog& catalog, const PriceOptions& prices, const SitePlan& plan,
              const Cluster& cluster, CostReport& out) {
  const RentOptions& rent = prices.rent;
  out.rent_terms = to_string(rent.terms);
  const auto instance = rent.instance.name.empty()
                            ? instance_with(catalog, cluster.node.gpu.id, rent.terms, prices.date)
                            : std::optional(rent.instance.name);
  if (!instance) {
    out.missing.push_back(doc::Reason{
        "no_instance",
        {{"gpu", cluster.node.gpu.name}, {"terms", plain_name(out.rent_terms)}, {"date", prices.date}}});
    return;
  }
  out.offer =
      placed(rent.instance.where, [&] { return rent_offer(catalog, *instance, rent.terms, prices.date); });
  if (!out.offer) {
    out.missing.push_back(doc::Reason{"no_rent_yet",
                                      {{"instance", *instance},
                                       {"terms", plain_name(out.rent_terms)},
                                       {"first", first_rate_date(catalog, *instance, rent.terms)},
                                       {"date", prices.date}}});
    return;
  }
  const int gpus = plan.count(DeviceRole::node) * cluster.node.gpus;
  out.instances = (gpus + out.offer->gpus - 1) / out.offer->gpus;
  out.rent = out.instances * out.offer->rate;
  if (out.lacking.none()) out.break_even = break_even(out.own, out.rent);
}

/// Of independent factors, each end in quadrature.
Ends both(const Ends& a, const Ends& b) {
  return {std::exp(-std::hypot(std::log(a.low), std::log(b.low))),
          std::exp(std::hypot(std::log(a.high), std::log(b.high)))};
}

/// What energy may cost less or more, and with it the break-even.
void add_ends(const PowerReport& power, const Pue& pue, CostReport& out) {
  if (!power.known || power.it.value <= 0) return;
  out.of_energy = both({power.it.low / power.it.value, power.it.high / power.it.value},
                       {pue.low / pue.value, pue.high / pue.value});
  if (!out.break_even) return;
  const auto at = [&out](double factor) {
    OwnCost own = out.own;
    own.energy_busy = factor * own.energy_busy;
    own.energy_idle = factor * own.energy_idle;
    return break_even(own, out.rent);
  };
  out.break_even_low = at(out.of_energy.low);
  out.break_even_high = at(out.of_energy.high);
}

/// Energy and the time of the run; what else a year costs is as stated or listed.
Ends of_run(const CostReport& c, const Ends& time) {
  const double share = c.own.energy(c.utilisation) / c.own.total(c.utilisation);
  return both({1 + share * (c.of_energy.low - 1), 1 + share * (c.of_energy.high - 1)}, time);
}

}  // namespace

CostReport cost_report(const Catalog& catalog, const SiteSpec& site, const SitePlan& plan,
                       const Cluster& cluster, const PowerReport& power, const std::vector<BillRow>& bill) {
  const PriceOptions& prices = *site.prices;
  CostReport out;
  out.date = prices.date;
  out.utilisation = site.power.utilisation;
  out.own.capex = bill_total(bill);
  out.lacking = missing_facts(plan, power, bill);
  for (const BillRow& row : bill)
    if (!row.price)
      out.missing.push_back(doc::Reason{
          "row_without_price", {{"item", row.item}, {"note", row.note}, {"quantity", row.quantity}}});
  for (const std::string& what : out.lacking.power)
    out.missing.push_back(doc::Reason{"without_power", {{"item", what}}});
  for (const std::string& what : out.lacking.units)
    out.missing.push_back(doc::Reason{"without_units", {{"item", what}}});
  out.own.depreciation = write_off(catalog, prices.depreciation, out);
  out.own.interest = fraction(catalog, prices.interest, "cost_of_capital_fraction", "interest", out);
  out.support = fraction(catalog, prices.support, "annual_support_fraction", "support", out);
  out.own.support = out.support * out.own.capex / hours_of_year;
  add_energy(catalog, site, power, plan.pue, out);
  add_space(catalog, site, plan, out);
  add_staff(catalog, prices, cluster, out);
  add_rent(catalog, prices, plan, cluster, out);
  add_ends(power, plan.pue, out);
  for (const PowerReport::Run& run : power.runs) {
    out.runs.push_back({run.model, run.title, out.own.of_run(run.time, out.utilisation),
                        out.offer ? std::optional(out.rent * run.time) : std::nullopt,
                        of_run(out, run.of_time), run.of_time});
  }
  return out;
}

}  // namespace rackcast
