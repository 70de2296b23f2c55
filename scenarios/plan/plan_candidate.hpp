#pragma once
/// Candidates of a search as the result has them, and for people. Private to scenarios/plan.
#include <string>

#include "scenarios/plan/plan.hpp"
#include "scenarios/plan/plan_search.hpp"

namespace rackcast {

PlanCandidate plan_candidate(const Scenario& scenario, const PlanSpace& space, const Judged& judged);

/// "12 x dgx_pod_storage_server"; empty where the search does not choose among storage.
std::string storage_text(const Scenario& scenario, const StorageSpec& storage);

/// "8 x NVIDIA DGX-2, oversubscription 2".
std::string named(const PlanCandidate& candidate);

}  // namespace rackcast
