#pragma once
/// A node as a graph with its true wiring.
#include "topologies/graph/graph.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {

/// One node: GPUs first (device i is GPU i), then CPUs, PCIe switches, NVSwitches, NICs.
///
/// - NVLink or xGMI between GPUs as the adjacency says; parallel links are one link of that width.
/// - NVSwitch: the links of a GPU are spread over the switches of its baseboard; each switch is joined to its
///   peer on the other baseboard by as many links as its GPUs have to it, so that any pair has all links.
/// - PCIe: GPU - switch - CPU, all x16, with a second level of switches where the file has one; a NIC sits
/// behind the switch that the node's file names, or else behind
///   the CPUs in turn. A GPU with NVLink to its CPU has no PCIe link (its data never take it).
/// - Two or more CPUs are joined by the socket link, every pair.
///
/// Latency: half of a peer-to-peer transfer's on each of its two PCIe links; half of an NVLink's on each side
/// of an NVSwitch. Throws Error for more than 65535 links between two devices.
Topology build_node(const NodeSpec& spec);

/// The common part of the links of a spec, for builders. `kind` from the family.
LinkClass link_class_of(const LinkSpec& spec);

}  // namespace rackcast
