#pragma once
/// Possible numbers of nodes for the workloads of a question, whatever time they take. The GPUs must be whole
/// copies of each split network, every copy must get the same share of a stated global batch, and the memory
/// of each GPU must be enough.
///
/// The memory that a GPU needs is counted at each number of nodes. It falls with the nodes where something is
/// divided among all GPUs (states that ZeRO shards over the replicas, large embedding tables), and is
/// constant otherwise. So the least number with enough memory is found by bisection, and every larger number
/// has enough.
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
