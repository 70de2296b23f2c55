#include "scenarios/listings/topology_target.hpp"

#include <fmt/format.h>

#include "scenarios/format/scenario.hpp"
#include "sim/base/near_matches.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/catalog/catalog_file.hpp"
#include "topologies/fabrics/cluster_builder.hpp"
#include "topologies/fabrics/named_cluster.hpp"
#include "topologies/nodes/node_builder.hpp"

namespace rackcast {
namespace {

constexpr int most_nodes = 100'000;  ///< whose graph is built to be shown

TopologyTarget target_of_scenario(const Catalog& catalog, const TopologyRequest& request) {
  const Scenario scenario = resolve_clusters(load_scenario(request.name, request.sets), catalog);
  const ClusterSpec& cluster = scenario.cluster;
  TopologyTarget target;
  target.node = node_spec(catalog, with_ports({.node = cluster.node, .gpu = cluster.gpu}, cluster.fabric));
  target.nodes = cluster.nodes;
  target.fabric = cluster.fabric;
  target.title = fmt::format("{} ({} x {})", scenario.name, target.nodes, target.node.name);
  return target;
}

TopologyTarget target_of_cluster(const Catalog& catalog, const std::string& name) {
  NamedCluster cluster = cluster_of(catalog, name);
  TopologyTarget target;
  target.title = fmt::format("{} ({} x {})", cluster.name, cluster.nodes, cluster.node.name);
  target.node = std::move(cluster.node);
  target.nodes = cluster.nodes;
  target.fabric = std::move(cluster.fabric);
  return target;
}

/// Whether the catalogue has an entry that goes by this very name.
bool knows(const Catalog& catalog, std::string_view kind, std::string_view name) {
  try {
    (void)catalog.find(kind, name);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// A file that `rackcast import` wrote or an entry for nodes/; anything else that ends in .json is a
/// scenario.
bool is_node_file(const std::string& name) {
  if (!is_catalog_file(name)) return false;
  const Json json = parse_json_file(name);
  if (json.kind() != JsonKind::object) return false;
  const Json* format = json.find("format");
  return json.find("gpu_id") ||
         (format && format->kind() == JsonKind::string && format->string() == "rackcast-import");
}

[[noreturn]] void fail_unknown(const Catalog& catalog, const std::string& name) {
  std::vector<std::string> known = catalog.ids("nodes");
  for (const std::string& id : catalog.ids("clusters")) known.push_back(id);
  const auto near = near_matches(name, known);
  throw Error{
      fmt::format("\"{}\" is neither a node nor a cluster of the catalogue, nor a scenario file", name),
      {},
      near.empty() ? "see `rackcast catalog list nodes` and `rackcast catalog list clusters`"
                   : fmt::format("near matches: {}", fmt::join(near, ", "))};
}

}  // namespace

TopologyTarget topology_target(const Catalog& catalog, const TopologyRequest& request) {
  TopologyTarget target;
  const bool node_file = is_node_file(request.name);
  if (!node_file && (request.name.ends_with(".json") || request.name.find('/') != std::string::npos)) {
    target = target_of_scenario(catalog, request);
    target.is_cluster = target.nodes > 1;
  } else if (!node_file && request.gpu.empty() && knows(catalog, "clusters", request.name)) {
    // A node and its cluster may go by one name (pfn_mn1): the cluster shows its node as well.
    target = target_of_cluster(catalog, request.name);
    target.is_cluster = true;
  } else if (node_file || knows(catalog, "nodes", request.name)) {
    target.node = node_spec(catalog, {.node = request.name, .gpu = request.gpu});
    target.title = target.node.name;
  } else {
    fail_unknown(catalog, request.name);
  }
  if (request.nodes) {
    target.nodes = *request.nodes;
    target.is_cluster = target.nodes > 1;
    target.title = fmt::format("{} x {}", target.nodes, target.node.name);
  }
  if (target.nodes < 1 || target.nodes > most_nodes)
    throw Error{fmt::format("the graph of a cluster has 1 to {} nodes, not {}", most_nodes, target.nodes)};
  return target;
}

FabricPlan plan_of(const Catalog& catalog, const TopologyTarget& target) {
  return plan_fabric(catalog, target.node, target.nodes, target.fabric.choice);
}

Topology topology_of(const Catalog& catalog, const TopologyTarget& target) {
  Topology node = build_node(target.node);
  return target.is_cluster ? build_cluster(node, plan_of(catalog, target)) : std::move(node);
}

}  // namespace rackcast
