#include "models/collectives/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/collectives/laid_out.hpp"
#include "sim/base/error.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/fabrics/cluster_builder.hpp"
#include "topologies/nodes/node_builder.hpp"
#include "topologies/routing/routing.hpp"

namespace rackcast {

namespace {

/// GPUs of each node that may take part.
int gpus_of_node(const Topology& node, const ClusterShape& shape) {
  const int own = static_cast<int>(node.gpus().size());
  return std::clamp(shape.gpus_per_node.value_or(own), 0, own);
}

/// Nodes with one of the GPUs that were asked for. The others would make the graph of a small job on a large
/// cluster thousands of times larger, and no path of the job leads through them.
int nodes_taking_part(const Topology& node, const ClusterShape& shape) {
  if (!shape.gpus) return shape.nodes;
  const int all = gpus_of_node(node, shape) * shape.nodes;
  if (*shape.gpus < 1 || *shape.gpus > all)
    throw Error{fmt::format("{} GPUs of {} were asked for", *shape.gpus, all)};
  return (*shape.gpus - 1) / gpus_of_node(node, shape) + 1;
}

/// The first GPUs that take part in each node, filling node after node.
std::vector<DeviceId> take_part(const Topology& topology, const ClusterShape& shape) {
  std::vector<DeviceId> all = topology.gpus();
  if (shape.gpus_per_node) {
    std::erase_if(all, [&](DeviceId gpu) { return topology.device(gpu).index >= *shape.gpus_per_node; });
  }
  if (shape.gpus) all.resize(static_cast<std::size_t>(*shape.gpus));
  return all;
}

bool has_mesh(const NodeSpec& node) {
  return node.gpu_link && node.nvswitches == 0;
}

/// Rings of a cluster whose topology and ranks are set.
void find_rings(Cluster& cluster) {
  cluster.rings.clear();
  cluster.relayed_rings.clear();
  if (cluster.ranks.size() < 2) return;
  Router direct{cluster.topology, {.watch = cluster.watch}};
  cluster.rings = rings(direct, cluster.ranks);
  if (cluster.used_nodes() > 1 || !has_mesh(cluster.node)) return;
  Router relaying{cluster.topology, {.relay_through_gpus = true, .watch = cluster.watch}};
  cluster.relayed_rings = rings(relaying, cluster.ranks);
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

Cluster make_cluster(const Catalog& catalog, const NodeSpec& node, const ClusterShape& shape,
                     std::shared_ptr<const CommData> comm) {
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
  const int used = nodes_taking_part(one, shape), standing = shape.idle_nodes ? shape.nodes : used;
  if (shape.watch) shape.watch();
  Topology whole = networked ? build_cluster(one, plan, standing) : std::move(one);
  std::vector<DeviceId> ranks = take_part(whole, shape);
  Cluster out{node,
              shape.nodes,
              std::move(plan),
              std::move(whole),
              std::move(ranks),
              {},
              {},
              std::make_shared<LaidOut>(),
              shape.watch,
              std::move(comm)};
  if (out.watch) out.watch();
  find_rings(out);
  return out;
}

namespace {

Cluster group_of(const Cluster& cluster, std::vector<DeviceId> ranks) {
  Cluster group = cluster;
  group.ranks = std::move(ranks);
  group.laid_out = std::make_shared<LaidOut>();
  find_rings(group);
  return group;
}

}  // namespace

void replace_comm(Cluster& cluster, std::shared_ptr<const CommData> comm) {
  cluster.comm = std::move(comm);
  cluster.laid_out->plans.clear();
}

Cluster first_ranks(const Cluster& cluster, int count) {
  const std::size_t all = cluster.ranks.size();
  if (count < 1 || static_cast<std::size_t>(count) > all || all % static_cast<std::size_t>(count) != 0)
    throw Error{fmt::format("layers cannot be split over {} of {} GPUs", count, all)};
  return group_of(cluster, {cluster.ranks.begin(), cluster.ranks.begin() + count});
}

Cluster every_nth_rank(const Cluster& cluster, int first, int step) {
  std::vector<DeviceId> ranks;
  for (auto rank = static_cast<std::size_t>(first); rank < cluster.ranks.size();
       rank += static_cast<std::size_t>(step))
    ranks.push_back(cluster.ranks[rank]);
  return group_of(cluster, std::move(ranks));
}

Cluster some_ranks(const Cluster& cluster, std::vector<int> numbers) {
  std::ranges::sort(numbers);
  std::vector<DeviceId> ranks;
  for (const int number : numbers) {
    if (number < 0 || static_cast<std::size_t>(number) >= cluster.ranks.size())
      throw Error{fmt::format("{} GPUs have no rank {}", cluster.ranks.size(), number)};
    ranks.push_back(cluster.ranks[static_cast<std::size_t>(number)]);
  }
  return group_of(cluster, std::move(ranks));
}

}  // namespace rackcast
