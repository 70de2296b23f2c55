#include "scenarios/site/site_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/site/power_report.hpp"
#include "sim/units/quantity_text.hpp"
#include "topologies/catalog/plain_name.hpp"

namespace rackcast {

namespace {

Ends of_time(Evaluator& evaluator, const Question& q) {
  try {
    const Estimate time = evaluator.predict(q).time_to_train;
    return {time.low / time.value, time.high / time.value};
  } catch (const LimitReached&) {
    return {};
  }
}

/// All workloads on the chosen cluster, the one of the question first.
std::vector<SiteRun> runs_of(Evaluator& evaluator, const Scenario& scenario, const Question& question) {
  std::vector<SiteRun> runs;
  const auto add = [&](const WorkloadSpec& spec) {
    Question q = question;
    q.workload = spec;
    runs.push_back({spec.model, evaluator.workload(spec).title, evaluator.run(q), evaluator.time_to_train(q),
                    of_time(evaluator, q)});
  };
  add(question.workload);
  for (const WorkloadSpec& spec : scenario.workloads) {
    if (spec.where.pointer != question.workload.where.pointer || spec.model != question.workload.model)
      add(spec);
  }
  return runs;
}

void add_rack_means(SiteReport& report) {
  if (!report.plan.packing || report.racks.groups.empty()) return;
  Power sum{0};
  for (const auto& group : report.racks.groups) {
    sum += group.count * group.expected;
    report.power.per_rack_most = std::max(report.power.per_rack_most, group.expected);
  }
  report.power.per_rack_mean = sum / static_cast<double>(report.plan.packing->racks.size());
}

}  // namespace

std::vector<Assumption> SiteReport::assumptions() const {
  std::vector<Assumption> out;
  const auto add = [&out](doc::Reason what, const std::string& source, Confidence confidence) {
    if (source != "the scenario") out.push_back({std::move(what), source, "", trust_in(confidence)});
  };
  const doc::Reason::Fact plant{"plant", plain_name(plan.pue.plant)}, pue{"pue", plan.pue.value};
  add(plan.pue.climate.empty() ? doc::Reason{"pue", {plant, pue}}
                               : doc::Reason{"pue", {plant, {"climate", plan.pue.climate}, pue}},
      plan.pue.source, plan.pue.confidence);
  const auto add_limit = [&add](const RackCooling& cooling) {
    add(doc::Reason{"cooling_limit",
                    {{"cooling", plain_name(cooling.name)}, {"rack_w", cooling.limit.value.base()}}},
        cooling.limit.source, cooling.limit.confidence);
  };
  if (!plan.rack_power_given) {
    add_limit(plan.cooling);
    if (plan.own_cooling && plan.own_cooling->name != plan.cooling.name) add_limit(*plan.own_cooling);
  }
  for (const SiteDevice& d : plan.devices)
    if (d.nameplate_is_typical && !d.catalog_kind.empty())
      out.push_back(
          {doc::Reason{"typical_as_nameplate", {{"item", d.item.name}, {"power_w", d.nameplate.base()}}},
           "the typical power counts as the nameplate, which is higher", d.catalog_kind + "/" + d.catalog_id,
           Trust::defaulted});
  if (power.known) {
    add(doc::Reason{"carbon",
                    {{"region", plain_name(power.region)},
                     {"g_co2_per_kwh", power.intensity.value.base() * 3.6e9},
                     {"year", power.intensity_year}}},
        power.intensity.source, power.intensity.confidence);
    out.push_back({doc::Reason{"gpu_power",
                               {{"measured", power.gpu_model},
                                {"power_w", power.gpu.base()},
                                {"borrowed", power.gpu_borrowed}}},
                   "fit on Zeus (You et al., NSDI 2023), calibrate/data/power", "", Trust::fit});
  }
  if (cost) {
    add(doc::Reason{"electricity",
                    {{"tariff", plain_name(cost->energy_price_name)},
                     {"usd_per_kwh", cost->energy_price.value.base() * 3.6e6},
                     {"year", cost->energy_year}}},
        cost->energy_price.source, cost->energy_price.confidence);
    out.insert(out.end(), cost->planning.begin(), cost->planning.end());
    if (cost->offer)
      add(doc::Reason{"instance_rent",
                      {{"instance", cost->offer->instance},
                       {"usd_per_hour", cost->offer->rate.base() * 3600}}},
          cost->offer->source, cost->offer->confidence);
    if (cost->space)
      add(doc::Reason{"hall_space",
                      {{"usd_per_kw_month", cost->space->value.base() * 1e3 * 30.4375 * 86400}}},
          cost->space->source, cost->space->confidence);
  }
  return out;
}

SiteReport site_report(const Catalog& catalog, const SiteSpec& site, const Cluster& cluster, int spares,
                       const StorageSpec& storage, const std::vector<SiteRun>& runs) {
  SiteReport out;
  out.nameplate_basis = site.racks.nameplate;
  out.plan = site_plan(catalog, site, cluster, spares, storage);
  out.power = power_report(catalog, site, out.plan, cluster, runs);
  out.racks = rack_report(site, out.plan, expected_power(catalog, site, out.plan, cluster, out.power.busy));
  add_rack_means(out);
  if (cluster.fabric.leaves > 0) out.network = network_report(catalog, out.plan, cluster);
  out.bill = bill_of_materials(catalog, site, out.plan, out.network);
  out.missing = missing_facts(out.plan, out.power, out.bill);
  if (!site.prices) out.missing.prices.clear();
  if (site.prices) out.cost = cost_report(catalog, site, out.plan, cluster, out.power, out.bill);
  return out;
}

std::optional<SiteReport> site_report(Evaluator& evaluator, const Catalog& catalog, const Scenario& scenario,
                                      const Question& question) {
  if (!scenario.site) return std::nullopt;
  return site_report(catalog, *scenario.site, evaluator.bought(question), evaluator.spares(question),
                     question.storage, runs_of(evaluator, scenario, question));
}

}  // namespace rackcast
