#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/utf8.hpp"
#include "sim/json/reader.hpp"
#include "sim/units/dimension_text.hpp"
#include "sim/units/quantity_text.hpp"
#include "sim/units/unit_hint.hpp"

namespace rackcast {
namespace {

/// " in /goal"; nothing at the top level.
std::string in_object(const Json& object) {
  const std::string pointer = object.where().pointer;
  return pointer.empty() ? std::string{} : " in " + pointer;
}

std::string range_text(double low, double high) {
  if (std::isinf(low) && std::isinf(high)) return "a finite number";
  if (std::isinf(high)) return fmt::format("at least {}", low);
  if (std::isinf(low)) return fmt::format("at most {}", high);
  return fmt::format("from {} to {}", low, high);
}

/// A bare number where a quantity belongs: shows it with the unit that it most likely has.
[[noreturn]] void fail_without_unit(const Json& value, std::string_view key, double number,
                                    Dimension dimension) {
  const std::string_view unit = usual_unit(dimension);
  value.fail(fmt::format("{} needs a unit", in_quotes(key)),
             unit.empty() ? "write " + describe(dimension) + " in quotes"
                          : fmt::format("write \"{0} {1}\" instead of {0}", number, unit));
}

}  // namespace

ObjectReader::ObjectReader(Json object) : object_(std::move(object)) {
  static_cast<void>(object_.object());
}

bool ObjectReader::has(std::string_view key) {
  return find(key) != nullptr;
}

const Json* ObjectReader::find(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
  return object_.find(key);
}

const Json& ObjectReader::require(std::string_view key) {
  if (const Json* found = find(key)) return *found;
  // A misspelt key is both missing and unknown; the place of the misspelling helps more.
  std::vector<std::string> unasked;
  for (const auto& [name, value] : object_.object()) {
    if (std::find(known_.begin(), known_.end(), name) == known_.end()) unasked.push_back(name);
  }
  const std::vector<std::string> near = near_matches(key, std::span<const std::string>{unasked}, 1);
  const std::string message = fmt::format("the key {} is missing{}", in_quotes(key), in_object(object_));
  if (near.empty())
    throw Error{message, object_.where(), fmt::format("add {}: ... to this object", in_quotes(key))};
  throw Error{message, object_.find(near.front())->key_where(),
              fmt::format("is {} a misspelling of it?", in_quotes(near.front()))};
}

std::string ObjectReader::string(std::string_view key) {
  return require(key).string();
}

std::string ObjectReader::string_or(std::string_view key, std::string_view fallback) {
  const Json* found = find(key);
  return found != nullptr ? found->string() : std::string{fallback};
}

bool ObjectReader::boolean_or(std::string_view key, bool fallback) {
  const Json* found = find(key);
  return found != nullptr ? found->boolean() : fallback;
}

std::int64_t ObjectReader::integer(std::string_view key, std::int64_t low, std::int64_t high) {
  const Json& found = require(key);
  const std::int64_t value = found.integer();
  if (value < low || value > high) {
    found.fail(fmt::format("{} is {}, but must be from {} to {}", in_quotes(key), value, low, high));
  }
  return value;
}

std::int64_t ObjectReader::integer_or(std::string_view key, std::int64_t fallback, std::int64_t low,
                                      std::int64_t high) {
  return has(key) ? integer(key, low, high) : fallback;
}

double ObjectReader::number(std::string_view key, double low, double high) {
  const Json& found = require(key);
  const double value = found.number();
  if (!(value >= low && value <= high)) {
    found.fail(fmt::format("{} is {}, but must be {}", in_quotes(key), value, range_text(low, high)));
  }
  return value;
}

double ObjectReader::number_or(std::string_view key, double fallback, double low, double high) {
  return has(key) ? number(key, low, high) : fallback;
}

double ObjectReader::quantity_base(std::string_view key, Dimension dimension, bool positive) {
  const Json& found = require(key);
  if (found.kind() == JsonKind::number) fail_without_unit(found, key, found.number(), dimension);
  if (found.kind() != JsonKind::string) {
    found.fail(fmt::format("{} is {}, but {} is expected", in_quotes(key), to_string(found.kind()),
                           dimension_name(dimension)),
               "write " + describe(dimension));
  }
  const std::string& text = found.string();
  try {
    const AnyQuantity any = parse_any_quantity(text, dimension);
    require_dimension(text, any, dimension);
    if (any.base < 0 || (positive && any.base == 0)) {
      throw Error{fmt::format("{} is {}, but must {}", in_quotes(key), in_quotes(text),
                              positive ? "be more than zero" : "not be negative")};
    }
    require_plausible(text, any.base, dimension);
    return any.base;
  } catch (const Error& error) {
    found.fail(error.message(), error.hint());
  }
}

std::size_t ObjectReader::choice(std::string_view key, std::span<const std::string_view> names) {
  const Json& found = require(key);
  const std::string& text = found.string();
  const auto at = std::find(names.begin(), names.end(), text);
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  found.fail(fmt::format("{} is {}, which is not known\nexpected one of: {}", in_quotes(key), in_quotes(text),
                         name_list(names)),
             did_you_mean(text, names));
}

void ObjectReader::finish() const {
  for (const auto& [name, value] : object_.object()) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    std::string message = fmt::format("unknown key {}{}", in_quotes(name), in_object(object_));
    std::vector<std::string> names = known_;
    std::sort(names.begin(), names.end());
    message += names.empty() ? "\nno keys are expected here"
                             : "\nexpected one of: " + name_list(std::span<const std::string>{names});
    throw Error{message, value.key_where(), did_you_mean(name, std::span<const std::string>{names})};
  }
}

}  // namespace rackcast
