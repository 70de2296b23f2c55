#pragma once
/// The choices of a fleet that serves, and the best of them. Private to scenarios, as service_fleet.hpp.
#include <utility>
#include <vector>

#include "scenarios/serving/service_fleet.hpp"

namespace rackcast {

/// Every node with every precision that may be chosen. Throws Error where the scenario's own node is unknown.
std::vector<std::pair<ClusterSpec, Precision>> service_choices(const Catalog& catalog,
                                                               const Scenario& scenario);

/// One of them, not solved. What it rests on is noted by nobody. `known`: as for ServiceNode.
ServiceOption service_option(const Catalog& catalog, const GpuModelLibrary& kernels, const Scenario& scenario,
                             const ClusterSpec& cluster, Precision precision,
                             std::shared_ptr<KnownServers> known = {});

/// Throws Error where no option's GPU supports its precision: that is no answer, but a wrong question. The
/// place is that of the first option's precision, in "search" or in "serving".
void check_precisions(const std::vector<ServiceOption>& options, const Scenario& scenario);

/// Does the scenario's objective like `a`, feasible or not, better than `b`?
bool better_option(const ServiceOption& a, const ServiceOption& b, const Scenario& scenario);

/// A fleet as the planner's part of the document has candidates.
doc::PlanCandidate service_candidate(const ServiceOption& option, const ServiceResult& result);

/// What a tenth more of each limit that the scenario states would bring the chosen fleet. `over` ends the
/// list early.
std::vector<doc::Plan::Relaxation> service_relaxations(const ServiceResult& result, const Catalog& catalog,
                                                       const GpuModelLibrary& kernels,
                                                       const std::function<bool()>& over);

/// The best by the scenario's objective; where none is feasible the one that is nearest.
const ServiceOption& best_option(const std::vector<ServiceOption>& options, const Scenario& scenario);

/// Where no option is feasible: the smallest set of limits that none keeps together, with what each takes on
/// the nearest one; that one's own conflicts where a single limit is broken by all.
std::vector<Conflict> service_conflict_set(const std::vector<ServiceOption>& options,
                                           const ServiceOption& nearest, const Scenario& scenario,
                                           const Catalog& catalog);

/// What the scenario's own number of nodes does: that becomes the most there may be. Throws Error where the
/// scenario asks for a number of nodes instead.
ServiceOption own_fleet(const Catalog& catalog, const GpuModelLibrary& kernels, Scenario& scenario);

/// The answer of `size` without what surrounds it, feasible or not.
ServiceOption best_fleet(const Catalog& catalog, const GpuModelLibrary& kernels, const Scenario& scenario);

/// The answer of `simulate`, where the scenario's text says how many nodes there are, else that of `size`,
/// without what surrounds it. `scenario`: with clusters resolved.
ServiceOption answer_service(const Catalog& catalog, const GpuModelLibrary& kernels, Scenario scenario);

}  // namespace rackcast
