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

/// Nodes with which the deadline is met with a probability of 90 %, as far as the model's own error goes (the
/// interval of the prediction; ranges of inputs are for `rackcast uncertainty`), and how probable it is with
/// `nodes`, the expected answer. Other limits are not asked.
Change confident(Evaluator& evaluator, Question question, const GoalSpec& goal, int nodes);

/// The same goal on nodes of another type.
Alternative alternative(Evaluator& evaluator, Question question, const GoalSpec& goal,
                        const std::string& node_id);

/// Nothing for one node.
std::optional<Smaller> why_not_fewer(Evaluator& evaluator, Question question, int nodes, Duration deadline);

}  // namespace rackcast
