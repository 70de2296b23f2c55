#pragma once
/// The numbers of nodes that the workloads of a question can be trained on at all, before anybody asks how
/// long it takes: those whose GPUs are whole copies of each split, each with the same share of a global batch
/// that a workload states, and of those the ones that hold each.
///
/// What a GPU holds is counted at each number of nodes. It falls with them where something is shared out over
/// all GPUs (states that ZeRO shards over the replicas, large embedding tables) and is the same on any number
/// otherwise, so the least number that holds the network is found by halving, and all above hold it.
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/limits/limits.hpp"

namespace rackcast {

struct NodeCounts {
  std::vector<int>
      taken;              ///< the counts within max_nodes that take the split and the global batch, ascending
  std::size_t least = 0;  ///< of them the first that holds the network; the last where none does

  /// The place of the largest count that is not above `nodes`; `taken` has one.
  [[nodiscard]] std::size_t up_to(int nodes) const;
};

/// Those of [1, max_nodes] whose GPUs are whole copies of each split and take equal shares of each global
/// batch.
std::vector<int> counts_taken(Evaluator& evaluator, const Question& question, int max_nodes);
/// Those that do for every one of the questions.
std::vector<int> counts_taken(Evaluator& evaluator, std::span<const Question> questions, int max_nodes);

NodeCounts node_counts(Evaluator& evaluator, Question question, int max_nodes);

/// A network or a batch does not fit the memory of a GPU: what takes it, and what would be enough. Of several
/// workloads the first that does not fit.
std::optional<Conflict> memory_conflict(Evaluator& evaluator, const Question& question);

/// The question's GPUs are no multiple of a workload's split.
std::optional<Conflict> split_conflict(Evaluator& evaluator, const Question& question);

/// No number of nodes within max_nodes takes the split and its spares, or none the global batch.
Conflict none_taken(Evaluator& evaluator, Question question, int max_nodes);

}  // namespace rackcast
