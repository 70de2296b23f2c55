#pragma once
/// Order statistics of small samples, and how often an interval holds what was measured.
#include <optional>
#include <vector>

namespace rackcast {

/// The q-quantile (0 to 1) by linear interpolation between order statistics (Hyndman & Fan type 7, the
/// default of R and NumPy). Nothing for an empty sample.
std::optional<double> quantile(std::vector<double> values, double q);

std::optional<double> mean(const std::vector<double>& values);

/// What an interval is worth that was to hold `measured` with probability 1 - alpha: its width, and 2 / alpha
/// times the distance by which it missed, all of logarithms, so that figures of any unit compare. Lower is
/// better; an honest interval as narrow as knowledge allows has the lowest mean.
/// Source: Gneiting & Raftery, Strictly Proper Scoring Rules, Prediction, and Estimation, JASA 102(477),
/// 2007, equation 43. Requires positive numbers and low <= high.
double interval_score(double low, double high, double measured, double alpha = 0.1);

/// (predicted - measured) / measured: positive when the prediction is too high.
/// Requires measured > 0.
double signed_error(double predicted, double measured);

}  // namespace rackcast
