#pragma once
/// The answer to a scenario as a whole: what its decision box says.
///
/// All figures of the box are those of one cluster. Its time is that of all workloads where they run one
/// after another, else that of the slowest; its probability is that of everything being done in time.
#include <string>

#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/result/result.hpp"

namespace rackcast {

/// Makes the whole answer of a `size` from the plan and from the answers to the workloads; the scenario of
/// the result is that with the plan's choice. Where workloads run one after another, the result's answer
/// already says why not fewer nodes, what conflicts and what would change it.
void answer_size(Evaluator& evaluator, Result& result);

/// The same of a `simulate`, on the cluster of the scenario.
void answer_simulation(Evaluator& evaluator, Result& result);

/// Nodes of the cluster that the answer describes: the choice or, without an answer, what comes nearest; 0:
/// nothing comes near, and the answer has no figures.
int described_nodes(const Result& result);

/// What keeps the choice of a search from being smaller: a limit that the next smaller size breaks, or the
/// objective where that size would do but less well.
std::string what_binds(const Scenario& scenario, const PlanReport& plan);

/// Where the smallest count of nodes is the question.
bool asks_for_nodes(const Scenario& scenario);

}  // namespace rackcast
