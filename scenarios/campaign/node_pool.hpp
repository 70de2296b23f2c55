#pragma once
/// The nodes of a cluster as a scheduler sees them: free, used or in repair, and each node's leaf switch.
#include <vector>

#include "scenarios/format/campaign_spec.hpp"
#include "topologies/fabrics/gang.hpp"

namespace rackcast {

class NodePool {
 public:
  /// `places` by node; throws Error if there is none.
  NodePool(const std::vector<NodePlace>& places, Placement placement);

  [[nodiscard]] int size() const { return static_cast<int>(leaf_of_.size()); }
  [[nodiscard]] int free() const { return free_; }

  /// Takes `count` <= free() nodes. Compact placement prefers the leaf with the fewest free nodes that still
  /// holds the whole job, then the pod with the fewest that does, then the pods with most free nodes. Within
  /// a pod the leaves with most free nodes come first. So the job uses few pods and leaves. Ties go to the
  /// lowest number.
  std::vector<int> take(int count);
  void give_back(const std::vector<int>& nodes);
  /// A used node that is in repair does not become free with the others of its job.
  void repair(int node);
  void repaired(int node);

  /// The number of these nodes on each leaf that has any of them, grouped by pod.
  [[nodiscard]] Gang gang(const std::vector<int>& nodes) const;

 private:
  enum class State : char { free, used, repair };
  struct Pod {
    std::vector<int> leaves;  ///< ascending
    int free = 0;
  };
  [[nodiscard]] std::vector<int> leaves_in_order(int count) const;
  void take_from(int leaf, std::size_t count, std::vector<int>& into);
  void set_free(int node);

  Placement placement_;
  int free_ = 0;
  std::vector<int> leaf_of_, pod_of_;  ///< by node, by leaf
  std::vector<State> state_;
  std::vector<std::vector<int>> nodes_of_;  ///< by leaf, ascending
  std::vector<int> free_on_;                ///< by leaf
  std::vector<Pod> pods_;
};

/// So many nodes on each leaf of a single pod, in order; 0: all on one.
std::vector<NodePlace> regular_places(int nodes, int nodes_per_leaf);

}  // namespace rackcast
