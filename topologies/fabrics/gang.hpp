#pragma once
/// What one job has of a two-level network that others use too.
#include <span>

#include "topologies/fabric_plan.hpp"

namespace rackcast::fabrics {

/// Nodes that a leaf of the plan holds; 0 where nodes are not tied to leaves, or leaves not to spines alone:
/// one switch, rails, planes, pods, groups, tori.
int nodes_on_a_leaf(const FabricPlan& plan);

/// The part of the network that a job sees whose nodes hang on several leaves, so many on each. Of the
/// uplinks of a leaf it has what its nodes would have if all nodes of the leaf used them alike, in whole
/// cables, rounded up. Spines are one, as every leaf reaches each of them by as many cables; storage hangs on
/// a leaf of its own whose uplinks hold nothing up. Throws Error unless nodes_on_a_leaf(whole) > 0.
FabricPlan part_of_gang(const FabricPlan& whole, std::span<const int> nodes_on_leaf);

}  // namespace rackcast::fabrics
