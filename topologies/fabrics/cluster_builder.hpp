#pragma once
/// A cluster as one graph: copies of a node, the switches of the fabric, storage servers.
#include "topologies/fabrics/fabric_plan.hpp"
#include "topologies/graph/graph.hpp"

namespace rackcast {

/// The first `nodes` of `plan.nodes` copies of `node` (built by build_node from the spec that the plan was
/// made for), joined as the plan says. Devices: the nodes in order, then leaves, spines, cores, storage
/// servers.
///
/// Half of the port link's latency falls on each end; a switch adds its own to the links that leave it.
/// Nodes that are left out keep their ports of the switches.
Topology build_cluster(const Topology& node, const FabricPlan& plan, int nodes);
Topology build_cluster(const Topology& node, const FabricPlan& plan);  ///< all nodes

}  // namespace rackcast
