#pragma once
/// Percentiles of values of many jobs, such as their waits in the queue.
#include <vector>

namespace rackcast {

/// Values at the shares 0.5, 0.9 and 0.99, by the nearest rank; NaN where there are none.
struct Percentiles {
  double p50 = 0, p90 = 0, p99 = 0;
};
Percentiles percentiles(std::vector<double> values);

}  // namespace rackcast
