#pragma once
/// Order statistics of small samples, and how often an interval holds what was measured.
#include <optional>
#include <vector>

namespace rackcast {

/// The q-quantile (0 to 1) by linear interpolation between order statistics (Hyndman & Fan type 7, the
/// default of R and NumPy). Nothing for an empty sample.
std::optional<double> quantile(std::vector<double> values, double q);

std::optional<double> mean(const std::vector<double>& values);

/// (predicted - measured) / measured: positive when the prediction is too high.
/// Requires measured > 0.
double signed_error(double predicted, double measured);

}  // namespace rackcast
