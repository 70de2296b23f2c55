#pragma once
/// Figures that several parts of a result document share.
#include <optional>
#include <string>

#include "scenarios/document/form/field.hpp"

namespace rackcast {
class Json;
}

namespace rackcast::doc {

/// A predicted number with its 90 % interval, in `unit` ("s", "1/s", "1", ...). low <= value <= high.
struct Prediction {
  double value = 0, low = 0, high = 0;
  std::string unit;
  std::optional<double> median = {};
};

/// Throws Error unless the interval holds its value and the unit is that of its key.
void check(const Prediction& prediction, const Json& json, const Rule& rule);

template <>
struct Fields<Prediction> {
  static constexpr std::string_view name = "prediction";
  static constexpr std::string_view meaning =
      "A predicted number with its 90 % interval: low <= value <= high.";
  static constexpr auto list = std::tuple{
      field("value", &Prediction::value),
      field("low", &Prediction::low),
      field("high", &Prediction::high),
      field("unit", &Prediction::unit),
      field(
          "median", &Prediction::median,
          "as likely above it as below, where that is over 1 % off the value: where one of two parts may be "
          "the slower one")
          .omitted(),
  };
};
}  // namespace rackcast::doc
