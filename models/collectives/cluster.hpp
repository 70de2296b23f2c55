#pragma once
/// A cluster as training sees it: the graph, the GPUs that take part, and the rings that NCCL would build.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/collectives/comm_data.hpp"
#include "sim/units/quantity.hpp"
#include "topologies/fabrics/fabric_plan.hpp"
#include "topologies/graph/graph.hpp"
#include "topologies/hardware/node_spec.hpp"
#include "topologies/nodes/rings.hpp"

namespace rackcast {

struct LaidOut;

/// If set, called every now and then during long work. It may throw to end the work.
using Watch = std::function<void()>;

struct ClusterShape {
  int nodes = 1;
  FabricChoice fabric;                    ///< ignored for one node without storage servers
  std::optional<int> gpus = {};           ///< only this many GPUs take part, the first ones
  std::optional<int> gpus_per_node = {};  ///< only this many of each node do, the first ones
  bool idle_nodes = false;                ///< the graph also has the nodes without a rank: servers run there
  Watch watch = {};                       ///< while the cluster is built and collectives are laid out on it
};

struct Cluster {
  NodeSpec node;
  int nodes = 1;
  FabricPlan fabric;                     ///< leaves == 0: there is none
  Topology topology;                     ///< of the nodes that the job uses, and of the whole network
  std::vector<DeviceId> ranks;           ///< GPUs that take part, node by node
  std::vector<Ring> rings;               ///< over direct links and switches
  std::vector<Ring> relayed_rings;       ///< where GPUs may pass data on between two others; empty: no others
  std::shared_ptr<LaidOut> laid_out;     ///< on these ranks, filled as it is asked for
  Watch watch = {};                      ///< that of its shape
  std::shared_ptr<const CommData> comm;  ///< what its communication libraries cost

  /// Nodes with a rank, and the most ranks of one of them.
  [[nodiscard]] int used_nodes() const;
  [[nodiscard]] int local_ranks() const;
};

/// Builds the cluster. Throws Error (infeasible) if the fabric cannot be built or has fewer GPUs than asked
/// for. A caller that makes many clusters reads `comm` once and passes it.
Cluster make_cluster(const Catalog& catalog, const NodeSpec& node, const ClusterShape& shape,
                     std::shared_ptr<const CommData> comm = shipped_comm_data());

/// The cluster with other data of libraries and links. What was laid out with the old ones is forgotten.
void replace_comm(Cluster& cluster, std::shared_ptr<const CommData> comm);

/// A cluster of the first `count` ranks: a group over which one copy of a network is split. Throws Error
/// unless the number of ranks is a multiple of `count`.
Cluster first_ranks(const Cluster& cluster, int count);

/// A cluster of the ranks first, first + step, first + 2 step, ...
Cluster every_nth_rank(const Cluster& cluster, int first, int step);

/// A cluster of the ranks with these numbers, in ascending order. Throws Error for a number that the cluster
/// does not have.
Cluster some_ranks(const Cluster& cluster, std::vector<int> numbers);

}  // namespace rackcast
