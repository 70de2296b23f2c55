#pragma once
/// Keys, units and meanings of the structs of scenarios/document/form/figures.hpp.
#include "scenarios/document/form/field.hpp"
#include "scenarios/document/form/figures.hpp"

namespace rackcast::doc {

template <>
struct Fields<Prediction> {
  static constexpr std::string_view name = "prediction";
  static constexpr std::string_view meaning =
      "A predicted number with its 90 % interval: low <= value <= high.";
  static void each(const auto& visit) {
    visit(field("value", &Prediction::value));
    visit(field("low", &Prediction::low));
    visit(field("high", &Prediction::high));
    visit(field("unit", &Prediction::unit));
    visit(field("median", &Prediction::median,
                "as likely above it as below, where that is over 1 % off the value: where one of two parts "
                "may be "
                "the slower one")
              .omitted());
  }
};

}  // namespace rackcast::doc
