#pragma once
/// Reads and checks the wiring facts of a node; private to node_spec.
#include <optional>

#include "topologies/catalog/spec_reader.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {

/// Fills adjacency, NVSwitches, CPU NVLinks and the link of each kind. `node.gpu` and `node.gpus` are known.
void read_gpu_links(const Catalog& catalog, const SpecReader& reader, NodeSpec& node);

/// Fills sockets, PCIe branches and socket link. Without a "pcie_tree" the GPUs go behind switches of
/// `gpus_per_switch` (0: straight behind the CPUs), split evenly over the sockets. Absent: nobody knows, and
/// all GPUs of a CPU share one link (assumed_wiring.hpp).
void read_host_links(const Catalog& catalog, const SpecReader& reader, std::optional<int> gpus_per_switch,
                     NodeSpec& node);

}  // namespace rackcast
