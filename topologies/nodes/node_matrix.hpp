#pragma once
/// Matrix of the connections among the GPUs and adapters of a node, in the words of `nvidia-smi topo -m`.
#include <string>
#include <vector>

#include "topologies/graph/graph.hpp"

namespace rackcast {

struct NodeMatrix {
  std::vector<DeviceId> devices;                ///< GPUs, then adapters
  std::vector<std::string> names;               ///< "GPU0", "NIC1"
  std::vector<std::vector<std::string>> cells;  ///< devices x devices
  std::vector<int> cpu;                         ///< nearest CPU of each device
};

/// X itself; NV# that many NVLinks, directly or through NVSwitches; XGMI# likewise; PIX one PCIe switch; PXB
/// several; PHB the CPU's only host bridge (sockets joined by QPI, single sockets); NODE between host bridges
/// of one CPU (later sockets have several); SYS the link between CPUs; -- no way but NVLink or the network.
NodeMatrix node_matrix(const Topology& topology, int node = 0);

/// Whether an adapter of the node shares a PCIe switch with a GPU (PIX or PXB), so that data between them
/// need not pass a CPU.
bool adapter_beside_gpu(const Topology& topology, int node = 0);

/// The matrix as nvidia-smi prints it, with CPU affinity (cores of a socket, counted on from socket to
/// socket; the number of the CPU where `cores` is 0) and a legend of the words in it. Where it would be wider
/// than `width` its columns stand closer, and those that still find no room follow below.
std::string to_text(const NodeMatrix& matrix, int sockets, int cores, int width = 240);

}  // namespace rackcast
