#include "sim/json/plain_json.hpp"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "sim/json/node.hpp"

namespace rackcast {
namespace {

/// A whole number is written as one: 100, not 100.0.
nlohmann::ordered_json plain_number(double number) {
  constexpr double exact = 1e15;
  if (std::trunc(number) == number && std::abs(number) < exact) return static_cast<std::int64_t>(number);
  return number;
}

}  // namespace

nlohmann::ordered_json plain_json(const Json& json) {
  switch (json.kind()) {
    case JsonKind::null:
      return nullptr;
    case JsonKind::boolean:
      return json.boolean();
    case JsonKind::number:
      return plain_number(json.number());
    case JsonKind::string:
      return json.string();
    case JsonKind::array: {
      auto out = nlohmann::ordered_json::array();
      for (const Json& one : json.array()) out.push_back(plain_json(one));
      return out;
    }
    case JsonKind::object:
      break;
  }
  auto out = nlohmann::ordered_json::object();
  for (const auto& [key, value] : json.object()) out[key] = plain_json(value);
  return out;
}

}  // namespace rackcast
