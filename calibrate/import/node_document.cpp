#include "calibrate/import/node_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace rackcast {
namespace {

using nlohmann::ordered_json;

/// Facts with the tool as their source.
class Facts {
 public:
  explicit Facts(std::string tool) : tool_{std::move(tool)} {}

  void read(const char* key, ordered_json value, const char* unit) {
    facts_[key] = {
        {"value", std::move(value)}, {"unit", unit}, {"source", tool_}, {"confidence", "verified"}};
  }
  void assume(const char* key, ordered_json value, const char* unit, const std::string& why) {
    facts_[key] = {{"value", std::move(value)}, {"unit", unit}, {"source", why}, {"confidence", "memory"}};
  }
  ordered_json take() { return std::move(facts_); }

 private:
  std::string tool_;
  ordered_json facts_ = ordered_json::object();
};

/// NVSwitches of the baseboards that exist, by links of a GPU: HGX-2 (6 links, 6 switches on each of two
/// boards of 8), HGX A100 (12, 6), HGX H100 and B200 (18, 4 and 2). Rates do not depend on it: a GPU reaches
/// every other with all its links.
void add_switches(const ImportedNode& node, Facts& facts, ImportOutput& out) {
  const bool two_boards = node.nvswitch_links == 6 && node.gpus == 16;
  const int switches = two_boards ? 12 : node.nvswitch_links == 18 ? 4 : 6;
  const std::string why = "assumed: the usual baseboard for this number of links; the file does not say";
  facts.assume("nvswitch_count", switches, "switches", why);
  if (two_boards) facts.assume("nvswitch_baseboards", 2, "baseboards", why);
  out.warnings.push_back(fmt::format(
      "every GPU has {} NVLinks to switches; {} NVSwitches are assumed (the rate between GPUs does "
      "not depend on it)",
      node.nvswitch_links, switches));
}

void add_tree(const ImportedNode& node, Facts& facts) {
  if (node.branches.empty()) return;
  ordered_json tree = ordered_json::array();
  int nic = 0;
  for (const ImportedBranch& branch : node.branches) {
    ordered_json row;
    row["switch"] = branch.name.empty() ? ordered_json(nullptr) : ordered_json(branch.name);
    row["cpu"] = branch.cpu;
    if (!branch.parent.empty()) row["parent"] = branch.parent;
    row["gpus"] = branch.gpus;
    row["nics"] = ordered_json::array();
    for (int i = 0; i < branch.nics; ++i) row["nics"].push_back(fmt::format("nic{}", nic++));
    tree.push_back(row);
  }
  facts.read("pcie_tree", tree, "list of PCIe switches");
}

void add_sockets(const ImportedNode& node, Facts& facts, ImportOutput& out) {
  if (node.sockets == 0) {
    out.warnings.emplace_back("the file does not say how many CPUs there are: one is assumed");
    return;
  }
  facts.read("cpu_sockets", node.sockets, "sockets");
  if (node.sockets < 2) return;
  if (!node.socket_link.empty()) {
    facts.assume("inter_socket_link", node.socket_link, "key of links/socket_links",
                 "assumed from the name of the CPU");
    return;
  }
  facts.assume("inter_socket_link", "upi_skylake", "key of links/socket_links",
               "assumed: the file does not name the CPU");
  out.warnings.emplace_back(
      "the link between the CPUs is not in the file: that of Intel's Skylake is assumed; edit "
      "\"inter_socket_link\" if it is another");
}

void add_adapters(const ImportedNode& node, Facts& facts, ImportOutput& out) {
  if (node.nics == 0) {
    out.warnings.emplace_back(
        "no network adapters found: a scenario with several nodes must say \"fabric\": {\"link\": \"edr\", "
        "\"links_per_node\": 4}");
    return;
  }
  if (node.nic_gbit <= 0) {
    out.warnings.push_back(
        fmt::format("{} network adapters found, but not their rate: a scenario with several nodes must say "
                    "\"fabric\": {{\"link\": \"edr\", \"links_per_node\": {}}}",
                    node.nics, node.nics));
    return;
  }
  const std::string kind = node.nic_is_infiniband ? "InfiniBand" : "Ethernet";
  facts.read("nics_compute", {{"count", node.nics}, {"gbit_per_s_per_port", node.nic_gbit}, {"kind", kind}},
             "NICs");
}

bool has_direct_links(const ImportedNode& node) {
  return std::ranges::any_of(node.nvlinks, [](const std::vector<int>& row) {
    return std::ranges::any_of(row, [](int links) { return links > 0; });
  });
}

}  // namespace

std::string socket_link_of(std::string_view cpu_model) {
  const auto has = [&](std::string_view part) {
    return cpu_model.find(part) != std::string_view::npos;
  };
  if (has("EPYC") || has("AMD")) return "amd_infinity";
  if (has("POWER9")) return "power9_xbus";
  if (has(" v3") || has(" v4")) return "qpi_broadwell";
  for (const std::string_view line : {"Platinum ", "Gold ", "Silver ", "Bronze "}) {
    const std::size_t at = cpu_model.find(line);
    if (at == std::string_view::npos || at + line.size() + 1 >= cpu_model.size()) continue;
    // The second digit is the generation: Skylake and Cascade Lake, then Ice Lake, Sapphire and Emerald
    // Rapids.
    const char generation = cpu_model[at + line.size() + 1];
    if (generation == '4') return "upi_sapphire_rapids";
    if (generation == '5') return "upi_emerald_rapids";
    return "upi_skylake";
  }
  return {};
}

void add_node(ImportedNode node, const std::string& tool, ImportOutput& out) {
  Facts facts{tool};
  add_sockets(node, facts, out);
  if (!node.cpu_model.empty()) facts.read("cpu_model", node.cpu_model, "text");
  if (node.cores > 0) facts.read("cpu_cores_total", node.cores, "cores");
  if (node.memory_bytes > 0) facts.read("dram_gib", std::round(node.memory_bytes / (1 << 30)), "GiB");
  if (node.pcie_generation > 0) facts.read("pcie_generation", node.pcie_generation, "generation");
  std::string interconnect = "PCIe";
  if (node.nvswitch_links > 0) {
    interconnect = fmt::format("NVSwitch, {} NVLinks per GPU", node.nvswitch_links);
    add_switches(node, facts, out);
  } else if (has_direct_links(node)) {
    interconnect = "NVLink";
    facts.read("nvlink_adjacency", node.nvlinks, "links between GPU i and j");
  }
  add_tree(node, facts);
  add_adapters(node, facts, out);
  if (node.gpu_id.empty()) {
    out.warnings.emplace_back(
        "the file does not say which GPU it is: a scenario that names this file as its node must give "
        "\"gpu\" as well");
  }
  ordered_json json{
      {"name", fmt::format("Imported node with {} GPU{}", node.gpus, node.gpus == 1 ? "" : "s")}};
  json["gpu_id"] = node.gpu_id.empty() ? ordered_json(nullptr) : ordered_json(node.gpu_id);
  json["gpu_count"] = std::max(1, node.gpus / std::max(1, node.gpus_per_board));
  json["interconnect"] = interconnect;
  json["facts"] = facts.take();
  out.body["node"] = json;
  if (out.summary.empty())
    out.summary = fmt::format("a node with {} GPUs ({}), {}, {} adapters", node.gpus,
                              node.gpu_id.empty() ? "kind not known" : node.gpu_id, interconnect, node.nics);
}

}  // namespace rackcast
