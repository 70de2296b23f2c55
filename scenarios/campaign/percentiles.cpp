#include "scenarios/campaign/percentiles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rackcast {

Percentiles percentiles(std::vector<double> values) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (values.empty()) return {none, none, none};
  std::ranges::sort(values);
  const auto at = [&values](double share) {
    const double rank = std::ceil(share * static_cast<double>(values.size()));
    return values[static_cast<std::size_t>(std::max(1.0, rank)) - 1];
  };
  return {at(0.5), at(0.9), at(0.99)};
}

}  // namespace rackcast
