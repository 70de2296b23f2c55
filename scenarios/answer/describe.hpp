#pragma once
/// What a result says about one workload on one cluster, apart from how that cluster was found.
#include <string>
#include <vector>

#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/result/result.hpp"

namespace rackcast {

/// The scenario's question about one of its workloads, on the cluster of the scenario.
Question question(const Scenario& scenario, const WorkloadSpec& workload);

/// All that the scenario asks of its cluster: one question about all workloads where they run one after
/// another, else one question about each (scenario.hpp, WorkloadsRun).
std::vector<Question> questions(const Scenario& scenario);

/// "1 node", "7 nodes".
std::string count_of(double n, const char* what);

/// "8", or with spare nodes "8 + 1 spare".
std::string with_spares(int nodes, int spares);

/// Rack units and rated power of so many nodes; nothing where the catalogue does not say.
std::optional<double> units_of(const NodeFacts& node, int nodes);
std::optional<double> kilowatts_of(const NodeFacts& node, int nodes);

/// Data -> samples -> steps -> work -> time -> nodes, each with how it came about.
std::vector<LadderRow> ladder(const Scenario& scenario, const WorkloadResult& workload, Evaluator& evaluator);

/// Fills in one thing after the other, so that what there is stands if a limit ends the simulation.
void describe(Evaluator& evaluator, const Scenario& scenario, const WorkloadSpec& spec, int nodes,
              WorkloadResult& into);

/// Empty where each step is like the one before; else what the figures of a step are the mean of.
std::string repetition_note(const TrainingRun& run);

}  // namespace rackcast
