#pragma once
/// Review of a measured box: findings for its operator (slow GPU, throttling, missing parts), and differences
/// between two boxes. Words and numbers only; the caller decides how they look.
#include <string>
#include <vector>

#include "calibrate/measure/box.hpp"

namespace rackcast {

struct Finding {
  enum class Weight { note, warning, fault } weight = Weight::note;
  std::string what;  ///< one sentence
  std::string hint;  ///< what to do about it; may be empty
};

/// Missing parts, throttling, falling clocks, other load, noise, wrong results, links at half the rate of
/// their siblings, GPUs that differ. Never empty: a clean box says so.
std::vector<Finding> check_box(const Box& box);

struct BoxChange {
  std::string id;
  double ratio = 0;          ///< rate in the second box / rate in the first
  bool significant = false;  ///< the 95 % intervals of the medians do not meet, and more than 3 % apart
};

struct BoxDifference {
  std::vector<std::string> facts;  ///< what the machines say of themselves and disagree on
  std::vector<BoxChange> changes;  ///< measured in both, the largest change first
  std::vector<std::string> only_a, only_b;
};
BoxDifference compare_boxes(const Box& a, const Box& b);

}  // namespace rackcast
