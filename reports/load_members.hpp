#pragma once
/// Members of a result document, checked. Private to reports/load_*.cpp.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/result.hpp"
#include "sim/json_reader.hpp"

namespace rackcast::reports {

inline constexpr std::string_view damaged_hint =
    "write the result again, for example with: rackcast size SCENARIO --json";

/// A member that may be left out; null counts as left out.
inline const Json* optional_member(const Json& object, std::string_view key) {
  const Json* found = object.find(key);
  return found == nullptr || found->is_null() ? nullptr : found;
}

inline std::string text_or_empty(const Json& object, std::string_view key) {
  const Json* found = optional_member(object, key);
  return found == nullptr ? std::string{} : found->string();
}

/// What people call the thing ("grid_title"), else its key ("grid").
inline std::string title_or_key(const Json& object, const std::string& key) {
  const std::string title = text_or_empty(object, key + "_title");
  return title.empty() ? text_or_empty(object, key) : title;
}

inline std::optional<double> optional_number(const Json& object, std::string_view key) {
  const Json* found = optional_member(object, key);
  return found == nullptr ? std::nullopt : std::optional(found->number());
}

/// A number that must not be negative.
inline double amount(const Json& object, std::string_view key) {
  const Json& found = object.require(key);
  if (found.number() < 0) found.fail("expected a number that is not negative", std::string(damaged_hint));
  return found.number();
}

/// The same, or nothing.
inline std::optional<double> optional_amount(const Json& object, std::string_view key) {
  const auto value = optional_number(object, key);
  if (value && *value < 0) {
    object.find(key)->fail("expected a number that is not negative", std::string(damaged_hint));
  }
  return value;
}

inline std::int64_t count(const Json& value) {
  const std::int64_t number = value.integer();
  if (number < 0) {
    value.fail("expected a count that is not negative", std::string(damaged_hint));
  }
  return number;
}

inline std::optional<std::int64_t> optional_count(const Json& object, std::string_view key) {
  const Json* found = optional_member(object, key);
  return found == nullptr ? std::nullopt : std::optional(count(*found));
}

inline Prediction read_prediction(const Json& json) {
  Prediction p{json.require("value").number(), json.require("low").number(), json.require("high").number(),
               json.require("unit").string()};
  if (p.low > p.value || p.value > p.high) {
    json.fail("an interval needs low <= value <= high", std::string(damaged_hint));
  }
  return p;
}

/// A prediction of an amount in the unit that the sections expect.
inline std::optional<Prediction> optional_prediction(const Json& object, std::string_view key,
                                                     std::string_view unit) {
  const Json* found = optional_member(object, key);
  if (found == nullptr) {
    return {};
  }
  Prediction p = read_prediction(*found);
  if (p.unit != unit || p.low < 0) {
    found->fail("expected a prediction in \"" + std::string(unit) + "\" that is not negative",
                std::string(damaged_hint));
  }
  return p;
}

/// Each element of an array that may be left out, read by `read`.
template <class Read>
auto read_list(const Json& object, std::string_view key, Read read) {
  std::vector<decltype(read(object))> items;
  if (const Json* found = optional_member(object, key)) {
    for (const Json& item : found->array()) {
      items.push_back(read(item));
    }
  }
  return items;
}

}  // namespace rackcast::reports
