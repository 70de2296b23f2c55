#include "scenarios/evidence/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rackcast {

std::optional<double> quantile(std::vector<double> values, double q) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const std::size_t above = std::min(below + 1, values.size() - 1);
  const double part = place - std::floor(place);
  return values[below] + part * (values[above] - values[below]);
}

std::optional<double> mean(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double interval_score(double low, double high, double measured, double alpha) {
  const double below = std::max(0.0, std::log(low / measured)),
               above = std::max(0.0, std::log(measured / high));
  return std::log(high / low) + 2 / alpha * (below + above);
}

double signed_error(double predicted, double measured) {
  return (predicted - measured) / measured;
}

}  // namespace rackcast
