#pragma once
/// How much a synchronous step waits for its slowest rank.
///
/// The time of a rank's step varies from step to step (clocks, memory refresh, the host's scheduler); the
/// all-reduce ends when the last rank has come. The expected maximum of n independent normal draws lies
///
///     E[max] = mean + sigma * z,   z = inverse normal((n - 3/8) / (n + 1/4))
///
/// above the mean (G. Blom, "Statistical Estimates and Transformed Beta-Variables", 1958): 1.42 sigma for 8,
/// 2.8 for 256, 3.7 for 4096. J. Chen et al., "Revisiting distributed synchronous SGD", arXiv:1604.00981,
/// show this growth on up to 200 workers. Assumed: draws of ranks are independent and steps forget them.
#include "sim/quantity.hpp"

namespace rackcast {

/// Expected largest of n standard normal draws; 0 for one.
double expected_maximum(double n);

/// Quantile of the standard normal distribution. Requires 0 < p < 1.
double normal_quantile(double p);

/// Standard deviation of a rank's step time over its mean, from models/data/collectives/jitter.json.
double step_jitter();

/// Part of a GPU's rate that a collective on it takes while it runs, from the same file.
double collective_slowdown();

}  // namespace rackcast
