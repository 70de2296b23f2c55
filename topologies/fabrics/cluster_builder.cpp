#include "topologies/fabrics/cluster_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "sim/base/error.hpp"
#include "topologies/catalog/limits.hpp"
#include "topologies/nodes/node_builder.hpp"

namespace rackcast {
namespace {

class ClusterBuilder {
 public:
  ClusterBuilder(const Topology& node, const FabricPlan& plan, int nodes)
      : node_(node), plan_(plan), nodes_(nodes) {
    assert(nodes >= 1 && nodes <= plan.nodes);
  }

  Topology build() {
    const auto nodes = static_cast<std::size_t>(nodes_);
    builder_.set_routing(plan_.routing);
    builder_.reserve(
        nodes * node_.devices().size() + static_cast<std::size_t>(plan_.switches() + plan_.storage_servers),
        nodes * (node_.links().size() + 2 * static_cast<std::size_t>(plan_.nics)) + 2 * plan_.trunks.size() +
            2 * plan_.storage_leaf.size());
    for (int n = 0; n < nodes_; ++n) builder_.append_node(node_, 0);
    first_switch_ = static_cast<DeviceId>(builder_.device_count());
    for (int i = 0; i < plan_.leaves; ++i) builder_.add_device(DeviceKind::leaf, no_id, i);
    for (int i = 0; i < plan_.spines; ++i) builder_.add_device(DeviceKind::spine, no_id, i);
    for (int i = 0; i < plan_.cores; ++i) builder_.add_device(DeviceKind::core, no_id, i);
    connect_ports();
    connect_switches();
    return std::move(builder_).build();
  }

 private:
  enum Level { leaf, spine, core };

  [[nodiscard]] Level level(int number) const {
    if (number < plan_.leaves) return leaf;
    return number < plan_.leaves + plan_.spines ? spine : core;
  }

  [[nodiscard]] Duration latency(Level of) const {
    if (of == leaf) return *plan_.leaf.latency;
    return of == spine ? *plan_.spine.latency : *plan_.core.latency;
  }

  std::uint16_t with_latency(const LinkSpec& spec, Duration latency, std::string_view suffix) {
    LinkClass link = link_class_of(spec);
    link.latency = latency;
    link.name += suffix;
    return builder_.add_class(link);
  }

  void connect_ports() {
    const Duration half = *plan_.port_link.latency * 0.5;
    const std::uint16_t to_leaf = with_latency(plan_.port_link, half, " to switch");
    const std::uint16_t from_leaf = with_latency(plan_.port_link, half + *plan_.leaf.latency, " from switch");
    const auto attach = [&](DeviceId end, int at) {
      builder_.add_link(end, first_switch_ + at, to_leaf);
      builder_.add_link(first_switch_ + at, end, from_leaf);
    };
    const auto nics = node_.devices_of(0, DeviceKind::nic);
    assert(static_cast<int>(nics.size()) == plan_.nics);
    const auto devices = static_cast<DeviceId>(node_.devices().size());
    std::size_t port = 0;
    for (int n = 0; n < nodes_; ++n) {
      for (const DeviceId nic : nics) attach(n * devices + nic, plan_.node_leaf[port++]);
    }
    port = 0;
    for (int s = 0; s < plan_.storage_servers; ++s) {
      const DeviceId server = builder_.add_device(DeviceKind::storage, no_id, s);
      for (int k = 0; k < plan_.storage_links; ++k) attach(server, plan_.storage_leaf[port++]);
    }
  }

  void connect_switches() {
    constexpr std::array<std::string_view, 3> leaving{" from leaf", " from spine", " from core"};
    std::array<std::array<std::uint16_t, 2>, 3> classes{};
    for (const Level from : {leaf, spine, core}) {
      if (plan_.up > 0) classes[from][0] = with_latency(plan_.trunk_link, latency(from), leaving[from]);
      if (plan_.groups > 1 && plan_.spines > 0)
        classes[from][1] = with_latency(plan_.core_link, latency(from), leaving[from]);
    }
    for (const Trunk& trunk : plan_.trunks) {
      const Level a = level(trunk.a);
      const Level b = level(trunk.b);
      const std::size_t above = a != leaf && b != leaf ? 1 : 0;
      builder_.add_link(first_switch_ + trunk.a, first_switch_ + trunk.b, classes[a][above], trunk.cables);
      builder_.add_link(first_switch_ + trunk.b, first_switch_ + trunk.a, classes[b][above], trunk.cables);
    }
  }

  const Topology& node_;
  const FabricPlan& plan_;
  int nodes_;
  TopologyBuilder builder_;
  DeviceId first_switch_ = 0;
};

}  // namespace

namespace {

/// The graph numbers devices and links with 32 bits.
void check_size(const Topology& node, const FabricPlan& plan, int built) {
  const auto nodes = static_cast<std::int64_t>(built);
  const std::int64_t devices = nodes * static_cast<std::int64_t>(node.devices().size());
  const std::int64_t links = nodes * (static_cast<std::int64_t>(node.links().size()) + 2 * plan.nics) +
                             2 * static_cast<std::int64_t>(plan.trunks.size());
  if (std::max(devices, links) <= limits::devices) return;
  throw Error{fmt::format("{} nodes of {} devices and {} links are too many for one graph", built,
                          node.devices().size(), node.links().size()),
              {},
              fmt::format("all nodes together have at most {} of each", limits::devices)};
}

}  // namespace

Topology build_cluster(const Topology& node, const FabricPlan& plan, int nodes) {
  check_size(node, plan, nodes);
  return ClusterBuilder{node, plan, nodes}.build();
}

Topology build_cluster(const Topology& node, const FabricPlan& plan) {
  return build_cluster(node, plan, plan.nodes);
}

}  // namespace rackcast
