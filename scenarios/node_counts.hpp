#pragma once
/// The numbers of nodes that a workload can be trained on at all, before anybody asks how long it takes:
/// those whose GPUs are whole copies of its split, and of those the ones that hold it.
///
/// What a GPU holds is counted at each number of nodes. It falls with them where something is shared out over
/// all GPUs (states that ZeRO shards over the replicas, large embedding tables) and is the same on any number
/// otherwise, so the least number that holds the network is found by halving, and all above hold it.
#include <optional>

#include "scenarios/evaluator.hpp"

namespace rackcast {

struct NodeCounts {
  int step = 1;   ///< the counts are multiples of it
  int least = 1;  ///< the smallest that holds the network; `most` where none does
  int most = 1;   ///< the largest within max_nodes; 0 where one copy takes more
};

/// Nodes from one count that takes the split to the next; 1 for a job of a given number of GPUs.
int node_step(Evaluator& evaluator, const Question& question);

NodeCounts node_counts(Evaluator& evaluator, Question question, int max_nodes);

/// The network or the batch does not fit the memory of a GPU: what takes it, and what would be enough.
std::optional<Conflict> memory_conflict(Evaluator& evaluator, const Question& question);

/// The question's GPUs are no multiple of the workload's split.
std::optional<Conflict> split_conflict(Evaluator& evaluator, const Question& question);

/// The smallest size, `step` nodes for one copy and their spares, is more than max_nodes.
Conflict too_few_nodes(Evaluator& evaluator, Question question, int step, int max_nodes);

}  // namespace rackcast
