#pragma once
/// What the user names in `rackcast topology`: a node, a cluster of the catalogue, or a scenario's cluster.
#include <optional>
#include <string>
#include <string_view>

#include "topologies/fabrics/fabric_options.hpp"
#include "topologies/graph/graph.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {

struct TopologyRequest {
  std::string name;                    ///< node, cluster or scenario file
  std::string gpu = {};                ///< for node templates
  std::optional<int> nodes = {};       ///< makes a cluster of a node, or changes its size
  std::vector<std::string> sets = {};  ///< --set of a scenario
};

struct TopologyTarget {
  std::string title;
  NodeSpec node;
  int nodes = 1;
  FabricOptions fabric;
  bool is_cluster = false;
};

/// A name that ends in .json, or holds a slash, is a scenario; else clusters of the catalogue come before
/// nodes. Throws Error on an unknown name, with near matches of both.
TopologyTarget topology_target(const Catalog& catalog, const TopologyRequest& request);

/// The plan of a cluster's network; Error if it cannot be built.
FabricPlan plan_of(const Catalog& catalog, const TopologyTarget& target);
/// The whole graph.
Topology topology_of(const Catalog& catalog, const TopologyTarget& target);

}  // namespace rackcast
