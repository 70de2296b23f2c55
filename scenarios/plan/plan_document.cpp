#include "scenarios/plan/plan_document.hpp"

#include "models/site/cost.hpp"
#include "scenarios/plan/plan.hpp"

namespace rackcast {

namespace {

doc::PlanCandidate candidate_document(const PlanCandidate& c) {
  doc::PlanCandidate out;
  out.node = c.node;
  out.node_title = c.node_title;
  out.network = c.network;
  out.storage = c.storage;
  out.nodes = c.nodes;
  out.spares = c.spares;
  out.gpus = c.gpus;
  out.gpus_per_job = c.gpus_per_job;
  out.time_s = c.time.base();
  if (c.low && c.high) {
    out.time_low_s = c.low->base();
    out.time_high_s = c.high->base();
  }
  if (c.energy) out.energy_j = c.energy->base();
  if (c.capex) out.capex_usd = c.capex->base();
  if (c.opex) out.opex_usd_per_year = (*c.opex * hours_of_year).base();
  if (c.total) out.total_usd = c.total->base();
  out.racks = c.racks;
  out.rack_units = c.rack_units;
  if (c.nameplate) out.nameplate_w = c.nameplate->base();
  out.no_price = c.missing.prices;
  out.no_power = c.missing.power;
  out.no_units = c.missing.units;
  out.breaks = c.breaks;
  for (const PlanWorkload& w : c.workloads) {
    auto& row = out.workloads.emplace_back(
        doc::PlanCandidate::Workload{w.model, std::string{to_string(w.precision)}, w.framework, w.exchange,
                                     w.parallelism, w.batch_per_gpu});
    if (w.memory) row.memory_bytes_per_gpu = w.memory->base();
  }
  return out;
}

std::optional<doc::PlanCandidate> candidate_document(const std::optional<PlanCandidate>& c) {
  return c ? std::optional{candidate_document(*c)} : std::nullopt;
}

}  // namespace

doc::Plan plan_document(const PlanReport& p) {
  const auto counted = [](std::size_t count) {
    return static_cast<std::int64_t>(count);
  };
  doc::Plan out;
  out.objective = to_string(p.objective);
  out.statement = p.statement;
  out.designs = counted(p.designs);
  out.variants = counted(p.variants);
  out.judged = counted(p.judged);
  out.simulated = counted(p.simulated);
  out.partial = p.partial;
  out.chosen = candidate_document(p.chosen);
  out.smaller = candidate_document(p.smaller);
  out.smaller_statement = p.smaller_statement;
  out.nearest = candidate_document(p.nearest);
  for (const PlanOption& o : p.options)
    out.options.push_back({o.node_title, o.network, o.storage, candidate_document(o.best), o.conflict});
  for (const PlanCandidate& c : p.front) out.front.push_back(candidate_document(c));
  for (const PlanRelaxation& r : p.relaxations)
    out.relaxations.push_back(
        {r.limit, r.now, r.relaxed, r.statement, r.binds, candidate_document(r.answer), r.used});
  for (const PlanConflict& c : p.conflicts)
    out.conflict_set.push_back({std::string{to_string(c.limit)}, c.allowed, c.needed, c.statement, c.alone});
  out.refused = p.refused;
  return out;
}

}  // namespace rackcast
