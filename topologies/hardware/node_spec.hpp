#pragma once
/// A node type of the catalogue as typed values.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/units/quantity.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/catalog/known.hpp"
#include "topologies/hardware/gpu_spec.hpp"
#include "topologies/hardware/link_spec.hpp"

namespace rackcast {

/// A node type with the choices that a scenario may make. A template such as "workstation" or "pcie_server"
/// has no GPU of its own: the choice names one. Other nodes may be given another GPU that fits their NVLink
/// wiring.
struct NodeChoice {
  std::string node;              ///< id, name or alias
  std::string gpu = {};          ///< empty: the node's own
  std::optional<int> gpus = {};  ///< OS-visible GPUs; only templates can differ from their own count
  /// Ports towards the compute fabric. More than the box has places for stand in equal numbers at each place;
  /// of fewer than GPUs that have a port of the host each, each has a port of the host of its own.
  std::optional<int> nics = {};
  std::string nic_link = {};               ///< "edr", "gbe25": replaces the ports' rate
  std::optional<Bandwidth> nic_rate = {};  ///< data rate of one port, where it is not that of its link
  std::optional<bool> peer_to_peer = {};   ///< replaces NodeSpec::peer_to_peer
  bool gpu_links = true;                   ///< false: direct links between GPUs are not used (NCCL 1)
};

/// GPUs and network ports behind one PCIe switch, or (switch_name empty) straight behind a CPU.
struct PcieBranch {
  std::string switch_name;
  int cpu = 0;
  std::vector<int> gpus;
  int nics = 0;             ///< places for network adapters here
  std::string parent = {};  ///< the switch above, named earlier; empty: the CPU
};

struct CpuGpuNvlink {
  int cpu = 0, gpu = 0, links = 0;
};

struct NodeSpec {
  std::string id, name;
  std::string listed_as;  ///< what the catalogue finds it by: its id, or the path of a file of the user's own
  GpuSpec gpu;            ///< per OS-visible GPU
  int gpus = 0;           ///< OS-visible
  int boards = 0;         ///< what is bought: gpus / gpu.per_board

  // Wiring. GPU numbers are those of the operating system.
  std::vector<std::vector<int>> adjacency;  ///< direct NVLink or xGMI links between GPUs i and j; empty: none
  std::optional<LinkSpec> gpu_link;         ///< one NVLink or xGMI link
  int nvswitches = 0;                       ///< 0: none
  int nvswitch_baseboards = 1;              ///< GPUs and switches split evenly over these
  Maybe<Duration> nvswitch_latency;
  std::vector<CpuGpuNvlink> cpu_nvlinks;
  std::optional<LinkSpec> cpu_nvlink;  ///< one of the links that cpu_nvlinks count
  std::vector<PcieBranch> pcie;
  LinkSpec pcie_link;  ///< x16 of the slower of node and GPU
  /// Whether a PCIe switch passes data between its own devices. If false, all data go through the host's
  /// memory, and the devices of a switch share its link to the CPU. The catalogue's fact `pcie_peer_to_peer`;
  /// true where the catalogue does not state it.
  bool peer_to_peer = true;
  Duration pcie_switch_latency{0};
  int sockets = 1;
  std::optional<LinkSpec> socket_link;  ///< present if there are two or more sockets

  // Network ports towards the compute fabric.
  int nics = 0;
  std::optional<LinkSpec> nic_link;  ///< of one port
  std::string nic_kind;              ///< "InfiniBand EDR / 100GbE ConnectX-4"

  Maybe<std::string> cpu_model;
  Maybe<int> cpu_cores;  ///< physical cores of all sockets
  Maybe<Bytes> dram;
  Maybe<Bytes> ssd;           ///< all local data drives together
  Maybe<Bandwidth> ssd_read;  ///< all local data drives together
  Maybe<double> rack_units;   ///< of 44.45 mm (Open Rack units converted)
  Maybe<Power> max_power, typical_power, idle_power;
  Maybe<Mass> weight;
  Maybe<Money> price;
};

/// Throws Error on an unknown name, a template without a GPU, a GPU that does not fit, an impossible count,
/// or an ill-formed wiring (adjacency not square or not symmetric, a GPU named twice or not at all).
NodeSpec node_spec(const Catalog& catalog, const NodeChoice& choice);
NodeSpec node_spec(const Catalog& catalog, std::string_view node);

}  // namespace rackcast
