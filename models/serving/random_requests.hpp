#pragma once
/// Arrivals of simulated requests, and mean and percentiles of their times. Private to models/serving.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "sim/base/random.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

/// When requests come that come at random (a Poisson stream).
inline std::vector<Duration> poisson_arrivals(Frequency rate, int requests, std::uint64_t seed) {
  RandomStream random{seed, "requests"};
  std::vector<Duration> out;
  Duration now{0};
  for (int i = 0; i < requests; ++i) out.push_back(now += Duration{random.exponential(1 / rate.base())});
  return out;
}

/// Without the first tenth, which is warm-up.
inline std::vector<Duration> steady_part(const std::vector<Duration>& times) {
  return {times.begin() + static_cast<std::ptrdiff_t>(times.size() / 10), times.end()};
}

/// Nothing is sorted that only a few percentiles are read from.
class Percentiles {
 public:
  /// At least one time.
  explicit Percentiles(std::vector<Duration> times)
      : times_(std::move(times)),
        mean_(std::accumulate(times_.begin(), times_.end(), Duration{0}) /
              static_cast<double>(times_.size())),
        in_place_{-1, std::ssize(times_)} {}

  [[nodiscard]] Duration mean() const { return mean_; }

  /// The smallest time with at least the share q of all at or below it.
  Duration at(double q) {
    const auto rank = static_cast<std::ptrdiff_t>(std::ceil(q * static_cast<double>(times_.size())));
    const std::ptrdiff_t place = std::max<std::ptrdiff_t>(rank, 1) - 1;
    const auto next = in_place_.lower_bound(place);
    if (*next != place) {
      const auto begin = times_.begin();
      std::nth_element(begin + *std::prev(next) + 1, begin + place, begin + *next);
      in_place_.insert(next, place);
    }
    return times_[static_cast<std::size_t>(place)];
  }

 private:
  std::vector<Duration> times_;
  Duration mean_;
  std::set<std::ptrdiff_t> in_place_;  ///< where the times are as if all were sorted; before and behind them
};

}  // namespace rackcast
