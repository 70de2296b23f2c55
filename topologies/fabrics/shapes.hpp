#pragma once
/// The shapes of fabrics and what they share; private to the planner.
#include <string>
#include <utility>

#include "topologies/fabrics/fabric_plan.hpp"

namespace rackcast::fabrics {

// The entries of the table; see FabricKind.
std::string plan_single_switch(const FabricRequest& request, FabricPlan& plan);
std::string plan_two_level(const FabricRequest& request, FabricPlan& plan);
std::string plan_three_level(const FabricRequest& request, FabricPlan& plan);
std::string plan_dragonfly_plus(const FabricRequest& request, FabricPlan& plan);
std::string plan_torus_2d(const FabricRequest& request, FabricPlan& plan);
std::string plan_torus_3d(const FabricRequest& request, FabricPlan& plan);

/// Ports of a leaf for nodes and storage: `asked` where the ratio allows it, for 0 those of a leaf that is
/// not oversubscribed.
int leaf_ports_down(int ports, double rate, double oversubscription, int asked);
/// The largest number of ports downwards of a switch whose uplinks still meet the ratio; 0 if there is none.
/// `rate` is that of a port downwards over that of an uplink.
int ports_down(int ports, double rate, double oversubscription);
/// The number of uplinks that `down` ports downwards need at this ratio.
int ports_up(int down, double rate, double oversubscription);

/// Chooses the trunk between two switches: as fast as the slower one's ports.
LinkSpec trunk_between(const Catalog& catalog, const SwitchSpec& a, const SwitchSpec& b);

/// Splits the ports of `plan.leaf` into down and up for a trunk to `above`; false if there is no such split.
bool split_leaf(const FabricRequest& request, const SwitchSpec& above, FabricPlan& plan);

/// Gives every port of nodes and storage a leaf: fills node_leaf, storage_leaf and leaves. With rails, leaves
/// stand in groups of `leaves_per_rail` x ports, rail after rail; 0: one group for all nodes.
void place_ports(FabricPlan& plan, int leaves_per_rail = 0);
/// The same node by node, with `nodes` to each group of `leaves`. False if a group is too small for them.
bool place_nodes_in_groups(FabricPlan& plan, int nodes, int leaves);

/// Leaves in groups (pods of a tree, groups of a dragonfly+) of at most `most` leaves, about equally many in
/// each, or of the size that was asked for; with rails each group has all of them. Places the ports. False if
/// it cannot be.
bool place_in_groups(const FabricChoice& choice, FabricPlan& plan, int most);

/// The fewest spines that a switch with `ports` allows: a divisor of `up`, so that every pair of leaf and
/// spine has as many cables; 0 if there is none.
int spine_count(int leaves, int up, int ports);

/// Joins each leaf to the spines of its group, spines_per_group x uplinks_per_pair cables.
void join_leaves_and_spines(FabricPlan& plan);

}  // namespace rackcast::fabrics
