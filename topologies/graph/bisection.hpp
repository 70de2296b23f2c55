#pragma once
/// What a network carries between halves of a machine, and how far apart its ends are.
#include "topologies/graph/graph.hpp"

namespace rackcast {

/// The most that the first half of the nodes can send to the second half, in order, all at once: a maximum
/// flow over the switches (push-relabel; Goldberg & Tarjan, J. ACM 35(4), 1988) from the ports of the ones to
/// the ports of the others, at achievable rates. One node: from its first half of GPUs to the others, over
/// NVLink and PCIe. Zero where there is only one node's GPU.
///
/// The true bisection is the least over all halvings; for fat trees, dragonfly+ and tori numbered along their
/// longest side the halving in order is such a least one.
Bandwidth bisection_bandwidth(const Topology& topology);

/// The same if only the ports of the halves limited it: the lesser half's rate into its switches (of one
/// node: zero).
Bandwidth full_bisection_bandwidth(const Topology& topology);

struct Diameter {
  int links = 0;         ///< between the farthest two adapters or servers
  bool sampled = false;  ///< seen from 64 of very many switches: a lower bound
};
/// Zero if there is no network.
Diameter network_diameter(const Topology& topology);

}  // namespace rackcast
