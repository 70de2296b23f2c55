#pragma once
/// What stands beside an answer: one node fewer, one assumption changed, another node type.
#include <optional>
#include <string>
#include <vector>

#include "scenarios/evaluator.hpp"
#include "scenarios/result.hpp"

namespace rackcast {

/// The answer's neighbours in the space of assumptions: each row changes one input and searches again.
std::vector<Change> changes(Evaluator& evaluator, const Question& question, const GoalSpec& goal, int nodes);

/// What would make the network or its batch take less memory, where that is what binds: each row with which
/// fewer nodes do, or any (`nodes` is nothing where none do). The states of ZeRO, recomputation,
/// micro-batches and the GPUs of a layer for a split network, half the batch for any other.
std::vector<Change> memory_changes(Evaluator& evaluator, const Question& question, const GoalSpec& goal,
                                   std::optional<int> nodes);

/// Nodes with which the deadline is met with a probability of 90 %, as far as the model's own error goes (the
/// interval of the prediction; ranges of inputs are for `rackcast uncertainty`), and how probable it is with
/// `nodes`, the expected answer. Other limits are not asked.
Change confident(Evaluator& evaluator, Question question, const GoalSpec& goal, int nodes);

/// The same goal on nodes of another type.
Alternative alternative(Evaluator& evaluator, Question question, const GoalSpec& goal,
                        const std::string& node_id);

/// The next smaller count that takes the workload's split, or one less than a single copy takes. Nothing for
/// one node.
std::optional<Smaller> why_not_fewer(Evaluator& evaluator, Question question, int nodes, Duration deadline);

}  // namespace rackcast
