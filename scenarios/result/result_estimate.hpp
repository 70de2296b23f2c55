#pragma once
#include <string>

namespace rackcast {

/// A predicted number with its 90 % interval.
struct Estimate {
  double value = 0, low = 0, high = 0;
  std::string unit;
};

}  // namespace rackcast
