#pragma once
/// Answers beside an answer: the same question with one input changed, for less memory, with 90 % odds, on
/// another node type. Example: with half the deadline, 15 nodes instead of 8.
///
/// A function that takes several questions answers all of them together: its number of nodes is enough for
/// each question (describe.hpp).
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/result/result.hpp"

namespace rackcast {

/// One row for each changed input (deadline, epochs, data, precision, exchange), searched again.
std::vector<Change> changes(Evaluator& evaluator, std::span<const Question> questions, const GoalSpec& goal,
                            int nodes);

/// Changes with which the network or its batch takes less memory, where GPU memory binds: only those that
/// need fewer than `nodes` nodes, or any number of nodes where `nodes` is empty (no number is enough). For a
/// split network they change the states of ZeRO, recomputation, micro-batches and the GPUs of a layer; for
/// any other network they halve the batch.
std::vector<Change> memory_changes(Evaluator& evaluator, std::span<const Question> questions,
                                   const GoalSpec& goal, std::optional<int> nodes);

/// Probability that a time with this interval is within the deadline, as far as the model's own error goes:
/// the ends are the 5 % and the 95 % of a log-normal time, each side with a width of its own. Nothing for a
/// time without an interval.
std::optional<double> chance_within(const Estimate& time, Duration deadline);

/// Probability that every question is within the deadline on `nodes` nodes: the least of the probabilities
/// of the questions, because errors of the model are assumed to be alike for all workloads of a cluster.
std::optional<double> chance_within(Evaluator& evaluator, std::span<const Question> questions,
                                    Duration deadline, int nodes);

/// A probability from which a deadline counts as safe.
inline constexpr double enough_confidence = 0.9;

/// Nodes with which the deadline is met with that probability, as far as the model's own error goes (the
/// interval of the prediction; ranges of inputs are for `rackcast uncertainty`), and how probable it is with
/// `nodes`, the expected answer. Other limits are not checked.
Change confident(Evaluator& evaluator, std::span<const Question> questions, const GoalSpec& goal, int nodes);

/// The same goal on nodes of another type, for one question: reports show each question in a row of its own.
Alternative alternative(Evaluator& evaluator, Question question, const GoalSpec& goal,
                        const std::string& node_id);

}  // namespace rackcast
