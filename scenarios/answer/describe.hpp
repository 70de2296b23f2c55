#pragma once
/// What a result says about one workload on one cluster, apart from how that cluster was found.
#include <string>
#include <vector>

#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/result/result.hpp"

namespace rackcast {

/// Data -> samples -> steps -> work -> time -> nodes, each with how it came about.
std::vector<doc::LadderRung> ladder(const Scenario& scenario, const WorkloadResult& workload,
                                    Evaluator& evaluator);

/// Fills in one thing after the other, so that what there is stands if a limit ends the simulation.
void describe(Evaluator& evaluator, const Scenario& scenario, const WorkloadSpec& spec, int nodes,
              WorkloadResult& into);

}  // namespace rackcast
