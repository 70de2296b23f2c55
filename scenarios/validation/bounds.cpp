#include <fmt/format.h>

#include <cmath>
#include <string>

#include "scenarios/validation/report.hpp"
#include "sim/error.hpp"

namespace rackcast {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error{
      what, {}, "write --bound median=0.08,p90=0.25; known: median, mean, p90, coverage", ErrorKind::usage};
}

double parse_value(const std::string& text) {
  double value = 0;
  std::size_t used = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    refuse("\"" + text + "\" is not a number");
  }
  if (used != text.size() || !(value > 0 && value <= 10))
    refuse("a bound is a fraction above 0, at most 10, not \"" + text + "\"");
  return value;
}

std::optional<double>& slot(ValidationBounds& bounds, std::string_view name) {
  if (name == "median") return bounds.median;
  if (name == "mean") return bounds.mean;
  if (name == "p90") return bounds.p90;
  if (name == "coverage") return bounds.coverage;
  refuse("unknown bound \"" + std::string{name} + "\"");
}

}  // namespace

ValidationBounds parse_bounds(std::string_view text) {
  ValidationBounds out;
  while (true) {
    const auto comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    const auto equals = part.find('=');
    if (equals == std::string_view::npos)
      refuse("a bound is a name and a number, not \"" + std::string{part} + "\"");
    std::optional<double>& value = slot(out, part.substr(0, equals));
    if (value) refuse("bound \"" + std::string{part.substr(0, equals)} + "\" is given twice");
    value = parse_value(std::string{part.substr(equals + 1)});
    if (comma == std::string_view::npos) return out;
    text.remove_prefix(comma + 1);
  }
}

std::vector<std::string> missed_bounds(const ErrorSummary& s, const ValidationBounds& bounds) {
  std::vector<std::string> out;
  const auto check = [&out](std::string_view name, std::optional<double> found, std::optional<double> bound,
                            bool at_most) {
    if (!bound) return;
    if (!found) {
      out.push_back(
          fmt::format("{}: no judged case was predicted, so the bound {} is not met", name, *bound));
    } else if (at_most ? *found > *bound : *found < *bound) {
      out.push_back(fmt::format("{} is {:.4f}, the bound is {} {}", name, *found,
                                at_most ? "at most" : "at least", *bound));
    }
  };
  check("median absolute error", s.median_abs_error, bounds.median, true);
  check("mean absolute error", s.mean_abs_error, bounds.mean, true);
  check("90th percentile of the absolute error", s.p90_abs_error, bounds.p90, true);
  check("coverage of the 90 % intervals", s.coverage_90, bounds.coverage, false);
  return out;
}

}  // namespace rackcast
