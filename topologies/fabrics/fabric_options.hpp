#pragma once
/// Options of a network and of the ports of a node, as a scenario or the entry of a named cluster states
/// them.
#include <compare>
#include <optional>
#include <string>

#include "topologies/fabrics/fabric_plan.hpp"

namespace rackcast {

class Json;

struct FabricOptions {
  FabricChoice choice;
  std::optional<int> links_per_node = {};  ///< ports of a node towards this network; absent: the node's own
  std::string link = {};  ///< of these ports, such as "edr", "gbe25", "ipoib/edr"; empty: the node's own
  std::optional<Bandwidth> link_rate = {};  ///< of one of them, where it is not that of the link

  // What a scenario says of the node itself, beside the network and not in it.
  /// Overrides what the catalogue says of the node's PCIe switches (NodeSpec::peer_to_peer).
  std::optional<bool> peer_to_peer = {};
  std::optional<int> gpus_in_node = {};  ///< of a template
  bool gpu_links = true;                 ///< NodeChoice::gpu_links

  /// The same shape for another kind of node: without switches, ports and sizes that belong to this one.
  [[nodiscard]] FabricOptions for_another_node() const;
  friend std::partial_ordering operator<=>(const FabricOptions&, const FabricOptions&) = default;
};

/// Reads {kind, switch, spine_switch, core_switch, oversubscription, down_ports, core_oversubscription,
/// rails, routing, torus, leaves_per_group, nodes_per_group, links_per_node, link, link_rate}, all optional.
/// Throws Error at the place of an unknown member, kind or rail plan, or a number out of range. Names of
/// hardware are resolved later.
FabricOptions read_fabric_options(const Json& json);

}  // namespace rackcast
