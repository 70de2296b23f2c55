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
  if (!spec.global_batch) return spec.batch_per_gpu;
  const Workload network = network_of(spec);
  return deals_evenly(spec, network, gpus) ? on_gpus(spec, network, gpus).batch_per_gpu : spec.batch_per_gpu;
}

}  // namespace

PlanCandidate plan_candidate(const Scenario& scenario, const PlanSpace& space, const Judged& c) {
  const Design& d = space.designs[c.design];
  PlanCandidate out;
  out.node = d.node.id;
  out.node_title = d.node.title;
  out.network = d.network;
  out.storage = storage_text(scenario, d.storage);
  out.nodes = c.nodes;
  out.gpus = c.gpus;
  out.gpus_per_job = d.sizes[c.size].gpus_per_job;
  for (std::size_t w = 0; w < c.variants.size(); ++w) {
    const WorkloadSpec spec = d.with_split(w, space.variants[w][c.variants[w]]);
    std::string framework = spec.framework;
    if (!spec.framework_version.empty()) framework += " " + spec.framework_version;
    out.workloads.push_back({spec.model,
                             framework,
                             spec.exchange,
                             batch_of(spec, out.gpus_per_job.value_or(out.gpus)),
                             spec.precision,
                             {}});
    if (!spec.parallelism) continue;
    out.workloads.back().parallelism = split_text(*spec.parallelism);
    out.workloads.back().memory = c.memory[w] * d.node.gpu_memory;
  }
  out.time = Duration{c.time};
  out.rack_units = c.rack_units;
  if (c.nameplate) out.nameplate = Power{*c.nameplate};
  out.spares = c.spares;
  out.missing = c.missing;
  if (scenario.site) {
    if (c.energy > 0) out.energy = Energy{c.energy};
    if (c.racks > 0) out.racks = static_cast<int>(std::lround(c.racks));
    if (scenario.site->prices) {
      out.capex = Money{c.capex};
      out.total = Money{c.total};
      out.opex = Money{c.opex} / hours_of_year;
    }
  }
  for (const Limit limit : limits_of(c.breaks())) out.breaks.emplace_back(to_string(limit));
  return out;
}

std::string named(const PlanCandidate& c) {
  std::string out = fmt::format("{} x {}", with_spares(c.nodes, c.spares), c.node_title);
  if (!c.network.empty()) out += ", " + c.network;
  if (!c.storage.empty()) out += ", " + c.storage;
  return out;
}

}  // namespace rackcast
