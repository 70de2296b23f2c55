#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "scenarios/listings/table_writer.hpp"
#include "scenarios/listings/topology_view.hpp"
#include "sim/units/quantity_text.hpp"
#include "topologies/graph/bisection.hpp"
#include "topologies/graph/connectivity.hpp"

namespace rackcast {
namespace {

struct Findings {
  std::vector<std::string> verdict;
  TextTable figures{"Figures", {{"what", false}, {"value", true}, {"meaning", false}}, {}};
  TextTable failures{"Single points of failure",
                     {{"device", false}, {"count", true}, {"for example", false}, {"meaning", false}},
                     {}};

  void figure(std::string what, std::string value, std::string meaning) {
    figures.rows.push_back({std::move(what), std::move(value), std::move(meaning)});
  }
};

/// The most nodes that one switch's failure cuts off.
int nodes_lost_with_a_leaf(const FabricPlan& plan) {
  std::map<int, int> alone;
  for (int node = 0; node < plan.nodes; ++node) {
    std::set<int> leaves;
    for (int nic = 0; nic < plan.nics; ++nic)
      leaves.insert(plan.node_leaf[static_cast<std::size_t>(node * plan.nics + nic)]);
    if (leaves.size() == 1) ++alone[*leaves.begin()];
  }
  int most = 0;
  for (const auto& [leaf, nodes] : alone) most = std::max(most, nodes);
  return most;
}

void check_network(const Topology& t, const FabricPlan& plan, Findings& out) {
  const Bandwidth bisection = bisection_bandwidth(t);
  const Bandwidth full = full_bisection_bandwidth(t);
  const double share = full > Bandwidth{0} ? bisection / full : 1;
  out.figure(
      "bisection bandwidth", to_text(bisection),
      fmt::format("first half of the nodes to the second, one direction; {:.0f} % of what their ports carry",
                  100 * share));
  out.figure("oversubscription", fmt::format("{:.3g} : 1", plan.oversubscription()),
             "node ports of the fullest leaf over its uplinks");
  const Diameter diameter = network_diameter(t);
  out.figure("diameter", fmt::format("{}{} links", diameter.sampled ? "at least " : "", diameter.links),
             fmt::format("{} switches between the farthest adapters", diameter.links - 1));
  out.figure(
      "free ports",
      fmt::format("{} / {} / {}", plan.free_leaf_ports(), plan.free_spine_ports(), plan.free_core_ports()),
      "of leaves / spines / cores");
  out.verdict.push_back(
      share > 0.995
          ? "Full bisection: any half of the nodes can send to the other half at the rate of its ports."
          : fmt::format("Half of the nodes can send to the other half at {:.0f} % of the rate of "
                        "their ports.",
                        100 * share));
  const int lost = nodes_lost_with_a_leaf(plan);
  out.verdict.push_back(lost > 0 ? fmt::format("A failed leaf cuts off {} of {} nodes.", lost, plan.nodes)
                                 : "No single leaf cuts off a node: the ports of each go to several leaves.");
  if (plan.spines > 0) {
    const int spines = plan.spines_per_group > 0 ? plan.spines_per_group : plan.spines;
    out.verdict.push_back(
        fmt::format("A failed spine takes {:.3g} % of its leaves' uplinks.", 100.0 / spines));
  }
  if (plan.leaves > 0 && plan.free_leaf_ports() > plan.nics)
    out.verdict.push_back(fmt::format("{} leaf ports are free for growth.", plan.free_leaf_ports()));
}

void check_node(const Topology& t, const NodeSpec& node, Findings& out) {
  const Bandwidth bisection = bisection_bandwidth(t);
  out.figure("GPU bisection", to_text(bisection),
             "first half of the GPUs to the others, NVLink and PCIe together");
  if (node.gpus >= 2) {
    const Bandwidth each = bisection / std::max(1, node.gpus / 2);
    out.verdict.push_back(fmt::format("Each GPU can send {} to the other half of the node.", to_text(each)));
  }
  const int has = value_or(node.gpu.nvlink_links, 0);
  if (has > 0) {
    int least = has;
    for (const DeviceId gpu : t.devices_of(0, DeviceKind::gpu)) {
      int used = 0;
      for (const LinkId id : t.out(gpu))
        used += t.class_of(id).kind == LinkKind::nvlink ? t.link(id).width : 0;
      least = std::min(least, used);
    }
    out.figure("NVLinks in use", fmt::format("{} of {}", least, has), "of the GPU with the fewest");
    if (least < has) out.verdict.push_back(fmt::format("{} NVLinks of a GPU lead nowhere.", has - least));
  }
  Bandwidth network{0};
  if (node.nic_link) network = node.nic_link->achievable.value * node.nics;
  out.figure("network ports", fmt::format("{}", node.nics), to_text(network) + " together");
}

void check_failures(const Topology& t, Findings& out) {
  std::map<DeviceKind, std::vector<DeviceId>> points;
  for (const DeviceId id : single_points_of_failure(t)) points[t.device(id).kind].push_back(id);
  for (const auto& [kind, ids] : points) {
    const bool inside = t.device(ids.front()).node != no_id;
    out.failures.rows.push_back({std::string{to_string(kind)}, fmt::format("{}", ids.size()),
                                 t.name(ids.front()),
                                 inside ? "its loss parts devices of a node" : "its loss parts nodes"});
  }
  if (points.empty()) out.verdict.emplace_back("No single device's loss parts the others.");
}

}  // namespace

std::string check_topology(const Catalog& catalog, const TopologyTarget& target) {
  const Topology t = topology_of(catalog, target);
  Findings findings;
  if (target.is_cluster) {
    check_network(t, plan_of(catalog, target), findings);
  } else {
    check_node(t, target.node, findings);
  }
  check_failures(t, findings);
  TextTable verdict{"Verdict", {{"", false}}, {}};
  for (std::string& sentence : findings.verdict) verdict.rows.push_back({std::move(sentence)});
  return table_document(target.title, is_connected(t) ? "connected" : "NOT connected",
                        {std::move(verdict), findings.figures, findings.failures});
}

}  // namespace rackcast
