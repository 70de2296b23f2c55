#include "models/serving/random_requests.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "sim/base/random.hpp"

using namespace rackcast;

TEST_CASE("percentiles in any order are those of the sorted times") {
  RandomStream random{3, "times"};
  for (const int count : {1, 2, 3, 10, 997}) {
    std::vector<Duration> times;
    // Whole numbers, so that some times are equal.
    for (int i = 0; i < count; ++i) times.emplace_back(std::floor(random.exponential(20)));
    std::vector<Duration> sorted = times;
    std::ranges::sort(sorted);
    Percentiles some{times};
    for (const double q : {0.5, 0.99, 0.9, 0.01, 0.999, 0.5, 0.25, 0.98}) {
      const auto place = std::max(1.0, std::ceil(q * count)) - 1;
      CHECK(some.at(q) == sorted[static_cast<std::size_t>(place)]);
    }
  }
}
