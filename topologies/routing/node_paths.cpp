#include "topologies/routing/node_paths.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <limits>

namespace rackcast {
namespace {

using Weights = boost::property<boost::edge_weight_t, std::int64_t>;
using WeightedGraph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, Weights>;

constexpr std::int64_t out_of_reach = std::numeric_limits<std::int64_t>::max();

/// Any number of NVLinks among GPUs and switches costs less than one to a CPU, any number of these less than
/// one PCIe link, and any number of PCIe links less than a crossing between sockets (NVIDIA NCCL,
/// src/graph/topo.h: PATH_NVL, PATH_C2C, PATH_PIX, PATH_SYS).
std::int64_t link_cost(const Topology& topology, LinkId id) {
  const Link& link = topology.link(id);
  const auto is_cpu = [&](DeviceId device) {
    return topology.device(device).kind == DeviceKind::cpu;
  };
  switch (topology.class_of(id).kind) {
    case LinkKind::nvlink:
    case LinkKind::xgmi:
      return is_cpu(link.from) || is_cpu(link.to) ? 1'000 : 1;
    case LinkKind::pcie:
      return pcie_link_cost;
    default:
      return 1'000'000'000;
  }
}

bool is_gpu_link(LinkKind kind) {
  return kind == LinkKind::nvlink || kind == LinkKind::xgmi;
}

}  // namespace

NodePaths::NodePaths(const Topology& topology, int node, DeviceId source, bool relay_through_gpus)
    : topology_(topology), range_(topology.node(node)), source_(source), relay_(relay_through_gpus) {
  WeightedGraph graph(static_cast<std::size_t>(range_.device_count));
  for (LinkId id = range_.first_link; id < range_.first_link + range_.link_count; ++id) {
    const Link& link = topology.link(id);
    if (usable(link)) {
      boost::add_edge(local(link.from), local(link.to), Weights{link_cost(topology, id)}, graph);
    }
  }
  cost_.assign(static_cast<std::size_t>(range_.device_count), out_of_reach);
  boost::dijkstra_shortest_paths(graph, local(source),
                                 boost::distance_map(boost::make_iterator_property_map(
                                     cost_.begin(), boost::get(boost::vertex_index, graph))));
}

std::size_t NodePaths::local(DeviceId id) const {
  return static_cast<std::size_t>(id - range_.first_device);
}

bool NodePaths::usable(const Link& link) const {
  if (link.from == source_) return true;
  const DeviceKind from = topology_.device(link.from).kind;
  if (from == DeviceKind::nic) return false;
  if (from != DeviceKind::gpu) return true;
  return relay_ && topology_.device(source_).kind == DeviceKind::gpu &&
         is_gpu_link(topology_.link_classes()[link.link_class].kind) &&
         topology_.device(link.to).kind == DeviceKind::gpu;
}

std::int64_t NodePaths::cost(DeviceId to) const {
  const std::int64_t value = cost_[local(to)];
  return value == out_of_reach ? -1 : value;
}

const Route& NodePaths::route(DeviceId to) {
  known_.resize(cost_.size());
  std::optional<Route>& known = known_[local(to)];
  if (!known) known = search(to);
  return *known;
}

Route NodePaths::search(DeviceId to) const {
  if (cost(to) < 0) return {};
  const auto on_shortest = [&](LinkId id) {
    const Link& link = topology_.link(id);
    const std::int64_t before = cost_[local(link.from)];
    return usable(link) && before != out_of_reach &&
           before + link_cost(topology_, id) == cost_[local(link.to)];
  };
  // Back from the destination: the links of all shortest paths, and the devices on them by falling distance.
  std::vector<LinkId> used;
  std::vector<bool> wanted(cost_.size(), false);
  wanted[local(to)] = true;
  std::vector<LinkId> candidates;
  for (LinkId id = range_.first_link; id < range_.first_link + range_.link_count; ++id) {
    if (on_shortest(id)) candidates.push_back(id);
  }
  const auto distance = [&](LinkId id) {
    return cost_[local(topology_.link(id).to)];
  };
  std::ranges::stable_sort(candidates, std::greater{}, distance);
  for (const LinkId id : candidates) {
    if (!wanted[local(topology_.link(id).to)]) continue;
    wanted[local(topology_.link(id).from)] = true;
    used.push_back(id);
  }
  std::ranges::reverse(used);

  // Forward: each device splits what it gets in proportion to the bandwidth of its links on the way.
  std::vector<double> flow(cost_.size(), 0), total(cost_.size(), 0), delay(cost_.size(), 0);
  for (const LinkId id : used) total[local(topology_.link(id).from)] += topology_.bandwidth(id).base();
  flow[local(source_)] = 1;
  Route route;
  route.bandwidth = Bandwidth{std::numeric_limits<double>::infinity()};
  for (const LinkId id : used) {
    const std::size_t from = local(topology_.link(id).from);
    const std::size_t next = local(topology_.link(id).to);
    const double share = flow[from] * topology_.bandwidth(id).base() / total[from];
    flow[next] += share;
    delay[next] = std::max(delay[next], delay[from] + topology_.latency(id).base());
    route.hops.push_back({id, share});
    route.bandwidth = std::min(route.bandwidth, topology_.bandwidth(id) / share);
  }
  route.latency = Duration{delay[local(to)]};
  return route;
}

}  // namespace rackcast
