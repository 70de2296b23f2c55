#include "scenarios/validation/cases/cluster_of_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

#include "scenarios/validation/cases/exchange_of_case.hpp"
#include "scenarios/validation/cases/unpredictable.hpp"
#include "scenarios/validation/settings/machine_table.hpp"
#include "scenarios/validation/settings/usual_settings.hpp"
#include "sim/base/error.hpp"
#include "topologies/fabrics/fabric_plan.hpp"
#include "topologies/fabrics/named_cluster.hpp"

namespace rackcast {
namespace {

using ScenarioDocument = nlohmann::ordered_json;

/// The node of the catalogue that takes any GPU alone.
constexpr const char* one_gpu_node = "workstation";

int whole(const std::optional<double>& value, const char* what, const char* setting) {
  if (!value || !(*value >= 1) || *value > 1e6 || std::floor(*value) != *value)
    throw Unpredictable{fmt::format("{} not stated", what), setting};
  return static_cast<int>(*value);
}

/// The GPUs that the case counts to one node. An NVLink domain of a rack is one node of the graph.
int per_node(const ValidationCase& c) {
  const int gpus = whole(c.system.gpus, "number of GPUs", "gpus");
  if (c.system.intra_node == "nvlink-domain") return std::min(gpus, 72);
  if (c.system.gpus_per_node)
    return std::min(gpus, whole(c.system.gpus_per_node, "GPUs per node", "gpus_per_node"));
  if (c.system.nodes && *c.system.nodes >= 1)
    return std::max(1, gpus / whole(c.system.nodes, "nodes", "gpus_per_node"));
  if (gpus <= 8) return gpus;
  throw Unpredictable{"GPUs per node not stated", "gpus_per_node"};
}

bool is_template(const Catalog& catalog, const std::string& node) {
  return catalog.find("nodes", node).json.find("template") != nullptr;
}

/// Node, GPU and GPUs in the node.
ScenarioDocument box(const Catalog& catalog, const ValidationCase& c, const std::string& node,
                     std::optional<int> gpus = std::nullopt) {
  ScenarioDocument out{{"node", node}};
  const bool open = is_template(catalog, node);
  if (open || node_spec(catalog, node).gpu.id != *c.system.gpu) out["gpu"] = *c.system.gpu;
  if (open && gpus) out["gpus_in_node"] = *gpus;
  return out;
}

ScenarioDocument node_document(const Catalog& catalog, const ValidationCase& c) {
  if (!c.system.gpu) throw Unpredictable{"GPU not stated", "gpu"};
  const std::string &gpu = *c.system.gpu, &inside = c.system.intra_node;
  if (c.system.node) {
    ScenarioDocument out = box(catalog, c, *c.system.node);
    const Json* machine = machine_in(c.system.node_note);
    const Json* peers = machine ? machine->find("peer_to_peer") : nullptr;
    if (peers) out["peer_to_peer"] = peers->boolean();
    return out;
  }
  const int gpus = per_node(c);
  if (const Json* machine = machine_with(inside, gpu)) {
    const bool even = flag_in(*machine, "even").value_or(false);
    const auto count = even ? std::optional{std::max(gpus, 2) + gpus % 2} : std::nullopt;
    return box(catalog, c, machine->require("node").string(), count);
  }
  if (inside == "nvswitch") throw Unpredictable{"no node with NVSwitches is known for \"" + gpu + "\""};
  // "unknown": GPU modules have links, cards have slots.
  if (inside == "unknown" && gpu.find("sxm") != std::string::npos && gpus <= 4)
    return box(catalog, c, "nvlink_mesh_server");
  return box(catalog, c, "pcie_server", std::max(gpus, 2));
}

/// The link between nodes as the case states it. IP over an InfiniBand port has a rate of its own.
std::string stated_link(const ValidationCase& c) {
  const std::string link = text_in(c.system.fabric, "link").value_or("");
  const bool known = !link.empty() && link != "unknown" && link.find('/') == std::string::npos;
  return known && text_in(c.workload.extra, "transport") == "ipoib" ? "ipoib/" + link : link;
}

NodeChoice choice_of(const ScenarioDocument& cluster, const FabricOptions& fabric) {
  NodeChoice out = with_ports({}, fabric);
  out.node = cluster.at("node").get<std::string>();
  if (cluster.contains("gpu")) out.gpu = cluster.at("gpu").get<std::string>();
  if (cluster.contains("gpus_in_node")) out.gpus = cluster.at("gpus_in_node").get<int>();
  return out;
}

/// Ports as the case states them, on a fabric without bottleneck: the case's figure says nothing of its
/// switches.
ScenarioDocument fabric_document(const Catalog& catalog, const ValidationCase& c,
                                 const ScenarioDocument& cluster, const NodeSpec& node, int nodes) {
  const auto link = text_in(c.system.fabric, "link");
  const auto gbit = number_in(c.system.fabric, "gbit_per_s");
  if (!link || (*link == "unknown" && !gbit))
    throw Unpredictable{"fabric between the nodes not stated", "fabric"};
  const bool one_flow = over_sockets(c) && c.workload.gradient_sync != "parameter-server";
  if (!gbit && one_flow && knows_usual(c, "cloud_flow"))
    throw Unpredictable{"rate of a connection in the cloud", "cloud_flow"};
  ScenarioDocument out;
  out["link"] = *link != "unknown" ? stated_link(c) : *gbit > 100 ? "ethernet/gbe400" : "ethernet/gbe100";
  if (gbit) out["link_rate"] = fmt::format("{} Gbit/s", *gbit);
  int ports = node.nics;
  if (const auto stated = number_in(c.system.fabric, "links_per_node"); stated && *stated >= 1) {
    // A node of the graph that stands for a whole NVLink domain has the ports of all its trays.
    const double trays = c.system.intra_node == "nvlink-domain" ? node.gpus / 4.0 : 1;
    ports = static_cast<int>(*stated * trays);
  }
  out["links_per_node"] = std::max(1, ports);
  const FabricOptions options = read_fabric_options(parse_json(out.dump(), c.id));
  const NodeSpec wired = node_spec(catalog, choice_of(cluster, options));
  std::string first;
  for (const std::string leaf : {"", "qm9700", "sn5600", "qm8700", "q3400"}) {
    FabricChoice choice = options.choice;
    choice.leaf_switch = leaf;
    try {
      (void)plan_fabric(catalog, wired, nodes, choice);
    } catch (const Error& e) {
      if (first.empty()) first = e.message();
      continue;
    }
    if (!leaf.empty()) out["switch"] = leaf;
    return out;
  }
  throw Unpredictable{first};
}

/// GPUs of a cluster of the catalogue, node after node, on its own network.
ScenarioDocument part_of_named(const Catalog& catalog, const ValidationCase& c) {
  const NamedCluster named = cluster_of(catalog, *c.system.cluster);
  const int gpus = whole(c.system.gpus, "number of GPUs", "gpus"),
            local = std::min(per_node(c), named.node.gpus);
  ScenarioDocument out{{"named", *c.system.cluster}};
  if (gpus <= local) out["nodes"] = 1;  // one node needs no network
  if (local < named.node.gpus) out["gpus_per_node"] = local;
  out["gpus_per_job"] = gpus;
  return out;
}

}  // namespace

nlohmann::ordered_json plain_number(double value) {
  if (std::floor(value) == value && std::abs(value) < 1e15) return static_cast<std::int64_t>(value);
  return value;
}

nlohmann::ordered_json cluster_document(const Catalog& catalog, const ValidationCase& c) {
  if (c.system.cluster) return part_of_named(catalog, c);
  if (!c.system.gpu) throw Unpredictable{"GPU not stated", "gpu"};
  const bool alone = c.one_gpu() && !c.system.node;
  ScenarioDocument out = alone ? box(catalog, c, one_gpu_node) : node_document(catalog, c);
  const NodeSpec node = node_spec(catalog, choice_of(out, {}));
  const int gpus = whole(c.system.gpus, "number of GPUs", "gpus"), local = per_node(c);
  const int nodes = (gpus + local - 1) / local;
  if (local > node.gpus)
    throw Unpredictable{fmt::format("{} GPUs per node, and {} has {}", local, node.id, node.gpus)};
  if (!knows_gpu_links(c)) out["gpu_links"] = false;
  out["nodes"] = nodes;
  if (nodes > 1 && local < node.gpus) out["gpus_per_node"] = local;
  if (gpus < nodes * (nodes > 1 ? local : node.gpus) || gpus == 1) out["gpus_per_job"] = gpus;
  if (nodes > 1) out["fabric"] = fabric_document(catalog, c, out, node, nodes);
  return out;
}

ClusterSpec cluster_of_case(const Catalog& catalog, const ValidationCase& c) {
  const ScenarioDocument whole_scenario{{"name", c.id},
                                        {"data", {{"samples", 1}}},
                                        {"workloads", ScenarioDocument::array({{{"model", "resnet50"}}})},
                                        {"cluster", cluster_document(catalog, c)}};
  const Json text =
      parse_json(whole_scenario.dump(-1, ' ', false, ScenarioDocument::error_handler_t::replace), c.id);
  return resolve_clusters(read_scenario(text, c.id), catalog).cluster;
}

bool same_machine(const ValidationCase& a, const ValidationCase& b) {
  const auto words = [](const ValidationCase& c) {
    const ValidationCase::System& s = c.system;
    return std::tuple{s.cluster,
                      s.gpu,
                      s.node,
                      s.intra_node,
                      s.node_note,
                      s.gpus,
                      s.gpus_per_node,
                      s.nodes,
                      stated_link(c),
                      number_in(s.fabric, "links_per_node"),
                      number_in(s.fabric, "gbit_per_s")};
  };
  return words(a) == words(b);
}

NodeSpec node_of_case(const Catalog& catalog, const ValidationCase& c) {
  if (c.system.cluster) return cluster_of(catalog, *c.system.cluster).node;
  return node_spec(catalog, choice_of(node_document(catalog, c), {}));
}

}  // namespace rackcast
