#pragma once
/// Predicted numbers.
#include <string>

namespace rackcast {

/// A predicted number with its 90 % interval.
struct Estimate {
  double value = 0, low = 0, high = 0;
  std::string unit;
};

struct Prediction {
  Estimate time_to_train, samples_per_s, scaling_efficiency, step_time;
};

}  // namespace rackcast
