#include "models/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/collectives/laid_out.hpp"
#include "sim/error.hpp"
#include "topologies/catalog.hpp"
#include "topologies/cluster_builder.hpp"
#include "topologies/node_builder.hpp"
#include "topologies/routing.hpp"

namespace rackcast {

namespace {

/// The first `count` of the GPUs that take part in each node, filling node after node.
std::vector<DeviceId> take_part(const Topology& topology, const ClusterShape& shape) {
  std::vector<DeviceId> all = topology.gpus();
  const std::optional<int>& count = shape.gpus;
  if (shape.gpus_per_node) {
    std::erase_if(all, [&](DeviceId gpu) { return topology.device(gpu).index >= *shape.gpus_per_node; });
  }
  if (count) {
    if (*count < 1 || static_cast<std::size_t>(*count) > all.size()) {
      throw Error{fmt::format("{} GPUs of {} were asked for", *count, all.size())};
    }
    all.resize(static_cast<std::size_t>(*count));
  }
  return all;
}

/// NCCL passes data through a GPU between two others since 2.8, of 2020 (see topologies/rings.hpp). The first
/// generation of NVLink was measured with 2.0, which does not.
RouterOptions routing_of(const NodeSpec& node) {
  return {.relay_through_gpus = node.gpu_link && node.gpu_link->id != "nvlink/nvlink1"};
}

}  // namespace

int Cluster::used_nodes() const {
  int used = 0, last = no_id;
  for (const DeviceId gpu : ranks) {
    const int own = topology.device(gpu).node;
    used += own != last;
    last = own;
  }
  return used;
}

int Cluster::local_ranks() const {
  int most = 0, here = 0, last = no_id;
  for (const DeviceId gpu : ranks) {
    const int own = topology.device(gpu).node;
    here = own == last ? here + 1 : 1;
    most = std::max(most, here);
    last = own;
  }
  return most;
}

Cluster make_cluster(const Catalog& catalog, const NodeSpec& node, const ClusterShape& shape) {
  Topology one = build_node(node);
  FabricPlan plan;
  const bool networked = node.nics > 0 && (shape.nodes > 1 || shape.fabric.storage_servers > 0);
  if (networked) plan = plan_fabric(catalog, node, shape.nodes, shape.fabric);
  if (!networked && shape.nodes > 1) {
    throw Error{
        fmt::format("{} has no network ports, so {} of them cannot work together", node.name, shape.nodes),
        {},
        "choose a node with network ports: rackcast catalog list nodes",
        ErrorKind::infeasible};
  }
  Topology whole = networked ? build_cluster(one, plan) : std::move(one);
  std::vector<DeviceId> ranks = take_part(whole, shape);
  std::vector<Ring> all_rings;
  if (ranks.size() > 1) {
    Router router{whole, routing_of(node)};
    all_rings = rings(router, ranks);
  }
  return {node,
          shape.nodes,
          std::move(plan),
          std::move(whole),
          std::move(ranks),
          std::move(all_rings),
          std::make_shared<LaidOut>()};
}

Cluster first_ranks(const Cluster& cluster, int count) {
  Cluster group = cluster;
  if (count < 1 || static_cast<std::size_t>(count) > group.ranks.size() ||
      group.ranks.size() % static_cast<std::size_t>(count) != 0)
    throw Error{fmt::format("layers cannot be split over {} of {} GPUs", count, group.ranks.size())};
  group.ranks.resize(static_cast<std::size_t>(count));
  group.rings.clear();
  group.laid_out = std::make_shared<LaidOut>();
  if (count > 1) {
    Router router{group.topology, routing_of(group.node)};
    group.rings = rings(router, group.ranks);
  }
  return group;
}

}  // namespace rackcast
