#include "scenarios/validation/cases/cluster_of_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "models/data_files.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "sim/base/error.hpp"
#include "topologies/fabrics/named_cluster.hpp"
#include "topologies/hardware/switch_spec.hpp"

namespace rackcast {
namespace {

int whole(const std::optional<double>& value, const char* what) {
  if (!value || !(*value >= 1) || *value > 1e6 || std::floor(*value) != *value)
    throw Unpredictable{fmt::format("{} not stated", what)};
  return static_cast<int>(*value);
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// The GPUs that the case counts to one node. An NVLink domain of a rack is one node of the graph.
int per_node(const ValidationCase& c) {
  const int gpus = whole(c.system.gpus, "number of GPUs");
  if (c.system.intra_node == "nvlink-domain") return std::min(gpus, 72);
  if (c.system.gpus_per_node) return std::min(gpus, whole(c.system.gpus_per_node, "GPUs per node"));
  if (c.system.nodes && *c.system.nodes >= 1) return std::max(1, gpus / whole(c.system.nodes, "nodes"));
  if (gpus <= 8) return gpus;
  throw Unpredictable{"GPUs per node not stated"};
}

/// A server with a socket for every four GPUs, wired as asked.
NodeSpec server(const Catalog& catalog, const std::string& gpu, int gpus) {
  NodeSpec node = node_spec(catalog, {.node = "pcie_server", .gpu = gpu, .gpus = std::max(gpus, 2)});
  // The slots are of the cards' generation.
  node.pcie_link =
      pcie_spec(catalog, value_or(node.gpu.pcie_generation, 3), value_or(node.gpu.pcie_lanes, 16));
  if (const std::string& link = node.gpu.line.server_socket_link; !link.empty())
    node.socket_link = link_spec(catalog, "socket_links/" + link);
  return node;
}

/// Of the GPUs of an architecture that have links; 0 where none has.
int link_generation(const Catalog& catalog, const std::string& architecture) {
  for (const std::string& id : catalog.ids("gpus")) {
    const GpuSpec gpu = gpu_spec(catalog, id);
    if (gpu.architecture == architecture && gpu.nvlink_generation) return gpu.nvlink_generation->value;
  }
  return 0;
}

/// All NVLinks of each GPU spread evenly over the others (a mesh), or to one partner (pairs with a bridge).
NodeSpec direct(const Catalog& catalog, const std::string& gpu, int gpus, bool pairs) {
  NodeSpec node = server(catalog, gpu, gpus);
  const GpuSpec& g = node.gpu;
  int links = value_or(g.nvlink_links, 0);
  std::string link = g.nvlink_generation ? fmt::format("nvlink/nvlink{}", **g.nvlink_generation) : "";
  if (links == 0 && g.bridge_per_direction) {
    // PCIe cards with bridges: as many links of the generation of their sisters as make the bridge's rate.
    link = fmt::format("nvlink/nvlink{}", link_generation(catalog, g.architecture));
    links = static_cast<int>(std::lround(**g.bridge_per_direction / *link_spec(catalog, link).raw));
  }
  if (links == 0 || link.empty()) throw Unpredictable{"NVLinks of \"" + gpu + "\" are not known"};
  const auto n = static_cast<std::size_t>(node.gpus);
  node.adjacency.assign(n, std::vector<int>(n, 0));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      if (!pairs) node.adjacency[i][j] = std::max(1, links / static_cast<int>(n - 1));
      if (pairs && i / 2 == j / 2) node.adjacency[i][j] = links;
    }
  }
  node.gpu_link = link_spec(catalog, link);
  if (!pairs) {
    // Modules that are wired to each other have a port of the host each, and so have the adapters.
    node.pcie.clear();
    for (int i = 0; i < node.gpus; ++i)
      node.pcie.push_back({fmt::format("port{}", i), i * node.sockets / node.gpus, {i}, 0});
  }
  return node;
}

/// Ten GPUs behind one CPU, two switches of five, as the case describes it.
NodeSpec one_root(const Catalog& catalog, const std::string& gpu) {
  NodeSpec node = node_spec(catalog, {.node = "pcie_server", .gpu = gpu, .gpus = 10});
  node.sockets = 1;
  node.socket_link.reset();
  node.pcie = {{"plx0", 0, {0, 1, 2, 3, 4}, 1}, {"plx1", 0, {5, 6, 7, 8, 9}, 0}};
  return node;
}

constexpr std::string_view two_roots = "two PCIe switches per socket, two GPUs per switch";

/// DeepBench's servers of eight GPUs behind two CPUs. Rank and device have one number there
/// (nccl_mpi_all_reduce.cu), so two ranks share a switch, and yet the P100s of such a server, whose rows are
/// not judged, reach the half of an uplink, 6 GB/s, with two, four and eight GPUs: their data go through the
/// memory of the host.
NodeSpec two_root(const Catalog& catalog, const std::string& gpu) {
  return node_spec(catalog, {.node = "svail_titanx8", .gpu = gpu, .peer_to_peer = false});
}

/// The node of the catalogue that has the wiring which a source names, by the beginning of the GPU's name.
std::optional<std::string> box_of(const std::string& wiring, const std::string& gpu) {
  static const Json file = parse_model_data("benchmarks/servers.json");
  const Json* boxes = file.require("wirings").find(wiring);
  if (!boxes) return std::nullopt;
  for (const Json& box : boxes->array())
    if (gpu.starts_with(box.require("gpu").string())) return box.require("node").string();
  return std::nullopt;
}

NodeSpec named(const Catalog& catalog, const std::string& node, const std::string& gpu) {
  const std::string own = node_spec(catalog, node).gpu.id;
  return node_spec(catalog, {.node = node, .gpu = own == gpu ? std::string{} : gpu});
}

NodeSpec node_of(const Catalog& catalog, const ValidationCase& c) {
  if (!c.system.gpu) throw Unpredictable{"GPU not stated"};
  const std::string& gpu = *c.system.gpu;
  const std::string& inside = c.system.intra_node;
  if (contains(c.system.node_note, two_roots)) return two_root(catalog, gpu);
  if (c.system.node) return named(catalog, *c.system.node, gpu);
  const int gpus = per_node(c);
  if (contains(c.system.node_note, "one CPU root")) return one_root(catalog, gpu);
  if (const auto box = box_of(inside, gpu)) return named(catalog, *box, gpu);
  if (inside == "nvswitch") throw Unpredictable{"no node with NVSwitches is known for \"" + gpu + "\""};
  if (inside == "nvlink-mesh") return direct(catalog, gpu, 4, false);
  if (inside == "nvlink-pairs") return direct(catalog, gpu, std::max(gpus, 2) + gpus % 2, true);
  // "unknown": GPU modules have links, cards have slots.
  if (inside == "unknown" && contains(gpu, "sxm") && gpus <= 4) return direct(catalog, gpu, 4, false);
  return server(catalog, gpu, gpus);
}

/// TensorFlow before 1.4 came with NCCL 1, which knows PCIe alone (Tartan, IISWC 2018: 7.7 GB/s on a DGX-1).
bool has_nccl_without_nvlink(const ValidationCase& c) {
  return c.workload.framework == "tensorflow" && c.workload.gradient_sync == "nccl-allreduce" &&
         (c.workload.framework_version.starts_with("1.0") ||
          c.workload.framework_version.starts_with("1.1 ") ||
          c.workload.framework_version.starts_with("1.2") || c.workload.framework_version.starts_with("1.3"));
}

/// The link between nodes as the case states it. IP over an InfiniBand port has a rate of its own.
std::string stated_link(const ValidationCase& c) {
  const std::string link = text_in(c.system.fabric, "link").value_or("");
  const bool known = !link.empty() && link != "unknown" && link.find('/') == std::string::npos;
  return known && text_in(c.workload.extra, "transport") == "ipoib" ? "ipoib/" + link : link;
}

/// Ports as the case states them.
void set_ports(const Catalog& catalog, const ValidationCase& c, NodeSpec& node) {
  const Json& fabric = c.system.fabric;
  const auto link = text_in(fabric, "link");
  const auto gbit = number_in(fabric, "gbit_per_s");
  if (!link || (*link == "unknown" && !gbit)) throw Unpredictable{"fabric between the nodes not stated"};
  if (*link == "unknown") {
    node.nic_link = link_spec(catalog, *gbit > 100 ? "ethernet/gbe400" : "ethernet/gbe100");
  } else {
    node.nic_link = link_spec(catalog, stated_link(c));
  }
  if (gbit) {
    const double factor = *gbit * 1e9 / 8 / node.nic_link->raw.value.base();
    node.nic_link->raw.value *= factor;
    node.nic_link->achievable.value *= factor;
  }
  node.nic_kind = stated_link(c);
  if (const auto ports = number_in(fabric, "links_per_node")) {
    // A node of the graph that stands for a whole NVLink domain has the ports of all its trays.
    const double trays = c.system.intra_node == "nvlink-domain" ? node.gpus / 4.0 : 1;
    if (*ports >= 1) node.nics = static_cast<int>(*ports * trays);
  }
  if (node.nics < 1) node.nics = 1;
  // More adapters than the box has places for: the same number at each place.
  int places = 0;
  for (const PcieBranch& branch : node.pcie) places += branch.nics;
  if (places > 0 && node.nics > places && node.nics % places == 0) {
    for (PcieBranch& branch : node.pcie) branch.nics *= node.nics / places;
  }
  // Fewer adapters than GPUs with a port of the host each have ports of their own.
  const bool port_each = std::ranges::all_of(
      node.pcie, [](const PcieBranch& b) { return b.gpus.size() == 1 && b.nics == 1 && b.parent.empty(); });
  if (port_each && node.nics < static_cast<int>(node.pcie.size())) {
    for (PcieBranch& branch : node.pcie) branch.nics = 0;
  }
}

/// A fabric without bottleneck: the case's figure says nothing of its switches.
Cluster connect(const Catalog& catalog, const NodeSpec& node, ClusterShape shape,
                const std::shared_ptr<const CommData>& comm) {
  std::string first;
  for (const std::string leaf : {"", "qm9700", "sn5600", "qm8700", "q3400"}) {
    shape.fabric.leaf_switch = leaf;
    try {
      return make_cluster(catalog, node, shape, comm);
    } catch (const Error& e) {
      if (first.empty()) first = e.message();
    }
  }
  throw Unpredictable{first};
}

/// GPUs of a cluster of the catalogue, node after node, on its own network.
Cluster part_of_named(const Catalog& catalog, const ValidationCase& c, std::shared_ptr<const CommData> comm) {
  const NamedCluster named = cluster_of(catalog, *c.system.cluster);
  ClusterShape shape;
  shape.nodes = named.nodes;
  shape.gpus = whole(c.system.gpus, "number of GPUs");
  shape.gpus_per_node = std::min(per_node(c), named.node.gpus);
  // One node needs no network.
  if (*shape.gpus <= *shape.gpus_per_node) shape.nodes = 1;
  if (shape.nodes > 1) shape.fabric = named.fabric.choice;
  return make_cluster(catalog, named.node, shape, std::move(comm));
}

}  // namespace

std::string cluster_key(const ValidationCase& c) {
  const Json& fabric = c.system.fabric;
  return fmt::format(
      "{}/{}/{}/{}/{}/{}/{}/{}/{}/{}/{}", c.system.cluster.value_or(""), c.system.gpu.value_or(""),
      c.system.node.value_or(""), c.system.intra_node, c.system.gpus.value_or(0),
      c.system.gpus_per_node.value_or(0), c.system.nodes.value_or(0), stated_link(c),
      number_in(fabric, "links_per_node").value_or(0), number_in(fabric, "gbit_per_s").value_or(0),
      100 * contains(c.system.node_note, two_roots) + 10 * contains(c.system.node_note, "one CPU root") +
          has_nccl_without_nvlink(c));
}

Cluster cluster_of_case(const Catalog& catalog, const ValidationCase& c,
                        std::shared_ptr<const CommData> comm) {
  if (c.system.cluster) return part_of_named(catalog, c, std::move(comm));
  NodeSpec node = node_of(catalog, c);
  if (has_nccl_without_nvlink(c)) {
    node.adjacency.clear();
    node.gpu_link.reset();
  }
  ClusterShape shape;
  const int gpus = whole(c.system.gpus, "number of GPUs");
  const int local = per_node(c);
  shape.nodes = (gpus + local - 1) / local;
  shape.gpus_per_node = local;
  shape.gpus = gpus;
  if (local > node.gpus)
    throw Unpredictable{fmt::format("{} GPUs per node, and {} has {}", local, node.id, node.gpus)};
  if (shape.nodes == 1) {
    node.nics = 0;  // its network plays no part
    return make_cluster(catalog, node, shape, std::move(comm));
  }
  set_ports(catalog, c, node);
  return connect(catalog, node, shape, comm);
}

}  // namespace rackcast
