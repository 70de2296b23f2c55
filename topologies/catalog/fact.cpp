#include "topologies/catalog/fact.hpp"

#include <fmt/format.h>

#include <array>

#include "sim/units/dimension_text.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {
namespace {

constexpr std::array<std::string_view, 2> confidence_names{"verified", "memory"};

std::string non_empty(ObjectReader& reader, std::string_view key) {
  std::string text = reader.string(key);
  if (text.empty()) reader.require(key).fail(fmt::format("\"{}\" must not be empty", key));
  return text;
}

/// A figure that disagrees with the one the catalogue uses: only its form is checked.
void check_alternative(const Json& json) {
  ObjectReader reader{json};
  reader.require("value");
  non_empty(reader, "source");
  reader.choice("confidence", confidence_names);
  reader.string_or("note", "");
  reader.finish();
}

}  // namespace

std::string_view to_string(Confidence confidence) {
  return confidence_names[static_cast<std::size_t>(confidence)];
}

Fact::Fact(std::string key, const Json& json) : key_(std::move(key)) {
  ObjectReader reader{json};
  value_ = reader.require("value");
  unit_ = non_empty(reader, "unit");
  source_ = non_empty(reader, "source");
  confidence_ = static_cast<Confidence>(reader.choice("confidence", confidence_names));
  note_ = reader.string_or("note", "");
  reader.boolean_or("derived", false);  // computed from another fact of the record
  if (reader.has("year")) year_ = static_cast<int>(reader.integer("year", 1980, 2100));
  if (const Json* list = reader.find("alternatives")) {
    for (const Json& alternative : list->array()) check_alternative(alternative);
  }
  reader.finish();
}

double Fact::base(Dimension dimension) const {
  const double number = value_.number();
  if (number < 0) value_.fail(fmt::format("\"{}\" must not be negative", key_));
  AnyQuantity unit;
  try {
    unit = parse_unit(unit_);
    require_dimension(unit_, unit, dimension);
  } catch (const Error& e) {
    value_.fail(fmt::format("\"{}\" cannot be used as {}: {}", key_, describe(dimension), e.message()),
                e.hint());
  }
  if (number == 0 && (dimension == Bandwidth::dimension || dimension == FlopRate::dimension))
    value_.fail(fmt::format("\"{}\" must be more than zero", key_), "leave the fact out where there is none");
  try {
    require_plausible(display(), number * unit.base, dimension);
  } catch (const Error& e) {
    value_.fail(fmt::format("\"{}\": {}", key_, e.message()), e.hint());
  }
  return number * unit.base;
}

std::string Fact::display() const {
  std::string text = flat_text(value_);
  if (value_.kind() == JsonKind::number) text += " " + unit_;
  return text;
}

std::string flat_text(const Json& value) {
  switch (value.kind()) {
    case JsonKind::null:
      return "none";
    case JsonKind::boolean:
      return value.boolean() ? "yes" : "no";
    case JsonKind::number:
      return fmt::format("{}", value.number());
    case JsonKind::string:
      return value.string();
    case JsonKind::array: {
      std::string out;
      for (const Json& item : value.array()) out += (out.empty() ? "" : ", ") + flat_text(item);
      return "[" + out + "]";
    }
    case JsonKind::object: {
      std::string out;
      for (const auto& [key, item] : value.object())
        out += (out.empty() ? "" : ", ") + key + ": " + flat_text(item);
      return "{" + out + "}";
    }
  }
  return {};
}

}  // namespace rackcast
