#include "scenarios/plan/limit_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scenarios/format/scenario.hpp"
#include "scenarios/names/count_text.hpp"
#include "scenarios/site/site_report.hpp"
#include "sim/units/quantity_text.hpp"
#include "sim/units/told_apart.hpp"

namespace rackcast {

namespace {

/// The critical batch, if all workloads that state one state the same.
std::optional<double> common_batch(const Scenario& s) {
  std::optional<double> out;
  for (const WorkloadSpec& w : s.workloads) {
    if (!w.critical_batch) continue;
    if (out && *out != *w.critical_batch) return std::nullopt;
    out = w.critical_batch;
  }
  return out;
}

}  // namespace

double tenth_more(Limit limit, const Scenario& s) {
  constexpr double tenth = 1.1;
  const auto whole = [](double n) {
    return std::ceil(tenth * n - 1e-6) / n;
  };
  if (limit == Limit::max_nodes) return whole(s.goal->max_nodes);
  if (limit == Limit::max_racks) return whole(*s.site->racks.max_racks);
  return limit == Limit::rack_units ? whole(*s.site->racks.max_units) : tenth;
}

std::string amount_text(Limit limit, const Scenario& s, double use) {
  const SiteSpec* site = s.site.get();
  const auto whole = [&](double allowed, const char* what) {
    return count_of(std::floor(allowed * use + 1e-6), what);
  };
  const auto of = [use](auto allowed) {
    return told_apart(use * allowed, allowed);
  };
  switch (limit) {
    case Limit::deadline:
      return of(s.goal->deadline);
    case Limit::availability:
      return fmt::format("{:.4g} %", 100 * std::max(0.0, 1 - (1 - *s.goal->availability) * use));
    case Limit::max_nodes:
      return whole(s.goal->max_nodes, "node");
    case Limit::max_racks:
      return whole(*site->racks.max_racks, "rack");
    case Limit::rack_units:
      return whole(*site->racks.max_units, "unit");
    case Limit::floor_area:
      return of(*site->floor.area);
    case Limit::site_power:
      return of(*site->power.usable_feed());
    case Limit::budget:
      return of(*site->prices->budget);
    case Limit::opex_budget:
      return of(*site->prices->opex_budget * hours_of_year) + " a year";
    case Limit::total_budget:
      return of(*site->prices->total_budget);
    case Limit::useful_batch:
      if (const auto batch = common_batch(s))
        return fmt::format("{} of one step", count_of(std::floor(*batch * use + 1e-6), "sample"));
      return use == 1 ? "the critical batch" : fmt::format("{:.4g} % of it", 100 * use);
    case Limit::rack:
      return use == 1 ? "what one rack takes" : fmt::format("{:.4g} % of what one rack takes", 100 * use);
    case Limit::configuration:
    case Limit::gpu_memory:
    case Limit::storage_capacity:
    case Limit::price:
    case Limit::power_rating:
    case Limit::precision:
    case Limit::latency:
    case Limit::first_token:
    case Limit::token_time:
    case Limit::host_decoding:
    case Limit::network_ports:
      break;
  }
  return use == 1 ? "what there is" : fmt::format("{:.4g} % of what there is", 100 * use);
}

}  // namespace rackcast
