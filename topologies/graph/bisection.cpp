#include "topologies/graph/bisection.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <deque>
#include <map>

namespace rackcast {
namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using EdgeProperties =
    boost::property<boost::edge_capacity_t, long long,
                    boost::property<boost::edge_residual_capacity_t, long long,
                                    boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>;
using CapacityGraph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, EdgeProperties>;

/// A flow network in bytes per second.
class FlowNetwork {
 public:
  explicit FlowNetwork(std::size_t vertices) : graph_(vertices + 2), source_(vertices), sink_(vertices + 1) {}

  void add(std::size_t from, std::size_t to, Bandwidth rate) {
    const auto forth = boost::add_edge(from, to, graph_).first;
    const auto back = boost::add_edge(to, from, graph_).first;
    boost::put(boost::edge_capacity, graph_, forth, static_cast<long long>(rate.base()));
    boost::put(boost::edge_capacity, graph_, back, 0);
    boost::put(boost::edge_reverse, graph_, forth, back);
    boost::put(boost::edge_reverse, graph_, back, forth);
  }
  [[nodiscard]] std::size_t source() const { return source_; }
  [[nodiscard]] std::size_t sink() const { return sink_; }
  Bandwidth most() {
    return Bandwidth{static_cast<double>(boost::push_relabel_max_flow(graph_, source_, sink_))};
  }

 private:
  CapacityGraph graph_;
  std::size_t source_, sink_;
};

DeviceId first_of_fabric(const Topology& t) {
  const auto& last = t.node(t.nodes() - 1);
  return last.first_device + last.device_count;
}

/// Rates of the nodes' ports by the switch they go to, of the first half and the second.
struct Halves {
  std::map<DeviceId, Bandwidth> first, second;
};

Halves port_rates(const Topology& t) {
  Halves halves;
  const DeviceId fabric = first_of_fabric(t);
  for (int node = 0; node < t.nodes() / 2 * 2; ++node) {
    auto& half = node < t.nodes() / 2 ? halves.first : halves.second;
    for (const DeviceId nic : t.devices_of(node, DeviceKind::nic)) {
      for (const LinkId id : t.out(nic)) {
        if (t.link(id).to >= fabric) half[t.link(id).to] += t.bandwidth(id);
      }
    }
  }
  return halves;
}

Bandwidth of_fabric(const Topology& t) {
  const DeviceId fabric = first_of_fabric(t);
  FlowNetwork network{t.devices().size() - static_cast<std::size_t>(fabric)};
  const auto vertex = [&](DeviceId id) {
    return static_cast<std::size_t>(id - fabric);
  };
  const Halves halves = port_rates(t);
  for (const auto& [at, rate] : halves.first) network.add(network.source(), vertex(at), rate);
  for (const auto& [at, rate] : halves.second) network.add(vertex(at), network.sink(), rate);
  for (LinkId id = 0; id < static_cast<LinkId>(t.links().size()); ++id) {
    const Link& link = t.link(id);
    if (link.from < fabric || link.to < fabric || t.device(link.from).kind == DeviceKind::storage ||
        t.device(link.to).kind == DeviceKind::storage) {
      continue;
    }
    network.add(vertex(link.from), vertex(link.to), t.bandwidth(id));
  }
  return network.most();
}

Bandwidth of_node(const Topology& t) {
  const auto gpus = t.devices_of(0, DeviceKind::gpu);
  if (gpus.size() < 2) return Bandwidth{0};
  FlowNetwork network{t.devices().size()};
  Bandwidth all{0};
  for (const LinkId id : t.out(gpus.front())) all += t.bandwidth(id);
  all = all * static_cast<double>(gpus.size());  // more than a GPU's links carry
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const auto gpu = static_cast<std::size_t>(gpus[i]);
    if (i < gpus.size() / 2) network.add(network.source(), gpu, all);
    if (i >= gpus.size() - gpus.size() / 2) network.add(gpu, network.sink(), all);
  }
  for (LinkId id = 0; id < static_cast<LinkId>(t.links().size()); ++id) {
    network.add(static_cast<std::size_t>(t.link(id).from), static_cast<std::size_t>(t.link(id).to),
                t.bandwidth(id));
  }
  return network.most();
}

/// Links from `root` to the farthest switch that has ports of nodes or servers.
int eccentricity(const Topology& t, DeviceId root, DeviceId fabric, const std::vector<bool>& has_ports) {
  std::vector<int> distance(t.devices().size() - static_cast<std::size_t>(fabric), -1);
  std::deque<DeviceId> open{root};
  distance[static_cast<std::size_t>(root - fabric)] = 0;
  int farthest = 0;
  while (!open.empty()) {
    const DeviceId at = open.front();
    open.pop_front();
    const int here = distance[static_cast<std::size_t>(at - fabric)];
    if (has_ports[static_cast<std::size_t>(at - fabric)]) farthest = std::max(farthest, here);
    for (const LinkId id : t.out(at)) {
      const DeviceId next = t.link(id).to;
      if (next < fabric || t.device(next).kind == DeviceKind::storage) continue;
      int& there = distance[static_cast<std::size_t>(next - fabric)];
      if (there >= 0) continue;
      there = here + 1;
      open.push_back(next);
    }
  }
  return farthest;
}

}  // namespace

Bandwidth bisection_bandwidth(const Topology& topology) {
  if (topology.nodes() == 0) return Bandwidth{0};
  return topology.nodes() == 1 ? of_node(topology) : of_fabric(topology);
}

Bandwidth full_bisection_bandwidth(const Topology& topology) {
  if (topology.nodes() < 2) return Bandwidth{0};
  Bandwidth first{0}, second{0};
  const Halves halves = port_rates(topology);
  for (const auto& [at, rate] : halves.first) first += rate;
  for (const auto& [at, rate] : halves.second) second += rate;
  return std::min(first, second);
}

Diameter network_diameter(const Topology& topology) {
  if (topology.nodes() == 0) return {};
  const DeviceId fabric = first_of_fabric(topology);
  std::vector<bool> has_ports(topology.devices().size() - static_cast<std::size_t>(fabric), false);
  for (const Link& link : topology.links()) {
    const bool end = link.from < fabric || topology.device(link.from).kind == DeviceKind::storage;
    if (link.to >= fabric && end) has_ports[static_cast<std::size_t>(link.to - fabric)] = true;
  }
  std::vector<DeviceId> roots;
  for (std::size_t i = 0; i < has_ports.size(); ++i) {
    if (has_ports[i]) roots.push_back(fabric + static_cast<DeviceId>(i));
  }
  if (roots.empty()) return {};
  constexpr std::size_t most = 512, sample = 64;
  Diameter diameter{0, roots.size() > most};
  const std::size_t step = diameter.sampled ? roots.size() / sample : 1;
  for (std::size_t i = 0; i < roots.size(); i += step)
    diameter.links = std::max(diameter.links, 2 + eccentricity(topology, roots[i], fabric, has_ports));
  return diameter;
}

}  // namespace rackcast
