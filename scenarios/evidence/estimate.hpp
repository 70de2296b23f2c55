#pragma once
/// Predicted numbers.
#include <optional>
#include <string>

namespace rackcast {

/// A predicted number with its 90 % interval. `value` is what the model says where nothing of it is off.
struct Estimate {
  double value = 0, low = 0, high = 0;
  std::string unit;
  /// As likely above it as below; nothing: the value. Where one of two parts may be the slower one, the truth
  /// is more often above the value than below.
  std::optional<double> median = {};
};

struct Prediction {
  Estimate time_to_train, samples_per_s, scaling_efficiency, step_time;
};

}  // namespace rackcast
