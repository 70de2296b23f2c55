#include "scenarios/plan/point.hpp"

#include <algorithm>
#include <cmath>

#include "models/collectives/cluster.hpp"
#include "models/memory/memory.hpp"
#include "scenarios/format/parallelism.hpp"
#include "scenarios/site/power_report.hpp"
#include "scenarios/site/site_conflicts.hpp"
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

PlanPoint between(const PlanPoint& a, const PlanPoint& b, const PlanSize& size_a, const PlanSize& size_b,
                  const PlanSize& size) {
  const double gpus_a = size_a.gpus, gpus_b = size_b.gpus, gpus = size.gpus;
  // Of a job of so many GPUs only the nodes around it grow.
  const double share = size_a.gpus != size_b.gpus
                           ? (gpus - gpus_a) / (gpus_b - gpus_a)
                           : static_cast<double>(size.nodes - size_a.nodes) / (size_b.nodes - size_a.nodes);
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
  try {
    out.uses[Limit::gpu_memory] = evaluator_.memory_use(q).total() / node.gpu_memory;
    check_split(q.workload, q.gpus.value_or(q.cluster.nodes * used_in_node(q.cluster, node.gpus)));
    const TrainingRun& step = evaluator_.run(q);
    out.time = evaluator_.time_to_train(q, false).base();
    out.busy = busy_fraction(step);
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
  }
  return out;
}

void PointMaker::hold(const std::vector<LimitValue>& limits, int nodes, PlanPoint& point) {
  for (const LimitValue& l : limits) {
    double& use = point.uses[l.limit];
    if (l.undecided() && use < dropped) undecided_[l.limit].emplace(nodes, l.missing);
    use = std::max(use, l.undecided() ? dropped : l.use);
  }
}

void PointMaker::add_money(const SitePlan& plan, const Cluster& cluster, int nodes, std::vector<SiteRun> runs,
                           PlanPoint& point) {
  const SiteSpec& site = *scenario_.site;
  const Catalog& catalog = evaluator_.catalog();
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
  point.missing = cost.lacking;
  hold(limits_of_money(site, cost), nodes, point);
  const bool node_priced = std::ranges::any_of(
      bill, [](const BillRow& row) { return row.group == "compute" && row.price.has_value(); });
  if (scenario_.goal->objective == Objective::lowest_cost && !node_priced) point.uses[Limit::price] = dropped;
}

void PointMaker::add_site(const Design& design, const Question& q, PlanPoint& point) {
  const SiteSpec& site = *scenario_.site;
  const Catalog& catalog = evaluator_.catalog();
  const Cluster& cluster = evaluator_.bought(q);
  const SitePlan plan = site_plan(catalog, site, cluster, evaluator_.spares(q), q.storage);
  point.nameplate = plan.nameplate().base();
  point.pue = plan.pue.value;
  point.racks = plan.packing ? static_cast<double>(plan.packing->racks.size()) : 0;
  point.rack_units = plan.rack_units();
  point.missing = plan.missing();
  hold(limits_of_site(site, plan), q.cluster.nodes, point);
  if (scenario_.goal->objective == Objective::lowest_energy && !point.missing.power.empty())
    hold({{Limit::power_rating, 0, {}, {}, missing_text("power", point.missing.power), {}}}, q.cluster.nodes,
         point);

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
    of.workload = design.with_split(w, space_.variants[w][fastest]);
    runs.push_back({of.workload.model, {}, evaluator_.run(of), Duration{point.runs[w][fastest].time}});
  }
  if (site.prices) add_money(plan, cluster, q.cluster.nodes, std::move(runs), point);
}

PlanPoint PointMaker::make(std::size_t design, std::size_t size) {
  PlanPoint out = point_of(design, size);
  evaluator_.give_back();
  return out;
}

PlanPoint PointMaker::point_of(std::size_t design, std::size_t size) {
  const Design& d = space_.designs[design];
  PlanPoint point;
  ++made_;
  Question q;
  bool built = true;
  for (std::size_t w = 0; w < space_.variants.size(); ++w) {
    auto& runs = point.runs.emplace_back();
    for (const WorkloadSpec& variant : space_.variants[w]) {
      q = question_of(scenario_, d, size, w, variant);
      runs.push_back(run(q, design));
    }
    built = built && std::ranges::any_of(runs, [](const RunPoint& r) { return std::isfinite(r.time); });
  }
  point.spares = evaluator_.spares(q);
  point.uses[Limit::max_nodes] = d.sizes[size].of_most;
  if (const auto capacity = evaluator_.storage_capacity(q))
    point.uses[Limit::storage_capacity] = q.samples * q.bytes_per_sample * q.stored_factor / *capacity;
  if (!scenario_.site || !built) return point;
  try {
    add_site(d, q, point);
  } catch (const LimitReached&) {
    throw;
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::infeasible) throw;
    refuse(design, e);  // a network that has no room for the spare nodes
    point.uses[Limit::configuration] = dropped;
  }
  return point;
}

}  // namespace rackcast
