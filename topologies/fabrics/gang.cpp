#include "topologies/fabrics/gang.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/error.hpp"

namespace rackcast::fabrics {

namespace {

int whole_cables(double cables) {
  return std::max(1, static_cast<int>(std::ceil(cables - 1e-9)));
}

}  // namespace

int nodes_on_a_leaf(const FabricPlan& plan) {
  if (plan.kind != "two_level" || plan.planes > 1 || plan.rails != RailPlan::by_node || plan.nics < 1)
    return 0;
  return plan.down / plan.nics;
}

FabricPlan part_of_gang(const FabricPlan& whole, std::span<const int> nodes_on_leaf) {
  if (nodes_on_a_leaf(whole) == 0)
    throw Error{"only a fat tree of two levels tells which nodes share a leaf switch"};
  const int leaves = static_cast<int>(nodes_on_leaf.size());
  FabricPlan part = whole;
  part.nodes = std::accumulate(nodes_on_leaf.begin(), nodes_on_leaf.end(), 0);
  part.leaves = leaves + (whole.storage_servers > 0 ? 1 : 0);
  part.spines = part.leaves > 1 ? 1 : 0;
  part.up = part.leaves > 1 ? whole.up : 0;
  part.leaves_per_group = part.leaves;
  part.spines_per_group = part.spines;
  part.uplinks_per_pair = 0;  // they differ
  part.node_leaf.clear();
  part.trunks.clear();
  for (int leaf = 0; leaf < leaves; ++leaf) {
    const int ports = nodes_on_leaf[static_cast<std::size_t>(leaf)] * whole.nics;
    part.node_leaf.insert(part.node_leaf.end(), static_cast<std::size_t>(ports), leaf);
    if (part.spines > 0)
      part.trunks.push_back(
          {leaf, part.leaves, whole_cables(static_cast<double>(ports) * whole.up / whole.down)});
  }
  part.storage_leaf.assign(static_cast<std::size_t>(whole.storage_cables()), leaves);
  if (whole.storage_servers > 0) {
    const double rate = *whole.port_link.raw / *whole.trunk_link.raw;
    part.trunks.push_back({leaves, part.leaves, whole_cables(whole.storage_cables() * rate)});
  }
  return part;
}

}  // namespace rackcast::fabrics
