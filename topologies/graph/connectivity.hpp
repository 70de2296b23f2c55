#pragma once
/// Questions about the graph as a whole.
#include <vector>

#include "topologies/graph/graph.hpp"

namespace rackcast {

/// True if every device reaches every other.
bool is_connected(const Topology& topology);

/// Switches, CPUs, adapters and PCIe switches whose loss would part the remaining devices (articulation
/// points; Hopcroft & Tarjan, CACM 16(6), 1973), by id.
std::vector<DeviceId> single_points_of_failure(const Topology& topology);

}  // namespace rackcast
