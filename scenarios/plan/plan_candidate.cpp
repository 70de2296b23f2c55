#include "scenarios/plan/plan_candidate.hpp"

#include <fmt/format.h>

#include <cmath>

#include "models/networks/operator.hpp"
#include "scenarios/format/workload_choice.hpp"
#include "scenarios/names/count_text.hpp"

namespace rackcast {

std::string storage_text(const Scenario& scenario, const StorageSpec& s) {
  if (scenario.search.storage.empty() || s.array == "none") return {};
  return fmt::format("{} x {}", s.count, s.array);
}

namespace {

/// Of one GPU: as stated, or what a global batch that can be dealt out gives it.
double batch_of(const WorkloadSpec& spec, int gpus) {
  if (!spec.global_batch || spec.split_search) return spec.batch_per_gpu;
  const Workload network = network_of(spec);
  return deals_evenly(spec, network, gpus) ? on_gpus(spec, network, gpus).batch_per_gpu : spec.batch_per_gpu;
}

/// With the split that a search found, unless a limit ended the work before.
WorkloadSpec split_on(Evaluator& evaluator, const Question& q) {
  try {
    return evaluator.with_split(q).workload;
  } catch (const Error&) {
    return q.workload;
  }
}

}  // namespace

doc::PlanCandidate plan_candidate(Evaluator& evaluator, const Scenario& scenario, const PlanSpace& space,
                                  const Judged& c) {
  const Design& d = space.designs[c.design];
  doc::PlanCandidate out;
  out.node = d.node.id;
  out.node_title = d.node.title;
  out.network = d.network;
  out.storage = storage_text(scenario, d.storage);
  out.nodes = c.nodes;
  out.spares = c.spares;
  out.gpus = c.gpus;
  out.gpus_per_job = d.sizes[c.size].gpus_per_job;
  for (std::size_t w = 0; w < c.variants.size(); ++w) {
    const WorkloadSpec spec =
        split_on(evaluator, question_of(scenario, d, c.size, w, space.variants[w][c.variants[w]]));
    doc::PlanCandidate::Workload& row = out.workloads.emplace_back();
    row.model = spec.model;
    row.precision = to_string(spec.precision);
    row.framework = spec.framework;
    if (!spec.framework_version.empty()) row.framework += " " + spec.framework_version;
    row.exchange = spec.exchange;
    row.batch_per_gpu = batch_of(spec, d.sizes[c.size].gpus_per_job.value_or(c.gpus));
    if (!spec.parallelism || spec.split_search) continue;
    row.parallelism = split_text(*spec.parallelism);
    row.memory_bytes_per_gpu = (c.memory[w] * d.node.gpu_memory).base();
  }
  out.time_s = c.time;
  out.rack_units = c.rack_units;
  out.nameplate_w = c.nameplate;
  out.no_price = c.missing.prices;
  out.no_power = c.missing.power;
  out.no_units = c.missing.units;
  if (scenario.site) {
    if (c.energy > 0) out.energy_j = c.energy;
    if (c.racks > 0) out.racks = std::lround(c.racks);
    if (scenario.site->prices) {
      out.capex_usd = c.capex;
      out.total_usd = c.total;
      out.opex_usd_per_year = c.opex;
    }
  }
  for (const Limit limit : limits_of(c.breaks())) {
    out.breaks.emplace_back(to_string(limit));
    if (limit != Limit::configuration && !std::isfinite(c.uses[limit]))
      out.undecided.emplace_back(to_string(limit));  // a sum that leaves something out
  }
  return out;
}

}  // namespace rackcast
