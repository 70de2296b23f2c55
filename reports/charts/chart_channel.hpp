#pragma once
/// Helpers that the writers of Vega-Lite specifications share. Private to reports/charts/*_spec.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "reports/blocks/display_text.hpp"
#include "reports/charts/axis_unit.hpp"
#include "reports/charts/chart_spec.hpp"

namespace rackcast::reports::spec {

using Spec = nlohmann::ordered_json;

inline std::string colour(std::size_t series) {
  return fmt::format("var(--s{})", series % series_colours);
}

/// One line of valid UTF-8, as JSON wants it.
inline std::string text(const std::string& raw) {
  return single_line(raw);
}

inline Spec field(const char* name) {
  return {{"field", name}, {"type", "quantitative"}};
}

/// A field whose values are colours.
inline Spec ink(const char* name) {
  return {{"field", name}, {"type", "nominal"}, {"scale", nullptr}};
}

inline std::string finished(Spec spec) {
  spec["width"] = "container";
  spec["autosize"] = {{"type", "fit-x"}, {"contains", "padding"}};
  return spec.dump(-1, ' ', false, Spec::error_handler_t::replace);
}

/// Smallest and largest of what is drawn along an axis.
struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    if (std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  [[nodiscard]] bool drawable(const Axis& axis) const {
    return high >= low && (!axis.logarithmic || low > 0);
  }
};

/// An axis with its unit: values go through it into the specification.
class Channel {
 public:
  Channel(const Axis& axis, const Extent& extent)
      : axis_(axis), extent_(extent), unit_(axis_unit(axis.kind, std::max(extent.high, -extent.low))) {}

  [[nodiscard]] double operator()(double value) const { return value / unit_.base; }
  [[nodiscard]] std::string title() const { return text(axis_title(axis_, unit_)); }

  /// Where a logarithmic axis begins.
  [[nodiscard]] double start() const { return (*this)(extent_.low / room()); }

  /// The encoding of the first layer, which sets the scale for all.
  [[nodiscard]] Spec encoding(const char* field, bool from_zero) const {
    Spec scale{{"nice", false}};
    if (axis_.logarithmic) {
      scale["type"] = "log";
      scale["domain"] = {start(), (*this)(extent_.high * room())};
    } else {
      scale = {{"zero", from_zero}, {"nice", true}};
    }
    Spec out{{"field", field}, {"type", "quantitative"}, {"title", title()}, {"scale", scale}};
    if (axis_.logarithmic) {
      out["axis"]["values"] = round_values(scale["domain"][0], scale["domain"][1]);
    } else if (axis_.kind == Axis::Kind::count && unit_.base == 1 && extent_.high > 2) {
      out["axis"]["tickMinStep"] = 1;  // there is no half of a node
    }
    return out;
  }

 private:
  /// The factor that keeps points off the ends.
  [[nodiscard]] double room() const { return std::pow(extent_.high / extent_.low, 0.04) * 1.03; }

  /// 1, 2 and 5 of each decade; the decades alone where there are many, more where there is less than one.
  static Spec round_values(double low, double high) {
    const bool many = high / low > 1000, few = high / low < 12;
    Spec values = Spec::array();
    if (!(low > 0) || !(high >= low) || !std::isfinite(high)) return values;
    for (double decade = std::pow(10.0, std::floor(std::log10(low))); decade <= high; decade *= 10) {
      for (const double digit : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0}) {
        const double value = decade * digit;
        const bool usual = digit == 1 || digit == 2 || digit == 5;
        if (value >= low && value <= high && (many ? digit == 1 : few || usual)) {
          values.push_back(value);
        }
      }
    }
    return values;
  }

  const Axis& axis_;
  Extent extent_;
  AxisUnit unit_;
};

}  // namespace rackcast::reports::spec
