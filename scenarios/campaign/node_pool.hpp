#pragma once
/// The nodes of a cluster as a scheduler sees them: free, used, in repair; and the leaf switch each hangs on.
#include <vector>

#include "scenarios/campaign/campaign_spec.hpp"

namespace rackcast {

class NodePool {
 public:
  /// Throws Error unless nodes >= 1. nodes_per_leaf 0: all on one.
  NodePool(int nodes, int nodes_per_leaf, Placement placement);

  [[nodiscard]] int size() const { return static_cast<int>(leaf_of_.size()); }
  [[nodiscard]] int free() const { return free_; }

  /// `count` <= free() nodes. Compact: the leaf with the fewest free nodes that still holds all of them, else
  /// the leaves with most free nodes, so that the job lies on as few as possible. Ties go to the lowest.
  std::vector<int> take(int count);
  void give_back(const std::vector<int>& nodes);
  /// A used node that is in repair does not become free with the others of its job.
  void repair(int node);
  void repaired(int node);

  /// How many of the nodes hang on each leaf that has any, the most first.
  [[nodiscard]] std::vector<int> by_leaf(const std::vector<int>& nodes) const;
  [[nodiscard]] int leaves(const std::vector<int>& nodes) const;  ///< that the nodes hang on

 private:
  enum class State : char { free, used, repair };
  void take_from(int leaf, std::size_t count, std::vector<int>& into);
  void set_free(int node);

  Placement placement_;
  int free_ = 0;
  std::vector<int> leaf_of_;
  std::vector<State> state_;
  std::vector<std::vector<int>> nodes_of_;  ///< by leaf, ascending
  std::vector<int> free_on_;                ///< by leaf
};

}  // namespace rackcast
