#include "scenarios/names/ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace rackcast {

namespace {

constexpr std::array<std::string_view, 9> kTexts{"name", "description", "label",   "note",   "source",
                                                 "file", "extends",     "$schema", "version"};

/// A number at the front of `text`, which is then shortened by it.
std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::optional<InputRange> parse(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  const auto dots = text.find("..");
  if (first == std::string_view::npos || dots == std::string_view::npos) return std::nullopt;
  std::string_view front = text.substr(first, dots - first), back = text.substr(dots + 2);
  const bool whole = text.find_first_of(".eE") == dots && back.find_first_of(".eE") == std::string_view::npos;
  const auto low = take_number(front), high = take_number(back);
  if (!low || !high || !front.empty()) return std::nullopt;
  if (!back.empty() && back.front() == '.') return std::nullopt;
  return InputRange{{}, *low, *high, std::string{back}, whole && back.empty()};
}

void find(const Json& json, const std::string& path, std::vector<InputRange>& into) {
  const auto below = [&path](const std::string& key) {
    return path.empty() ? key : path + "." + key;
  };
  if (json.kind() == JsonKind::object) {
    for (const auto& [key, value] : json.object()) {
      if (std::ranges::find(kTexts, key) == kTexts.end()) find(value, below(key), into);
    }
  } else if (json.kind() == JsonKind::array) {
    for (std::size_t i = 0; i < json.array().size(); ++i)
      find(json.array()[i], below(std::to_string(i)), into);
  } else if (json.kind() == JsonKind::string) {
    auto range = parse(json.string());
    if (!range) return;
    if (range->high < range->low)
      json.fail("the range ends below its beginning",
                "write the smaller number first, for example \"40..60\"");
    range->path = path;
    into.push_back(std::move(*range));
  }
}

}  // namespace

std::string InputRange::at(double u) const {
  double value = low + (high - low) * u;
  // Whole values share the interval evenly, the ends included.
  if (whole) value = std::min(high, low + std::floor((high - low + 1) * u));
  return fmt::format("{}{}", value, unit);
}

std::vector<InputRange> find_ranges(const Json& scenario) {
  std::vector<InputRange> out;
  find(scenario, "", out);
  return out;
}

Json at_point(Json scenario, std::span<const InputRange> ranges, std::span<const double> u) {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const InputRange& range = ranges[i];
    const std::string value = range.at(u[i]);
    scenario = scenario.with(
        range.path, parse_json_or_string(value, fmt::format("{} = {}, of its range", range.path, value)));
  }
  return scenario;
}

Json at_middle(const Json& scenario) {
  const auto ranges = find_ranges(scenario);
  return at_point(scenario, ranges, std::vector<double>(ranges.size(), 0.5));
}

}  // namespace rackcast
