#include "scenarios/plan/point.hpp"

#include <algorithm>
#include <cmath>

#include "models/cluster.hpp"
#include "models/memory.hpp"
#include "scenarios/describe.hpp"
#include "scenarios/parallelism.hpp"
#include "scenarios/site/power_report.hpp"
#include "scenarios/site/site_report.hpp"

namespace rackcast {

namespace {

double line(double a, double b, double share) {
  return std::isfinite(a) && std::isfinite(b) ? a + (b - a) * share : std::max(a, b);
}

PerLimit line(const PerLimit& a, const PerLimit& b, double share) {
  PerLimit out{0};
  for (std::size_t i = 0; i < limit_count; ++i) {
    const auto limit = static_cast<Limit>(i);
    out[limit] = line(a[limit], b[limit], share);
  }
  return out;
}

}  // namespace

PlanPoint between(const PlanPoint& a, const PlanPoint& b, double gpus_a, double gpus_b, double gpus) {
  const double share = (gpus - gpus_a) / (gpus_b - gpus_a);
  PlanPoint out = a;
  out.uses = line(a.uses, b.uses, share);
  for (double PlanPoint::*member : {&PlanPoint::racks, &PlanPoint::rack_units, &PlanPoint::nameplate,
                                    &PlanPoint::capex, &PlanPoint::opex, &PlanPoint::total})
    out.*member = line(a.*member, b.*member, share);
  for (std::size_t w = 0; w < out.runs.size(); ++w) {
    for (std::size_t v = 0; v < out.runs[w].size(); ++v) {
      const RunPoint &ra = a.runs[w][v], &rb = b.runs[w][v];
      RunPoint& r = out.runs[w][v];
      r.time = line(ra.time * gpus_a, rb.time * gpus_b, share) / gpus;
      r.busy = line(ra.busy, rb.busy, share);
      r.power = line(ra.power, rb.power, share);
      r.uses = line(ra.uses, rb.uses, share);
      // What the deadline sees is the time.
      if (ra.time > 0 && std::isfinite(ra.time))
        r.uses[Limit::deadline] = ra.uses[Limit::deadline] * r.time / ra.time;
    }
  }
  return out;
}

void PointMaker::refuse(std::size_t design, const Error& e) {
  if (std::ranges::find(refusals_, design, &Refusal::design) == refusals_.end())
    refusals_.push_back({design, e});
}

RunPoint PointMaker::run(const Question& q, std::size_t design) {
  RunPoint out;
  const NodeFacts& node = space_.designs[design].node;
  const MemoryOptions memory = evaluator_.memory(q);
  out.uses[Limit::gpu_memory] =
      training_memory(evaluator_.workload(q.workload), memory).total() / node.gpu_memory;
  try {
    check_split(q.workload, q.gpus.value_or(q.cluster.nodes * node.gpus));
    const TrainingRun& step = evaluator_.run(q);
    out.time = evaluator_.time_to_train(q, false).base();
    out.busy = busy_fraction(step.parts);
    out.waits = evaluator_.waiting_for_storage(q);
    if (q.workload.critical_batch)
      out.uses[Limit::useful_batch] = step.samples_per_step / *q.workload.critical_batch;
    if (scenario_.goal->availability) {
      const double lost = 1 - evaluator_.failures(q)->goodput.useful;
      out.uses[Limit::availability] = lost / (1 - *scenario_.goal->availability);
    }
  } catch (const LimitReached&) {
    throw;
  } catch (const Error& e) {
    refuse(design, e);
    out.time = dropped;
    out.uses[Limit::configuration] = dropped;
    return out;  // nobody knows whether it would be in time
  }
  out.uses[Limit::deadline] = Duration{out.time} / scenario_.goal->deadline;
  return out;
}

void PointMaker::add_site(const Question& q, PlanPoint& point) {
  const SiteSpec& site = *scenario_.site;
  const Catalog& catalog = evaluator_.catalog();
  const Cluster& cluster = evaluator_.cluster(q);
  const SitePlan plan = site_plan(catalog, site, cluster, q.storage);
  const Power it = site.racks.nameplate ? plan.nameplate() : plan.typical();
  point.nameplate = plan.nameplate().base();
  point.pue = plan.pue.value;
  point.racks = plan.packing ? static_cast<double>(plan.packing->racks.size()) : 0;
  for (const SiteDevice& d : plan.devices) point.rack_units += d.item.count * d.item.units;
  PerLimit& uses = point.uses;
  if (!plan.misfits.empty()) uses[Limit::rack] = dropped;
  if (site.racks.max_racks) uses[Limit::max_racks] = point.racks / *site.racks.max_racks;
  if (site.racks.max_units) uses[Limit::rack_units] = point.rack_units / *site.racks.max_units;
  if (site.floor.area) uses[Limit::floor_area] = point.racks * plan.area_per_rack / *site.floor.area;
  if (site.power.feed) uses[Limit::site_power] = plan.pue.value * it / *site.power.usable_feed();

  std::vector<SiteRun> runs;
  for (std::size_t w = 0; w < point.runs.size(); ++w) {
    std::size_t fastest = 0;
    for (std::size_t v = 0; v < point.runs[w].size(); ++v) {
      RunPoint& r = point.runs[w][v];
      if (!std::isfinite(r.time)) continue;
      const auto each = expected_power(catalog, site, plan, cluster, r.busy);
      for (std::size_t i = 0; i < each.size(); ++i) r.power += (plan.devices[i].item.count * each[i]).base();
      if (r.time < point.runs[w][fastest].time) fastest = v;
    }
    if (!std::isfinite(point.runs[w][fastest].time)) return;
    Question of = q;
    of.workload = space_.variants[w][fastest];
    runs.push_back({of.workload.model, {}, evaluator_.run(of), Duration{point.runs[w][fastest].time}});
  }
  if (!site.prices) return;
  // The report of the chosen cluster starts with the slowest workload, too.
  std::ranges::stable_sort(runs, std::ranges::greater{}, &SiteRun::time);
  std::optional<NetworkReport> network;
  if (cluster.fabric.leaves > 0) network = network_report(catalog, plan, cluster);
  const auto bill = bill_of_materials(catalog, site, plan, network);
  const CostReport cost =
      cost_report(catalog, site, plan, cluster, power_report(catalog, site, plan, cluster, runs), bill);
  const MoneyRate running = cost.own.total(cost.utilisation) - cost.own.capital();
  point.capex = cost.own.capex.base();
  point.opex = (running * hours_of_year).base();
  point.total = cost.own.over_life(cost.utilisation).base();
  point.priced = true;
  const bool complete = std::ranges::all_of(bill, [](const BillRow& row) { return row.price.has_value(); });
  const auto money = [&](Limit limit, double need, double allowed) {
    uses[limit] = complete || need > allowed ? need / allowed : dropped;  // half a sum proves nothing
  };
  if (site.prices->budget) money(Limit::budget, point.capex, site.prices->budget->base());
  if (site.prices->opex_budget)
    money(Limit::opex_budget, point.opex, (*site.prices->opex_budget * hours_of_year).base());
  if (site.prices->total_budget) money(Limit::total_budget, point.total, site.prices->total_budget->base());
  const bool node_priced = std::ranges::any_of(
      bill, [](const BillRow& row) { return row.group == "compute" && row.price.has_value(); });
  if (scenario_.goal->objective == Objective::lowest_cost && !node_priced) uses[Limit::price] = dropped;
}

PlanPoint PointMaker::make(std::size_t design, std::size_t size) {
  const Design& d = space_.designs[design];
  PlanPoint point;
  ++made_;
  Question q;
  bool built = true;
  for (std::size_t w = 0; w < space_.variants.size(); ++w) {
    auto& runs = point.runs.emplace_back();
    for (const WorkloadSpec& variant : space_.variants[w]) {
      q = question_of(scenario_, d, size, variant);
      runs.push_back(run(q, design));
    }
    built = built && std::ranges::any_of(runs, [](const RunPoint& r) { return std::isfinite(r.time); });
  }
  point.uses[Limit::max_nodes] = d.sizes[size].of_most;
  if (const auto capacity = evaluator_.storage_capacity(q))
    point.uses[Limit::storage_capacity] = q.samples * q.bytes_per_sample * q.stored_factor / *capacity;
  if (scenario_.site && built) add_site(q, point);
  return point;
}

}  // namespace rackcast
