#pragma once
/// A node as a graph with its true wiring.
#include "topologies/graph/graph.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {

/// The graph of one node. Devices are numbered GPUs first (device i is GPU i), then CPUs, PCIe switches,
/// NVSwitches and network adapters (NICs).
///
/// - NVLink or xGMI between GPUs as the adjacency says; parallel links are one link of that width.
/// - NVSwitches: the links of a GPU are spread over the switches of its baseboard. Each switch is joined to
/// its
///   peer on the other baseboard by as many links as its GPUs have to it, so that any pair of GPUs can use
///   all of its links.
/// - PCIe: GPU - switch - CPU, all x16, with a second level of switches where the file has one. A NIC is
/// behind
///   the switch that the node's file names, or else behind the CPUs in turn. A GPU with NVLink to its CPU has
///   no PCIe link, because its data never take it.
/// - Every pair of CPUs is joined by the socket link.
///
/// Latency: each of the two PCIe links of a peer-to-peer transfer has half of the transfer's latency, and
/// each side of an NVSwitch half of an NVLink's. Throws Error for more than 65535 links between two devices.
Topology build_node(const NodeSpec& spec);

/// The common part of the links of a spec, for builders. `kind` from the family.
LinkClass link_class_of(const LinkSpec& spec);

}  // namespace rackcast
