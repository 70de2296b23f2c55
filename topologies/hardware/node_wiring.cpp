#include "topologies/hardware/node_wiring.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topologies/catalog/limits.hpp"

namespace rackcast {
namespace {

/// A whole number in [0, below).
int index_below(const Json& json, int below, std::string_view what) {
  const std::int64_t value = json.integer();
  if (value < 0 || value >= below)
    json.fail(fmt::format("there is no {} {}; there are {}", what, value, below));
  return static_cast<int>(value);
}

std::vector<std::vector<int>> read_adjacency(const Fact& fact, int gpus) {
  const auto& rows = fact.value().array();
  if (static_cast<int>(rows.size()) != gpus) {
    fact.value().fail(fmt::format("\"{}\" has {} rows for {} GPUs", fact.key(), rows.size(), gpus));
  }
  std::vector<std::vector<int>> out;
  for (const Json& row : rows) {
    if (static_cast<int>(row.array().size()) != gpus) row.fail("the matrix must be square");
    auto& cells = out.emplace_back();
    for (const Json& cell : row.array()) cells.push_back(index_below(cell, 64, "number of links"));
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i][i] != 0) rows[i].fail(fmt::format("GPU {} cannot be linked to itself", i));
    for (std::size_t j = 0; j < i; ++j) {
      if (out[i][j] != out[j][i])
        rows[i].fail(fmt::format("GPUs {} and {} must have as many links either way", i, j));
    }
  }
  return out;
}

int degree(const std::vector<int>& row) {
  int sum = 0;
  for (const int links : row) sum += links;
  return sum;
}

LinkSpec nvlink_of(const Catalog& catalog, const SpecReader& reader, const NodeSpec& node) {
  if (!node.gpu.nvlink_generation) {
    throw Error{fmt::format("{} has NVLink wiring, and {} has no NVLink", node.id, node.gpu.id),
                Where{reader.entry().file, 0, 0, "/gpu_id", ""},
                "choose an SXM GPU, or a node with PCIe switches such as pcie_server"};
  }
  return link_spec(catalog, fmt::format("nvlink/nvlink{}", **node.gpu.nvlink_generation));
}

/// Links between AMD GPUs are known by the GPU that they join.
LinkSpec xgmi_of(const Catalog& catalog, const SpecReader& reader, const NodeSpec& node) {
  try {
    return link_spec(catalog, fmt::format("xgmi/{}", node.gpu.id));
  } catch (const Error& e) {
    throw Error{
        e.message(), Where{reader.entry().file, 0, 0, "/facts/xgmi_adjacency", ""},
        fmt::format("the links of a GPU have its name: `rackcast init link -o links/my_links.json` in "
                    "your catalogue's folder, with \"family\": \"xgmi\" and \"{}\" under \"facts\" "
                    "with \"link_gb_per_s_per_direction\"",
                    node.gpu.id)};
  }
}

void check_degree(const SpecReader& reader, const NodeSpec& node) {
  const int links = value_or(node.gpu.nvlink_links, 0);
  for (std::size_t gpu = 0; gpu < node.adjacency.size(); ++gpu) {
    int used = degree(node.adjacency[gpu]);
    for (const CpuGpuNvlink& cpu : node.cpu_nvlinks) {
      if (cpu.gpu == static_cast<int>(gpu)) used += cpu.links;
    }
    if (used > links) {
      throw Error{fmt::format("GPU {} of {} is wired with {} links, and {} has {}", gpu, node.id, used,
                              node.gpu.id, links),
                  Where{reader.entry().file, 0, 0, "/facts/nvlink_adjacency", ""}};
    }
  }
}

void read_cpu_nvlinks(const SpecReader& reader, NodeSpec& node, int sockets) {
  const Fact* fact = reader.entry().find("nvlink_cpu_links");
  if (!fact) return;
  for (const Json& item : fact->value().array()) {
    ObjectReader row{item};
    CpuGpuNvlink link;
    link.cpu = index_below(row.require("cpu"), sockets, "CPU");
    link.gpu = index_below(row.require("gpu"), node.gpus, "GPU");
    link.links = static_cast<int>(row.integer("links", 1, 64));
    row.finish();
    node.cpu_nvlinks.push_back(link);
  }
  LinkSpec one = *node.gpu_link;
  if (const auto total = reader.quantity<Bandwidth>("nvlink_cpu_gpu_gb_per_s_per_direction")) {
    const double efficiency = one.achievable.value / one.raw.value;
    one.raw = *total;
    if (node.cpu_nvlinks.empty())
      fact->value().fail("no GPU has a link to a CPU in this list", "leave it out");
    one.raw.value /= node.cpu_nvlinks.front().links;
    one.achievable = one.raw;
    one.achievable.value *= efficiency;  // no separate measurement: that of GPU-GPU links of the generation
  }
  node.cpu_nvlink = one;
}

}  // namespace

void read_gpu_links(const Catalog& catalog, const SpecReader& reader, NodeSpec& node) {
  const CatalogEntry& entry = reader.entry();
  const int sockets = value_or(reader.count("cpu_sockets", 1, limits::sockets), 1);
  if (const Fact* fact = entry.find("nvlink_adjacency")) {
    node.adjacency = read_adjacency(*fact, node.gpus);
    node.gpu_link = nvlink_of(catalog, reader, node);
  } else if (const Fact* xgmi = entry.find("xgmi_adjacency")) {
    node.adjacency = read_adjacency(*xgmi, node.gpus);
    node.gpu_link = xgmi_of(catalog, reader, node);
  } else if (const auto switches = reader.count("nvswitch_count", 1, limits::nvswitches)) {
    node.nvswitches = **switches;
    node.nvswitch_baseboards = value_or(reader.count("nvswitch_baseboards", 1, limits::nvswitches), 1);
    node.gpu_link = nvlink_of(catalog, reader, node);
    if (node.nvswitches % node.nvswitch_baseboards != 0 || node.gpus % node.nvswitch_baseboards != 0) {
      throw Error{fmt::format("GPUs and NVSwitches of {} do not split evenly over {} baseboards", node.id,
                              node.nvswitch_baseboards),
                  Where{entry.file, 0, 0, "/facts/nvswitch_baseboards", ""}};
    }
    const SpecReader chip{catalog.find("switches", "nvswitch1")};
    node.nvswitch_latency = chip.quantity<Duration>("latency_ns");
  }
  if (node.gpu_link) read_cpu_nvlinks(reader, node, sockets);
  if (node.gpu_link && node.gpu_link->family == "nvlink") check_degree(reader, node);
}

namespace {

std::vector<PcieBranch> read_tree(const Fact& fact, int gpus, int sockets) {
  std::vector<PcieBranch> tree;
  std::vector<bool> placed(static_cast<std::size_t>(gpus), false);
  if (fact.value().array().size() > limits::pcie_branches)
    fact.value().fail(fmt::format("a node has at most {} places on PCIe", limits::pcie_branches));
  for (const Json& item : fact.value().array()) {
    ObjectReader row{item};
    PcieBranch& branch = tree.emplace_back();
    const Json& name = row.require("switch");
    if (!name.is_null()) {
      if (std::ranges::find(tree, name.string(), &PcieBranch::switch_name) != tree.end())
        name.fail(fmt::format("the switch \"{}\" stands in the list already", name.string()));
      branch.switch_name = name.string();
    }
    branch.cpu = index_below(row.require("cpu"), sockets, "CPU");
    if (const Json* parent = row.find("parent")) {
      branch.parent = parent->string();
      const auto above = std::ranges::find(tree, branch.parent, &PcieBranch::switch_name);
      if (branch.switch_name.empty() || branch.parent.empty() || above >= tree.end() - 1 ||
          above->cpu != branch.cpu) {
        parent->fail("the switch above must stand earlier in the list, at the same CPU");
      }
    }
    for (const Json& gpu : row.require("gpus").array()) {
      const int index = index_below(gpu, gpus, "GPU");
      if (placed[static_cast<std::size_t>(index)])
        gpu.fail(fmt::format("GPU {} stands in two places", index));
      placed[static_cast<std::size_t>(index)] = true;
      branch.gpus.push_back(index);
    }
    branch.nics = static_cast<int>(row.require("nics").array().size());
    row.finish();
  }
  const auto missing = std::ranges::find(placed, false);
  if (missing != placed.end())
    fact.value().fail(fmt::format("GPU {} has no place", missing - placed.begin()));
  return tree;
}

std::vector<PcieBranch> default_tree(int gpus, int sockets, int per_switch) {
  std::vector<PcieBranch> tree;
  const int size = per_switch > 0 ? per_switch : std::max(1, (gpus + sockets - 1) / sockets);
  const int branches = (gpus + size - 1) / size;
  for (int b = 0; b < branches; ++b) {
    PcieBranch branch;
    if (per_switch > 0) branch.switch_name = fmt::format("plx{}", b);
    branch.cpu = b * sockets / branches;
    for (int gpu = b * size; gpu < std::min(gpus, (b + 1) * size); ++gpu) branch.gpus.push_back(gpu);
    tree.push_back(std::move(branch));
  }
  return tree;
}

}  // namespace

void read_host_links(const Catalog& catalog, const SpecReader& reader,
                     const std::optional<TemplateRule>& rule, NodeSpec& node) {
  node.sockets = value_or(reader.count("cpu_sockets", 1, limits::sockets), 1);
  if (const Fact* fact = reader.entry().find("pcie_peer_to_peer"))
    node.peer_to_peer = fact->value().boolean();
  if (const Fact* fact = reader.entry().find("pcie_tree")) {
    node.pcie = read_tree(*fact, node.gpus, node.sockets);
  } else {
    // With NVLink to its CPU, a GPU is on no PCIe switch.
    const bool on_nvlink = static_cast<int>(node.cpu_nvlinks.size()) >= node.gpus;
    const int all = on_nvlink || node.gpus < 2 ? 0 : (node.gpus + node.sockets - 1) / node.sockets;
    node.pcie = default_tree(node.gpus, node.sockets, rule ? rule->gpus_per_switch : all);
    if (!rule && all > 0) node.peer_to_peer = false;
  }
  const bool host_of_gpu = rule && rule->host_of_gpu;
  const auto host = host_of_gpu ? std::nullopt : reader.count("pcie_generation", 1, 100);
  const int gpu_generation = value_or(node.gpu.pcie_generation, host ? **host : 3);
  int generation = host ? std::min(gpu_generation, **host) : gpu_generation;
  // Where every GPU has NVLink to its CPU, only the adapters are on PCIe.
  if (host && static_cast<int>(node.cpu_nvlinks.size()) == node.gpus) generation = **host;
  node.pcie_link = pcie_spec(catalog, generation, value_or(node.gpu.pcie_lanes, 16));
  const SpecReader pcie{catalog.find("links", "pcie")};
  node.pcie_switch_latency =
      pcie.require(pcie.quantity<Duration>("switch_latency_ns"), "switch_latency_ns").value;
  auto name = reader.text("inter_socket_link");
  if (const std::string& link = node.gpu.line.server_socket_link; host_of_gpu && name && !link.empty())
    name->value = link;
  // More than two CPUs need not see each other (one Grace per pair of GPUs of an NVL72); two always do.
  if (node.sockets == 2) (void)reader.require(name, "inter_socket_link");
  if (node.sockets > 1 && name) node.socket_link = link_spec(catalog, "socket_links/" + name->value);
}

}  // namespace rackcast
