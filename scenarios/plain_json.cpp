#include "scenarios/plain_json.hpp"

#include <nlohmann/json.hpp>

#include "sim/json_node.hpp"

namespace rackcast {

nlohmann::ordered_json plain_json(const Json& json) {
  switch (json.kind()) {
    case JsonKind::null:
      return nullptr;
    case JsonKind::boolean:
      return json.boolean();
    case JsonKind::number:
      return json.number();
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
