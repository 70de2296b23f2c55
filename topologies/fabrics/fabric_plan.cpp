#include "topologies/fabrics/fabric_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/base/error.hpp"
#include "sim/base/near_matches.hpp"
#include "topologies/catalog/limits.hpp"
#include "topologies/fabrics/gang.hpp"
#include "topologies/fabrics/shapes.hpp"

namespace rackcast {
namespace {

constexpr std::array<FabricKind, 6> kinds{{
    {"single_switch", "one switch for all ports", fabrics::plan_single_switch},
    {"two_level", "fat tree of leaves and spines", fabrics::plan_two_level},
    {"three_level", "fat tree of pods of leaves and spines, and cores", fabrics::plan_three_level},
    {"dragonfly_plus", "groups of leaves and spines, every group joined to every other",
     fabrics::plan_dragonfly_plus},
    {"torus_2d", "switches with nodes, joined to four neighbours", fabrics::plan_torus_2d},
    {"torus_3d", "switches with nodes, joined to six neighbours", fabrics::plan_torus_3d},
}};
constexpr std::array<std::string_view, 3> rail_names{"by_node", "by_rail", "separate"};
constexpr std::array<std::string_view, 3> routing_names{"dmodk", "ecmp", "adaptive"};

using limits::most_of_a_kind;
/// Of one storage system. Summit's file system takes 205 ports of EDR, Frontier's 400 of 200 Gbit/s.
constexpr int most_storage_ports = 4096;

/// How switches of that technology route unless they are told otherwise.
FabricRouting usual_routing(const LinkSpec& port) {
  const bool ethernet = port.family == "ethernet" || port.family == "tcp";
  return ethernet ? FabricRouting::ecmp : FabricRouting::destination_mod;
}

void check(const NodeSpec& node, int nodes, const FabricChoice& choice) {
  if (nodes < 1 || nodes > limits::nodes)
    throw Error{fmt::format("a cluster has 1 to {} nodes, not {}", limits::nodes, nodes)};
  if (node.nics < 1 || !node.nic_link) {
    throw Error{fmt::format("the node \"{}\" has no known network ports", node.id),
                {},
                "say how many and which, for example nics: 1, nic_link: \"edr\""};
  }
  if (static_cast<std::int64_t>(nodes) * node.nics > limits::node_ports) {
    throw Error{fmt::format("{} nodes of {} network ports have more than {} ports", nodes, node.nics,
                            limits::node_ports)};
  }
  for (const double ratio : {choice.oversubscription, choice.core_oversubscription}) {
    if (!(ratio >= 1) || ratio > 64)
      throw Error{fmt::format("an oversubscription lies between 1 and 64, not {}", ratio)};
  }
  if (choice.storage_servers < 0 || choice.storage_servers > most_of_a_kind)
    throw Error{fmt::format("a fabric has 0 to {} storage servers", most_of_a_kind)};
  if (choice.storage_links < 1 || choice.storage_links > most_storage_ports) {
    throw Error{fmt::format("the storage reads through more than {} network ports of the nodes' rate",
                            most_storage_ports),
                {},
                R"(take faster ports, for example "fabric": {"link": "hdr"}, or a smaller array)"};
  }
  if (choice.leaves_per_group < 0 || choice.nodes_per_group < 0 ||
      (choice.nodes_per_group > 0 && choice.rails == RailPlan::by_rail)) {
    throw Error{"a group of leaves cannot be less than empty, and rails set the number of its nodes"};
  }
  if (choice.torus.size() > 3 ||
      std::ranges::any_of(choice.torus, [](int n) { return n < 1 || n > most_of_a_kind; })) {
    throw Error{fmt::format("a torus has two or three sides of 1 to {} switches", most_of_a_kind)};
  }
}

/// The switch named, or else those that fit the ports, smallest first, none of more than twice the rate
/// needed.
std::vector<SwitchSpec> leaf_candidates(const Catalog& catalog, const NodeSpec& node,
                                        const FabricChoice& choice) {
  if (!choice.leaf_switch.empty()) return {switch_spec(catalog, choice.leaf_switch)};
  auto fitting = switches_for(catalog, *node.nic_link);
  if (fitting.empty()) {
    throw Error{fmt::format("no switch of the catalogue takes ports of {}", node.nic_link->id),
                {},
                "name a leaf_switch"};
  }
  const bool free_choice = choice.kind.empty() && choice.spine_switch.empty() && choice.core_switch.empty();
  if (!free_choice) return {fitting.front()};
  const Bandwidth most = std::max(*fitting.front().port_rate, *node.nic_link->raw * 2.1);
  std::erase_if(fitting, [most](const SwitchSpec& s) { return *s.port_rate > most; });
  return fitting;
}

/// The switch named, or else the leaf and the larger ones of its fabric.
std::vector<SwitchSpec> candidates(const Catalog& catalog, const SwitchSpec& leaf, const NodeSpec& node,
                                   const std::string& named) {
  if (!named.empty()) return {switch_spec(catalog, named)};
  std::vector<SwitchSpec> out{leaf};
  for (SwitchSpec& other : switches_for(catalog, *node.nic_link)) {
    if (other.fabric == leaf.fabric && *other.ports > *leaf.ports) out.push_back(std::move(other));
  }
  return out;
}

/// One network for the nodes' ports.
FabricPlan plan_plane(const FabricRequest& request, const FabricPlan& start) {
  const auto automatic = std::span{kinds}.first(3);
  const auto tried =
      request.choice.kind.empty() ? automatic : std::span{&fabric_kind(request.choice.kind), 1};
  std::string why;
  for (const FabricKind& kind : tried) {
    FabricPlan plan = start;
    plan.kind = kind.name;
    why = kind.plan(request, plan);
    if (why.empty() && std::max({plan.leaves, plan.spines, plan.cores}) > most_of_a_kind)
      why = fmt::format("a level of {} has more than {} switches", kind.name, most_of_a_kind);
    if (why.empty()) return plan;
  }
  throw Error{
      why,
      {},
      "use fewer ports per node, larger switches, or more \"down_ports\" with a higher oversubscription",
      ErrorKind::infeasible};
}

/// Refuses more ports down than the largest of the leaves has in all; keeps those that have them.
std::vector<SwitchSpec> with_ports_down(std::vector<SwitchSpec> leaves, const FabricChoice& choice) {
  const SwitchSpec largest =
      *std::ranges::max_element(leaves, {}, [](const SwitchSpec& leaf) { return *leaf.ports; });
  std::erase_if(leaves, [&](const SwitchSpec& leaf) { return choice.down_ports > *leaf.ports; });
  if (leaves.empty())
    throw Error{fmt::format("{} ports of a leaf are asked for nodes and storage; {} has {} ports",
                            choice.down_ports, largest.id, *largest.ports),
                choice.down_ports_where.where,
                "state fewer \"down_ports\", or 0 for as many as without oversubscription; or name a larger "
                "\"switch\""};
  return leaves;
}

/// The number of a plane's switch among those of all planes: leaves of all planes come first, then all
/// spines.
struct PlaneNumbering {
  const FabricPlan& one;
  int planes;

  [[nodiscard]] int number(int plane, int id) const {
    if (id < one.leaves) return plane * one.leaves + id;
    if (id < one.leaves + one.spines) return planes * one.leaves + plane * one.spines + id - one.leaves;
    return planes * (one.leaves + one.spines) + plane * one.cores + id - one.leaves - one.spines;
  }
};

/// Copies a network for one port of each node once for every port. A storage server is in all of them.
FabricPlan replicated(const FabricPlan& one, int planes) {
  if (static_cast<std::int64_t>(planes) * std::max({one.leaves, one.spines, one.cores}) > most_of_a_kind) {
    throw Error{
        fmt::format("{} separate networks have more than {} switches of a level", planes, most_of_a_kind),
        {},
        "use fewer ports per node, larger switches or rails that are joined",
        ErrorKind::infeasible};
  }
  FabricPlan all = one;
  const PlaneNumbering numbering{one, planes};
  all.planes = planes;
  all.nics = planes;
  all.storage_links *= planes;
  all.leaves *= planes;
  all.spines *= planes;
  all.cores *= planes;
  all.node_leaf.clear();
  all.storage_leaf.clear();
  all.trunks.clear();
  for (const int leaf : one.node_leaf) {
    for (int p = 0; p < planes; ++p) all.node_leaf.push_back(numbering.number(p, leaf));
  }
  for (const int leaf : one.storage_leaf) {
    for (int p = 0; p < planes; ++p) all.storage_leaf.push_back(numbering.number(p, leaf));
  }
  for (int p = 0; p < planes; ++p) {
    for (const Trunk& t : one.trunks)
      all.trunks.push_back({numbering.number(p, t.a), numbering.number(p, t.b), t.cables});
  }
  return all;
}

/// Ports of the switches [first, first + count) that trunks use.
int trunk_ports(const FabricPlan& plan, int first, int count) {
  int used = 0;
  for (const Trunk& t : plan.trunks) {
    if (t.a >= first && t.a < first + count) used += t.cables;
    if (t.b >= first && t.b < first + count) used += t.cables;
  }
  return used;
}

}  // namespace

std::string_view to_string(RailPlan rails) {
  return rail_names[static_cast<std::size_t>(rails)];
}

RailPlan parse_rail_plan(std::string_view name) {
  const auto found = std::ranges::find(rail_names, name);
  if (found != rail_names.end()) return static_cast<RailPlan>(found - rail_names.begin());
  throw Error{fmt::format("there is no way \"{}\" to lay rails", name),
              {},
              fmt::format("known: {}", fmt::join(rail_names, ", "))};
}

std::string_view to_string(FabricRouting routing) {
  return routing_names.at(static_cast<std::size_t>(routing));
}

FabricRouting parse_routing(std::string_view name) {
  const auto found = std::ranges::find(routing_names, name);
  if (found != routing_names.end()) return static_cast<FabricRouting>(found - routing_names.begin());
  throw Error{fmt::format("unknown routing \"{}\"", name),
              {},
              fmt::format("known: {}", fmt::join(routing_names, ", "))};
}

std::span<const FabricKind> fabric_kinds() {
  return kinds;
}

const FabricKind& fabric_kind(std::string_view name) {
  std::vector<std::string> names;
  for (const FabricKind& kind : kinds) {
    if (kind.name == name) return kind;
    names.emplace_back(kind.name);
  }
  throw Error{
      fmt::format("there is no fabric \"{}\"", name), {}, fmt::format("kinds: {}", fmt::join(names, ", "))};
}

int FabricPlan::trunk_cables() const {
  int cables = 0;
  for (const Trunk& trunk : trunks) cables += trunk.cables;
  return cables;
}

int FabricPlan::free_leaf_ports() const {
  return leaves * *leaf.ports - node_cables() - storage_cables() - trunk_ports(*this, 0, leaves);
}

int FabricPlan::free_spine_ports() const {
  return spines == 0 ? 0 : spines * *spine.ports - trunk_ports(*this, leaves, spines);
}

int FabricPlan::free_core_ports() const {
  return cores == 0 ? 0 : cores * *core.ports - trunk_ports(*this, leaves + spines, cores);
}

double FabricPlan::oversubscription() const {
  if (up == 0) return 1;
  std::vector<int> used(static_cast<std::size_t>(leaves), 0);
  for (const int leaf_index : node_leaf) ++used[static_cast<std::size_t>(leaf_index)];
  for (const int leaf_index : storage_leaf) ++used[static_cast<std::size_t>(leaf_index)];
  return *std::ranges::max_element(used) * (*port_link.raw / *trunk_link.raw) / up;
}

FabricPlan plan_fabric(const Catalog& catalog, const NodeSpec& node, int nodes, const FabricChoice& choice) {
  check(node, nodes, choice);
  const bool planes = choice.rails == RailPlan::separate && node.nics > 1;
  FabricPlan plan;
  plan.nodes = choice.gang.empty() ? nodes : choice.gang_of;
  plan.nics = planes ? 1 : node.nics;
  plan.storage_servers = choice.storage_servers;
  plan.storage_links = planes ? (choice.storage_links + node.nics - 1) / node.nics : choice.storage_links;
  plan.rails = choice.rails;
  plan.routing = choice.routing.value_or(usual_routing(*node.nic_link));
  plan.port_link = *node.nic_link;
  const auto leaves = with_ports_down(leaf_candidates(catalog, node, choice), choice);
  for (const SwitchSpec& leaf : leaves) {
    plan.leaf = leaf;
    const FabricRequest request{catalog, choice, candidates(catalog, leaf, node, choice.spine_switch),
                                candidates(catalog, leaf, node, choice.core_switch)};
    try {
      plan = plan_plane(request, plan);
      break;
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::infeasible || &leaf == &leaves.back()) throw;
    }
  }
  if (!choice.gang.empty()) plan = fabrics::part_of_gang(plan, choice.gang);
  if (plan.nodes != nodes)
    throw Error{fmt::format("{} nodes lie on leaves, {} are asked for", plan.nodes, nodes)};
  return planes ? replicated(plan, node.nics) : plan;
}

}  // namespace rackcast
