#pragma once
/// Fabric plan: the numbers of switches and cables of the network of a cluster, before any graph is built.
///
/// Every shape (topologies/fabrics/, one file each) fills in the same plan: leaves with the ports of nodes
/// and storage, further switches, and a list of the cable bundles between switches. A machine that fits one
/// switch gets one.
#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/error.hpp"
#include "topologies/graph/graph.hpp"
#include "topologies/hardware/node_spec.hpp"
#include "topologies/hardware/switch_spec.hpp"

namespace rackcast {

enum class RailPlan {
  by_node,   ///< the ports of a node go to one leaf
  by_rail,   ///< port i of every node goes to the leaves of rail i, which the spines join ("rail-optimized")
  separate,  ///< port i of every node has a network of its own, without a cable to the others ("rails")
};
std::string_view to_string(RailPlan);
/// "by_node", "by_rail" or "separate"; Error with the known ones.
RailPlan parse_rail_plan(std::string_view name);

std::string_view to_string(FabricRouting);
/// "dmodk", "ecmp" or "adaptive"; Error with the known ones.
FabricRouting parse_routing(std::string_view name);

/// The number of nodes that one job has on each leaf of each pod. A tree of two levels is one pod.
using Gang = std::vector<std::vector<int>>;

/// Where an input states something, for error messages. Compares equal always: the place is not part of a
/// choice.
struct StatedAt {
  Where where = {};
  friend std::strong_ordering operator<=>(const StatedAt&, const StatedAt&) {
    return std::strong_ordering::equal;
  }
  friend bool operator==(const StatedAt&, const StatedAt&) { return true; }
};

struct FabricChoice {
  std::string leaf_switch = {};  ///< catalogue id; empty: the slowest, smallest that fits the ports
  std::string spine_switch =
      {};                       ///< empty: as the leaf, or the smallest of the same fabric with enough ports
  double oversubscription = 1;  ///< bandwidth of a leaf's node ports over that of its uplinks, at most
  /// Ports of a leaf for nodes and storage, at most. 0: as many as without oversubscription, so that a higher
  /// ratio takes uplinks away and moves no node to another leaf.
  int down_ports = 0;
  StatedAt down_ports_where = {};
  RailPlan rails = RailPlan::by_node;
  std::optional<FabricRouting> routing = {};  ///< absent: ecmp for Ethernet ports, else destination_mod
  int storage_servers = 0;
  int storage_links = 1;  ///< ports of one storage server, of the nodes' rate

  /// A name of fabric_kinds(); empty: the first of single_switch, two_level and three_level that is enough.
  std::string kind = {};
  std::string core_switch = {};  ///< three_level; empty: found like the spine
  double core_oversubscription =
      1;  ///< three_level: bandwidth of a spine's leaf ports over that of its uplinks
  /// three_level, dragonfly_plus: at most; 0: as many as the spines take without oversubscription of the core
  int leaves_per_group = 0;
  int nodes_per_group = 0;      ///< the same; 0: as many as the leaves take; not with by_rail
  std::vector<int> torus = {};  ///< switches per dimension; empty: as cubic as the number of nodes allows
  /// One job's part of a fat tree of `gang_of` nodes (topologies/fabrics/gang.hpp). Empty: the nodes have the
  /// network to themselves.
  Gang gang = {};
  int gang_of = 0;
  friend std::partial_ordering operator<=>(const FabricChoice&, const FabricChoice&) = default;
};

/// Parallel cables between two switches. Switches count leaves first, then spines, then cores.
struct Trunk {
  int a = 0, b = 0, cables = 0;
};

struct FabricPlan {
  std::string kind = "single_switch";
  int nodes = 0, nics = 0;  ///< ports per node
  int storage_servers = 0, storage_links = 0;
  RailPlan rails = RailPlan::by_node;
  FabricRouting routing = FabricRouting::destination_mod;

  SwitchSpec leaf, spine, core;  ///< spine and core are unused if their number is 0
  int leaves = 0, spines = 0, cores = 0;
  int down = 0, up = 0;      ///< ports of a leaf for nodes and storage, and for other switches
  int uplinks_per_pair = 0;  ///< cables between one leaf and one spine that are joined
  int planes = 1;            ///< separate networks
  int groups = 1;            ///< pods of a three-level tree, groups of a dragonfly+, per plane
  int leaves_per_group = 0, spines_per_group = 0;  ///< 0: one group
  std::vector<int> torus;  ///< switches per dimension, slowest-varying first; empty: no torus
  LinkSpec port_link;      ///< node to leaf
  LinkSpec trunk_link;     ///< leaf to spine, or between switches of one level
  LinkSpec core_link;      ///< spine to core, or spine to spine of another group

  /// Leaf of port `nic` of `node` at node_leaf[node * nics + nic], of link k of storage server s at
  /// storage_leaf[s * storage_links + k].
  std::vector<int> node_leaf, storage_leaf;
  std::vector<Trunk> trunks;

  [[nodiscard]] int switches() const { return leaves + spines + cores; }
  [[nodiscard]] int node_cables() const { return nodes * nics; }
  [[nodiscard]] int storage_cables() const { return storage_servers * storage_links; }
  [[nodiscard]] int trunk_cables() const;  ///< all cables between switches
  [[nodiscard]] int free_leaf_ports() const;
  [[nodiscard]] int free_spine_ports() const;
  [[nodiscard]] int free_core_ports() const;
  /// The most loaded leaf's connected node and storage bandwidth over that of its uplinks; 1 for one switch.
  [[nodiscard]] double oversubscription() const;
};

/// What a shape is planned from.
struct FabricRequest {
  const Catalog& catalog;
  const FabricChoice& choice;
  std::vector<SwitchSpec> spines, cores;  ///< to try, in order
};

/// One shape: fills in a plan that has nodes, ports, storage and the leaf switch. Returns an empty text, or
/// why it does not reach all ports.
struct FabricKind {
  std::string_view name, help;
  std::string (*plan)(const FabricRequest& request, FabricPlan& plan);
};
std::span<const FabricKind> fabric_kinds();
/// Error with the known ones.
const FabricKind& fabric_kind(std::string_view name);

/// Throws Error if the node has no ports, a number is out of range, the kind is unknown, or no switch of the
/// catalogue is large enough (kind infeasible).
FabricPlan plan_fabric(const Catalog& catalog, const NodeSpec& node, int nodes,
                       const FabricChoice& choice = {});

}  // namespace rackcast
