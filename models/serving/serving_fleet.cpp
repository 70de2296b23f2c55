#include "models/serving/serving_fleet.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <numbers>
#include <numeric>

#include "sim/base/error.hpp"

namespace rackcast {

namespace {

constexpr double kBusiestHour = 14;

/// The profile of this concentration, its mean 1.
DayProfile shaped(double k) {
  DayProfile out{};
  for (std::size_t h = 0; h < hours_of_day; ++h) {
    const double angle = 2 * std::numbers::pi * (static_cast<double>(h) - kBusiestHour) / hours_of_day;
    out[h] = std::exp(k * (std::cos(angle) - 1));
  }
  const double mean = std::accumulate(out.begin(), out.end(), 0.0) / hours_of_day;
  for (double& hour : out) hour /= mean;
  return out;
}

}  // namespace

DayProfile day_profile(double peak) {
  if (!(peak >= 1 && peak <= 12)) throw Error{"the busiest hour is between 1 and 12 times the mean"};
  double low = 0, high = 64;  // of 64 the busiest hour has 12.3 times the mean
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::ranges::max(shaped(middle)) < peak ? low : high) = middle;
  }
  DayProfile out = shaped((low + high) / 2);
  const double busiest = std::ranges::max(out);
  for (double& hour : out) hour *= peak / busiest;  // the last bits
  return out;
}

double fleet_availability(int needed, int spares, double down) {
  if (!(down > 0)) return 1;
  if (!(down < 1)) return 0;
  return boost::math::cdf(boost::math::binomial(needed + spares, down), spares);
}

std::optional<int> spares_for_availability(int needed, double down, double target, int most) {
  for (int spares = 0; spares <= most; ++spares)
    if (fleet_availability(needed, spares, down) >= target) return spares;
  return std::nullopt;
}

}  // namespace rackcast
