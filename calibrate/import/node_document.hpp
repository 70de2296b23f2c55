#pragma once
/// The facts that importers find about a machine, and the node template that is made of them. It has the form
/// of topologies/data/nodes, so a scenario can name the file as its "node".
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "calibrate/import/importers.hpp"

namespace rackcast {

/// A PCIe switch and the devices below it; with an empty name, the devices attached directly to a CPU.
struct ImportedBranch {
  std::string name;
  int cpu = 0;
  std::vector<int> gpus;
  int nics = 0;
  std::string parent = {};  ///< name of the switch above, which stands earlier in the list
};

/// A machine as the file describes it. Zero and empty members: the file does not state them.
struct ImportedNode {
  std::string gpu_id;  ///< of the catalogue
  int gpus = 0;        ///< as the operating system counts them
  int gpus_per_board = 1;
  int sockets = 0;
  int cores = 0;
  double memory_bytes = 0;
  std::string cpu_model, socket_link;  ///< product name; key of links/socket_links
  int pcie_generation = 0;
  std::vector<std::vector<int>> nvlinks;  ///< between GPUs
  int nvswitch_links = 0;                 ///< links of each GPU to NVSwitches
  std::vector<ImportedBranch> branches;
  int nics = 0;  ///< ports
  double nic_gbit = 0;
  bool nic_is_infiniband = false;
};

/// The most GPUs, CPUs or adapters that an import takes: the limit of a node of the catalogue.
inline constexpr int most_devices = 1024;

/// Adds "node" to the document, warns of what is missing and of every assumption. `tool` names the source of
/// each fact: "nvidia-smi topo -m".
void add_node(ImportedNode node, const std::string& tool, ImportOutput& out);

/// The key of links/socket_links for CPUs of this name; empty if it tells nothing.
std::string socket_link_of(std::string_view cpu_model);

}  // namespace rackcast
