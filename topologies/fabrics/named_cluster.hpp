#pragma once
/// A cluster of the catalogue, ready to be built.
#include <string>
#include <string_view>

#include "topologies/fabrics/fabric_options.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {

struct NamedCluster {
  std::string id, name;
  NodeSpec node;  ///< with the ports that its network names
  int nodes = 0;
  FabricOptions fabric;
};

/// The entry below clusters/ with its node, its number of nodes and its fact "network" (read_fabric_options;
/// where there is none, whatever fits the node's ports). Throws Error on an unknown name or a broken entry.
NamedCluster cluster_of(const Catalog& catalog, std::string_view name);

/// A node with the ports and the other settings that the options name.
NodeChoice with_ports(NodeChoice node, const FabricOptions& fabric);

}  // namespace rackcast
