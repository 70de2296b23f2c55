#include "topologies/fabrics/named_cluster.hpp"

#include "topologies/catalog/limits.hpp"
#include "topologies/catalog/spec_reader.hpp"

namespace rackcast {

NodeChoice with_ports(NodeChoice node, const FabricOptions& fabric) {
  if (fabric.links_per_node) node.nics = fabric.links_per_node;
  if (!fabric.link.empty()) node.nic_link = fabric.link;
  node.nic_rate = fabric.link_rate;
  node.peer_to_peer = fabric.peer_to_peer;
  node.gpus = fabric.gpus_in_node;
  node.gpu_links = fabric.gpu_links;
  return node;
}

NamedCluster cluster_of(const Catalog& catalog, std::string_view name) {
  const CatalogEntry& entry = catalog.find("clusters", name);
  const SpecReader reader{entry};
  NamedCluster cluster;
  cluster.id = entry.id;
  cluster.name = entry.name;
  cluster.nodes = reader.require(reader.count("nodes", 1, limits::nodes), "nodes").value;
  if (const Fact* network = entry.find("network")) cluster.fabric = read_fabric_options(network->value());
  cluster.node =
      node_spec(catalog, with_ports({.node = entry.json.require("node_id").string()}, cluster.fabric));
  return cluster;
}

}  // namespace rackcast
