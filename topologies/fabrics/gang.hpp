#pragma once
/// The part of a fat tree that one job (a gang of nodes) can use while other jobs use the rest of the tree.
/// Example: three nodes of the seven on a leaf have three sevenths of its uplinks.
#include <vector>

#include "topologies/fabrics/fabric_plan.hpp"

namespace rackcast {

/// The leaf switch of a node and the pod of that leaf, numbered from 0 over the whole network. With rails,
/// the leaves of all ports of a node count as one.
struct NodePlace {
  int leaf = 0, pod = 0;
};

namespace fabrics {

/// Leaf and pod of every node of a fat tree with two or three levels. Empty for other fabrics: one switch,
/// dragonfly+, tori, and trees whose leaves have fewer ports than a node.
std::vector<NodePlace> node_places(const FabricPlan& plan);

/// The part of the network that a job uses: the leaves and pods of its nodes. The job's share of the uplinks
/// of a leaf or pod is the share of its nodes among all nodes there, in sixteenths of a cable, rounded up.
/// All spines of a pod become one switch, because each leaf has equally many cables to each of them; so do
/// the cores. Storage gets a leaf of its own, whose uplinks are never the bottleneck. `whole` must have one
/// plane; throws Error unless node_places(whole) knows its nodes.
FabricPlan part_of_gang(const FabricPlan& whole, const Gang& gang);

}  // namespace fabrics
}  // namespace rackcast
