#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/json/plain_json.hpp"
#include "sim/json/reader.hpp"
#include "sim/units/quantity_text.hpp"
#include "tests/fuzz/target.hpp"

namespace rackcast::fuzz {
namespace {

/// Asks every value for its place and its kind, as errors do.
void walk(const Json& json) {
  (void)json.where();
  (void)json.key_where();
  (void)json.name();
  if (json.kind() == JsonKind::array)
    for (const Json& one : json.array()) walk(one);
  if (json.kind() == JsonKind::object)
    for (const auto& [key, value] : json.object()) {
      promise(json.find(key) != nullptr, "a member is found by its key");
      walk(value);
    }
}

}  // namespace

void read_json(const std::string& bytes) {
  const Json json = parse_json(bytes, "fuzzed.json", {.max_values = 2000});
  walk(json);
  const std::string text = plain_json(json).dump();
  promise(plain_json(parse_json(text, "again")).dump() == text, "what is written out reads back the same");
  if (json.kind() != JsonKind::object) return;
  (void)json.merged(json);
  for (const auto& [key, value] : json.object()) {
    (void)json.without(key);
    (void)json.with(key, value);
  }
}

void read_units(const std::string& bytes) {
  (void)parse_json_or_string(bytes, "--set a=");
  const AnyQuantity any = parse_any_quantity(bytes);
  promise(std::isfinite(any.base), "a quantity is finite");
  (void)to_text(parse_quantity<Duration>(bytes));
}

}  // namespace rackcast::fuzz
