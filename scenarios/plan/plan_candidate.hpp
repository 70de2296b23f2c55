#pragma once
/// Candidates of a search as the result has them. Private to scenarios/plan.
#include <string>

#include "scenarios/document/plan.hpp"
#include "scenarios/plan/plan_search.hpp"

namespace rackcast {

doc::PlanCandidate plan_candidate(Evaluator& evaluator, const Scenario& scenario, const PlanSpace& space,
                                  const Judged& judged);

/// "12 x dgx_pod_storage_server"; empty where the search does not choose among storage.
std::string storage_text(const Scenario& scenario, const StorageSpec& storage);

}  // namespace rackcast
