#pragma once
/// The orders of the GPUs of one node in its rings; private to rings.
#include <vector>

#include "topologies/nodes/ring_search.hpp"
#include "topologies/routing/routing.hpp"

namespace rackcast {

/// NVLinks or xGMI links between each two of the GPUs.
Capacity direct_links(const Topology& topology, const std::vector<DeviceId>& gpus);

bool has_nvswitch(const Topology& topology, int node);

/// A ring inside one node, in positions in `gpus`.
struct NodeRing {
  struct Relay {
    std::size_t after = 0;  ///< hop from order[after] to the next
    int through = 0;        ///< a GPU of the ring that is linked to both
  };
  Order order;
  std::vector<Relay> relays = {};  ///< ascending
};
std::vector<NodeRing> rings_of_node(Router& router, const std::vector<DeviceId>& gpus);

/// The way of one channel through a node of a ring over several nodes.
struct Passage {
  Order order;  ///< positions in `gpus`
  DeviceId entry_nic = no_id, exit_nic = no_id;
};

/// Channels through a node: one per adapter that is nearest to one of the GPUs, `per_nic` times.
std::vector<Passage> passages(Router& router, const std::vector<DeviceId>& gpus);

}  // namespace rackcast
