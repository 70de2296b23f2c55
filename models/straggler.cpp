#include "models/straggler.hpp"

#include <cmath>

#include "models/data_files.hpp"
#include "sim/json_reader.hpp"

namespace rackcast {

double normal_quantile(double p) {
  // Bisection of the distribution function: exact to double precision, and fast enough for a call a step.
  double low = -40, high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

double expected_maximum(double n) {
  return n <= 1 ? 0 : normal_quantile((n - 0.375) / (n + 0.25));
}

double step_jitter() {
  static const double value =
      parse_model_data("collectives/jitter.json").require("step_jitter").require("value").number();
  return value;
}

double collective_slowdown() {
  static const double value =
      parse_model_data("collectives/jitter.json").require("collective_slowdown").require("value").number();
  return value;
}

}  // namespace rackcast
