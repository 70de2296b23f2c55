#include "scenarios/plan/candidate_on.hpp"

#include "scenarios/names/run_control.hpp"
#include "scenarios/plan/plan_candidate.hpp"
#include "scenarios/plan/plan_search.hpp"

namespace rackcast {

std::optional<doc::PlanCandidate> candidate_on(Evaluator& evaluator, const Scenario& chosen, int nodes) {
  Scenario one = chosen;
  one.search = {};
  one.search.nodes = {nodes};
  const RunControl control;
  PlanSearch search{evaluator, one, control};
  std::optional<Judged> found = search.on(0, 0);
  if (!found) return std::nullopt;
  // A list of sizes is not held against the most nodes that the goal allows.
  found->uses[Limit::max_nodes] = static_cast<double>(found->nodes + found->spares) / one.goal->max_nodes;
  return plan_candidate(evaluator, chosen, search.space(), *found);
}

}  // namespace rackcast
