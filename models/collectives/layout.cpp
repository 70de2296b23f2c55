#include "models/collectives/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "models/cluster.hpp"
#include "models/data_files.hpp"
#include "sim/error.hpp"

namespace rackcast {
namespace {

struct Measured {
  std::string link;
  double efficiency = 1;
};

const std::vector<Measured>& measured_efficiencies() {
  static const std::vector<Measured> all = [] {
    std::vector<Measured> out;
    const Json file = parse_model_data("collectives/links.json");
    const Json& links = file.require("efficiency");
    for (const auto& [name, entry] : links.object()) {
      const Json* other = entry.find("as");
      const Json& numbers = other ? links.require(other->string()) : entry;
      out.push_back({name, numbers.require("value").number()});
    }
    return out;
  }();
  return all;
}

/// "nvlink/nvlink2" of "nvlink/nvlink2 between baseboards".
std::string_view family_and_name(std::string_view link_class) {
  return link_class.substr(0, link_class.find(' '));
}

double bridge_overhead() {
  return parse_model_data("collectives/links.json").require("host_bridge_overhead").require("value").number();
}

bool switched(const Topology& topology) {
  return std::ranges::any_of(topology.devices(),
                             [](const Device& d) { return d.kind == DeviceKind::nvswitch; });
}

}  // namespace

bool between_nodes(LinkKind kind) {
  return kind == LinkKind::infiniband || kind == LinkKind::ethernet || kind == LinkKind::fabric;
}

LinkRates::LinkRates(const Topology& topology, double network_efficiency) : topology_{topology} {
  const bool nvswitch = switched(topology);
  for (const LinkClass& link : topology.link_classes()) {
    std::string name{family_and_name(link.name)};
    if (nvswitch && link.kind == LinkKind::nvlink) name += "+nvswitch";
    Bandwidth rate = link.achievable;
    for (const Measured& m : measured_efficiencies())
      if (m.link == name) rate = link.raw * m.efficiency;
    if (between_nodes(link.kind)) rate *= network_efficiency;
    by_class_.push_back(rate);
  }
}

Bandwidth LinkRates::of(LinkId id) const {
  const Link& link = topology_.link(id);
  return by_class_[link.link_class] * link.width;
}

Layout::Layout(const Cluster& cluster, Endpoints endpoints, bool relays)
    : cluster_{cluster},
      endpoints_{endpoints},
      relays_{relays},
      router_{cluster.topology},
      // Memory of the host between two GPUs costs no peer-to-peer transfer through the bridge.
      loads_{router_, cluster.node.peer_to_peer ? bridge_overhead() : 1} {
  const Topology& topology = cluster.topology;
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

void Layout::send(int from, int to, double bytes) {
  if (end(from) == end(to)) return;
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
