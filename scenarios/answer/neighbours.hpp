#pragma once
/// What stands beside an answer: one node fewer, one assumption changed, another node type.
///
/// What takes several questions answers for all of them together: the count does for each (describe.hpp).
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/result/result.hpp"

namespace rackcast {

/// The answer's neighbours in the space of assumptions: each row changes one input and searches again.
std::vector<Change> changes(Evaluator& evaluator, std::span<const Question> questions, const GoalSpec& goal,
                            int nodes);

/// What would make the network or its batch take less memory, where that is what binds: each row with which
/// fewer nodes do, or any (`nodes` is nothing where none do). The states of ZeRO, recomputation,
/// micro-batches and the GPUs of a layer for a split network, half the batch for any other.
std::vector<Change> memory_changes(Evaluator& evaluator, std::span<const Question> questions,
                                   const GoalSpec& goal, std::optional<int> nodes);

/// Probability that a time with this interval is within the deadline, as far as the model's own error goes:
/// the ends are the 5 % and the 95 % of a log-normal time, each side with a width of its own. Nothing for a
/// time without an interval.
std::optional<double> chance_within(const Estimate& time, Duration deadline);

/// Probability that every question is within the deadline on `nodes` nodes. What the model gets wrong it gets
/// wrong for all workloads of a cluster alike, so the least of their probabilities is that of all together.
std::optional<double> chance_within(Evaluator& evaluator, std::span<const Question> questions,
                                    Duration deadline, int nodes);

/// A probability from which a deadline counts as safe.
inline constexpr double enough_confidence = 0.9;

/// Nodes with which the deadline is met with that probability, as far as the model's own error goes (the
/// interval of the prediction; ranges of inputs are for `rackcast uncertainty`), and how probable it is with
/// `nodes`, the expected answer. Other limits are not asked.
Change confident(Evaluator& evaluator, std::span<const Question> questions, const GoalSpec& goal, int nodes);

/// The same goal on nodes of another type. Of one question: reports show each in a row of its own.
Alternative alternative(Evaluator& evaluator, Question question, const GoalSpec& goal,
                        const std::string& node_id);

}  // namespace rackcast
