#pragma once
/// Relaxations of the limits of a training answer (relaxation.hpp). Private to scenarios/plan.
#include <vector>

#include "scenarios/document/plan.hpp"
#include "scenarios/plan/plan_search.hpp"

namespace rackcast {

/// A row for each limit that the answer `chosen` keeps, to the end of `out`. Limits that are sums are judged
/// by the search that found it; others are relaxed in the scenario, which is searched again. Throws
/// LimitReached with the rows so far kept.
void add_relaxations(Evaluator& evaluator, PlanSearch& search, const Scenario& scenario,
                     const RunControl& control, const Judged& chosen,
                     std::vector<doc::Plan::Relaxation>& out);

}  // namespace rackcast
