#pragma once
/// The wait of a synchronous step for its slowest rank.
///
/// The time of a rank's step varies from step to step (clocks, memory refresh, the host's scheduler); the
/// all-reduce ends when the last rank has come. The expected maximum of n independent normal draws lies
///
///     E[max] = mean + sigma * z,   z = inverse normal((n - 3/8) / (n + 1/4))
///
/// above the mean (G. Blom, "Statistical Estimates and Transformed Beta-Variables", 1958): 1.42 sigma for 8,
/// 2.8 for 256, 3.7 for 4096. J. Chen et al., "Revisiting distributed synchronous SGD", arXiv:1604.00981,
/// show this growth on up to 200 workers. Assumed: draws of ranks are independent and steps forget them.
///
/// Nodes may also be slow by themselves, step after step (a hot GPU, a NIC that came up at half its rate).
#include <span>
#include <vector>

#include "sim/units/quantity.hpp"

namespace rackcast {

struct Cluster;

/// Nodes that are slower than the others, alike among themselves.
struct Stragglers {
  int nodes = 1;
  double compute = 1;  ///< rate of their GPUs over that of the others; also 1 / (work of a step over theirs)
  double network = 1;  ///< rate of their network ports over that of the others
  friend auto operator<=>(const Stragglers&, const Stragglers&) = default;
};

/// The pace of a node: shares of its normal rates.
struct NodePace {
  double compute = 1, network = 1;
  friend bool operator==(const NodePace&, const NodePace&) = default;
};

/// The pace of each node of the cluster. The groups take the last nodes of which GPUs take part, the last
/// group the very last ones; where there are fewer nodes than the groups ask for, all are slow.
std::vector<NodePace> node_paces(const Cluster& cluster, std::span<const Stragglers> groups);

/// Expected largest of n standard normal draws; 0 for one.
double expected_maximum(double n);

/// Quantile of the standard normal distribution. Requires 0 < p < 1.
double normal_quantile(double p);

/// Standard deviation of a rank's step time over its mean, from models/data/collectives/jitter.json.
double step_jitter();

/// Standard deviation of ln(measured/predicted) of what a step over several nodes takes beside one in a node,
/// from the same file; 0 for one node. Kernels are the same there and the exchange that stays visible has a
/// spread of its own: this is the rest (what a framework overlaps, hosts that differ, wiring that is
/// assumed).
double scaling_log_sigma(int nodes);

/// Part of a GPU's rate that a collective on it takes while it runs, from the same file.
double collective_slowdown();

}  // namespace rackcast
