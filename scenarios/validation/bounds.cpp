#include <fmt/format.h>

#include <cmath>
#include <string>

#include "scenarios/validation/report.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error{what,
              {},
              "write --bound median=0.08,p90=0.25 or --bound \"task/training, 1 GPU:median=0.08\"; known: "
              "median, mean, p90, coverage, score",
              ErrorKind::usage};
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
  if (name == "score") return bounds.score;
  refuse("unknown bound \"" + std::string{name} + "\"");
}

}  // namespace

ValidationBounds parse_bounds(std::string_view text) {
  ValidationBounds out;
  if (const auto colon = text.rfind(':'); colon != std::string_view::npos) {
    const std::string_view row = text.substr(0, colon);
    const auto slash = row.find('/');
    if (slash == std::string_view::npos || slash == 0 || slash + 1 == row.size())
      refuse("a row is a table, a slash and a name, not \"" + std::string{row} + "\"");
    out.table = row.substr(0, slash);
    out.group = row.substr(slash + 1);
    text.remove_prefix(colon + 1);
  }
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

namespace {

/// Of the row that is asked for; empty for one that no judged case is in.
ErrorSummary summary_of(const ValidationReport& report, const ValidationBounds& bounds) {
  if (bounds.table.empty()) return report.summary;
  std::string tables;
  for (const ErrorTable& table : report.tables) {
    tables += (tables.empty() ? "" : ", ") + table.by;
    if (table.by != bounds.table) continue;
    for (const ErrorGroup& group : table.groups)
      if (group.name == bounds.group) return group.summary;
    return {};
  }
  refuse("no table is called \"" + bounds.table + "\", there are " + tables);
}

}  // namespace

std::vector<std::string> missed_bounds(const ValidationReport& report, const ValidationBounds& bounds) {
  const ErrorSummary s = summary_of(report, bounds);
  const std::string row = bounds.group.empty() ? "" : bounds.group + ": ";
  std::vector<std::string> out;
  const auto check = [&](std::string_view name, std::optional<double> found, std::optional<double> bound,
                         bool at_most) {
    if (!bound) return;
    if (!found) {
      out.push_back(
          fmt::format("{}{}: no judged case was predicted, so the bound {} is not met", row, name, *bound));
    } else if (at_most ? *found > *bound : *found < *bound) {
      out.push_back(fmt::format("{}{} is {:.4f}, the bound is {} {}", row, name, *found,
                                at_most ? "at most" : "at least", *bound));
    }
  };
  check("median absolute error", s.median_abs_error, bounds.median, true);
  check("mean absolute error", s.mean_abs_error, bounds.mean, true);
  check("90th percentile of the absolute error", s.p90_abs_error, bounds.p90, true);
  check("interval score", s.interval_score, bounds.score, true);
  check("coverage of the 90 % intervals", s.coverage_90, bounds.coverage, false);
  return out;
}

}  // namespace rackcast
