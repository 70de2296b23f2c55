#pragma once
/// Figures that several parts of a result document share.
#include <optional>
#include <string>

namespace rackcast {
class Json;
}

namespace rackcast::doc {

struct Rule;

/// A predicted number with its 90 % interval, in `unit` ("s", "1/s", "1", ...). low <= value <= high.
struct Prediction {
  double value = 0, low = 0, high = 0;
  std::string unit;
  std::optional<double> median = {};
};

/// Throws Error unless the interval holds its value and the unit is that of its key.
void check(const Prediction& prediction, const Json& json, const Rule& rule);

}  // namespace rackcast::doc
