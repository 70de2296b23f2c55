#pragma once
/// The functions of the table, one file each.
#include "models/collectives/collective.hpp"

namespace rackcast {

CollectivePlan plan_ring(Layout&, Collective);
CollectivePlan plan_tree(Layout&, Collective);
CollectivePlan plan_double_binary_tree(Layout&, Collective);
CollectivePlan plan_recursive_doubling(Layout&, Collective);
CollectivePlan plan_halving_doubling(Layout&, Collective);
CollectivePlan plan_hierarchical(Layout&, Collective);
CollectivePlan plan_leader_ring(Layout&, Collective);
CollectivePlan plan_torus_2d(Layout&, Collective);
CollectivePlan plan_sharp(Layout&, Collective);
CollectivePlan plan_nvls(Layout&, Collective);
CollectivePlan plan_nvls_tree(Layout&, Collective);
CollectivePlan plan_pairwise(Layout&, Collective);

/// Half of the payload over each of two binary trees of nodes, both directions, spread over the GPUs of a
/// node.
void load_double_tree(Layout&);

}  // namespace rackcast
