#pragma once
/// What one job has of a fat tree that others use too.
#include <vector>

#include "topologies/fabrics/fabric_plan.hpp"

namespace rackcast {

/// Where a node hangs: its leaf switch and the pod of that, numbered from 0 over the whole network. With
/// rails the leaves that the ports of a node go to count as one.
struct NodePlace {
  int leaf = 0, pod = 0;
};

namespace fabrics {

/// Of every node of a fat tree of two or three levels. Empty where nodes are not tied to leaves, or leaves
/// not to spines alone: one switch, groups of a dragonfly+, tori, nodes with more ports than a leaf has.
std::vector<NodePlace> node_places(const FabricPlan& plan);

/// The part of the network that a job sees whose nodes hang on several leaves of several pods, so many on
/// each. Of the uplinks of a leaf, and of those of a pod, it has what its nodes would have if all nodes there
/// used them alike, in sixteenths of a cable, rounded up. The spines of a pod are one, as every leaf reaches
/// each of them by as many cables, and so are the cores; storage hangs on a leaf of its own whose uplinks
/// hold nothing up. `whole` has one plane; throws Error unless it has node_places.
FabricPlan part_of_gang(const FabricPlan& whole, const Gang& gang);

}  // namespace fabrics
}  // namespace rackcast
