#include "scenarios/document/plan.hpp"

#include <algorithm>
#include <cmath>

namespace rackcast::doc {

namespace {

/// Less than this share of a time or of an energy is no difference that counts, and less of a sum of money.
constexpr double kCounts = 1e-3, kMoneyCounts = 1e-6;

std::optional<double> saved(const std::optional<double>& from, const std::optional<double>& to,
                            double counts) {
  if (!from || !to || !(std::abs((*from - *to) / *from) > counts)) return std::nullopt;
  return *from - *to;
}

}  // namespace

Difference difference(const PlanCandidate& from, const PlanCandidate& to) {
  const bool serves = !from.time_s && !to.time_s;
  Difference out;
  out.design =
      to.node_title != from.node_title || to.network != from.network || to.storage != from.storage ||
      (serves && !std::ranges::equal(from.workloads, to.workloads, {}, &PlanCandidate::Workload::precision,
                                     &PlanCandidate::Workload::precision));
  if (!out.design) out.nodes = from.nodes - to.nodes;
  if (from.racks && to.racks) out.racks = *from.racks - *to.racks;
  out.total_usd = saved(from.total_usd, to.total_usd, kMoneyCounts);
  out.energy_j = saved(from.energy_j, to.energy_j, kCounts);
  out.energy_j_per_year = saved(from.energy_j_per_year, to.energy_j_per_year, kCounts);
  out.time = from.time_s && to.time_s && std::abs(*to.time_s / *from.time_s - 1) > kCounts;
  return out;
}

}  // namespace rackcast::doc
