#include "models/collectives/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "models/collectives/cluster.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

/// "nvlink/nvlink2" of "nvlink/nvlink2 between baseboards".
std::string_view family_and_name(std::string_view link_class) {
  return link_class.substr(0, link_class.find(' '));
}

bool switched(const Topology& topology) {
  return std::ranges::any_of(topology.devices(),
                             [](const Device& d) { return d.kind == DeviceKind::nvswitch; });
}

/// As the data of links name it.
std::string measured_name(const LinkClass& link, bool nvswitch) {
  std::string name{family_and_name(link.name)};
  if (nvswitch && link.kind == LinkKind::nvlink) name += "+nvswitch";
  return name;
}

}  // namespace

bool between_nodes(LinkKind kind) {
  return kind == LinkKind::infiniband || kind == LinkKind::ethernet || kind == LinkKind::fabric;
}

LinkRates::LinkRates(const Cluster& cluster, double network_efficiency) : topology_{cluster.topology} {
  const bool nvswitch = switched(topology_);
  const ByLink& measured = cluster.comm->links.efficiency;
  for (const LinkClass& link : topology_.link_classes()) {
    const auto own = measured.find(measured_name(link, nvswitch));
    Bandwidth rate = own != measured.end() ? link.raw * own->second : link.achievable;
    if (between_nodes(link.kind)) rate *= network_efficiency;
    by_class_.push_back(rate);
  }
}

Bandwidth LinkRates::of(LinkId id) const {
  const Link& link = topology_.link(id);
  return by_class_[link.link_class] * link.width;
}

bool LinkRates::is_between_nodes(LinkId id) const {
  return between_nodes(topology_.link_classes()[topology_.link(id).link_class].kind);
}

Layout::Layout(const Cluster& cluster, Endpoints endpoints, bool relays)
    : cluster_{cluster},
      endpoints_{endpoints},
      relays_{relays},
      router_{cluster.topology, {.watch = cluster.watch}},
      // Memory of the host between two GPUs costs no peer-to-peer transfer through the bridge.
      loads_{router_, cluster.node.peer_to_peer ? cluster.comm->links.host_bridge_overhead : 1} {
  const Topology& topology = cluster.topology;
  const bool nvswitch = switched(topology);
  for (const LinkClass& link : topology.link_classes()) {
    const auto own = cluster.comm->links.ends.find(measured_name(link, nvswitch));
    if (own != cluster.comm->links.ends.end()) copied_at_ends_ = std::max(copied_at_ends_, own->second);
  }
  std::map<int, std::size_t> place;
  for (const DeviceId gpu : cluster.ranks) {
    const int node = topology.device(gpu).node;
    const DeviceId end = endpoints == Endpoints::hosts ? router_.nearest_cpu(gpu) : gpu;
    const auto [it, fresh] = place.emplace(node, nodes_.size());
    if (fresh) nodes_.emplace_back();
    nodes_[it->second].push_back(static_cast<int>(ends_.size()));
    node_of_.push_back(node);
    ends_.push_back(end);
  }
}

const std::vector<Ring>& Layout::rings() const {
  return relays_ && !cluster_.relayed_rings.empty() ? cluster_.relayed_rings : cluster_.rings;
}

bool Layout::same_node(int a, int b) const {
  return node_of_[static_cast<std::size_t>(a)] == node_of_[static_cast<std::size_t>(b)];
}

double Layout::copied_at_ends(DeviceId from, DeviceId to) const {
  const Topology& topology = cluster_.topology;
  if (!on_gpus() || topology.device(from).node != topology.device(to).node) return 0;
  const bool joined = std::ranges::any_of(topology.out(from), [&](LinkId id) {
    const LinkKind kind = topology.class_of(id).kind;
    const DeviceId other = topology.link(id).to;
    return (kind == LinkKind::nvlink || kind == LinkKind::xgmi) &&
           (other == to || topology.device(other).kind == DeviceKind::nvswitch);
  });
  return joined ? copied_at_ends_ : 0;
}

void Layout::send(int from, int to, double bytes, std::optional<double> at_ends) {
  if (end(from) == end(to)) return;
  bytes += at_ends.value_or(bytes / 2) * copied_at_ends(end(from), end(to));
  if (on_gpus() && !same_node(from, to)) {
    // Channels of the library go out through all adapters next to a GPU, in even parts.
    const NearDevices out = router_.nearest_nics(end(from)), in = router_.nearest_nics(end(to));
    if (out.size() > 1 && out.size() == in.size()) {
      for (std::size_t i = 0; i < out.size(); ++i) {
        RouteChoice choice;
        choice.from_nic = out[i];
        choice.to_nic = in[i];
        load(end(from), end(to), bytes / static_cast<double>(out.size()), choice);
      }
      return;
    }
  }
  load(end(from), end(to), bytes);
}

CollectiveStage Layout::stage(const HopCount& hops) {
  CollectiveStage out;
  out.hops = hops;
  out.pattern = loads_.take();
  return out;
}

void refuse_operation(std::string_view algorithm, Collective operation) {
  throw Error{fmt::format("the algorithm \"{}\" has no {}", algorithm, to_string(operation)),
              {},
              "\"ring\" and \"pairwise\" do every operation between them"};
}

}  // namespace rackcast
