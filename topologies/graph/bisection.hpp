#pragma once
/// Bisection bandwidth and diameter of a network: the rate between two halves of a machine, and the links
/// between its farthest ends.
#include "topologies/graph/graph.hpp"

namespace rackcast {

/// The highest rate at which the first half of the nodes, by number, can send to the second half: a maximum
/// flow over the switches (push-relabel; Goldberg & Tarjan, J. ACM 35(4), 1988) from the ports of the one
/// half to the ports of the other, at achievable rates. For one node: from the first half of its GPUs to the
/// others, over NVLink and PCIe. Zero for a single GPU.
///
/// The true bisection bandwidth is the minimum over all halvings. For fat trees, dragonfly+ and tori numbered
/// along their longest side, the halving by number attains this minimum.
Bandwidth bisection_bandwidth(const Topology& topology);

/// The bisection bandwidth if only the ports of the halves limited it: the sum of the rates of the ports of
/// the half with the smaller sum. Zero for one node.
Bandwidth full_bisection_bandwidth(const Topology& topology);

struct Diameter {
  int links = 0;         ///< between the farthest two adapters or servers
  bool sampled = false;  ///< seen from 64 of very many switches: a lower bound
};
/// Zero if there is no network.
Diameter network_diameter(const Topology& topology);

}  // namespace rackcast
