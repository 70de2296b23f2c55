#include "topologies/fabrics/fabric_options.hpp"

#include <fmt/format.h>

#include "sim/json/reader.hpp"
#include "topologies/catalog/limits.hpp"

namespace rackcast {
namespace {

/// An error about a name points at its place in the file.
template <class Parse>
auto parsed(const Json& json, Parse parse) {
  try {
    return parse(json.string());
  } catch (const Error& e) {
    json.fail(e.message(), e.hint());
  }
}

}  // namespace

FabricOptions FabricOptions::for_another_node() const {
  FabricOptions other;
  other.choice.kind = choice.kind;
  other.choice.oversubscription = choice.oversubscription;
  other.choice.core_oversubscription = choice.core_oversubscription;
  other.choice.rails = choice.rails;
  other.choice.routing = choice.routing;
  return other;
}

FabricOptions read_fabric_options(const Json& json) {
  ObjectReader in{json};
  FabricOptions options;
  FabricChoice& choice = options.choice;
  if (const Json* kind = in.find("kind")) {
    choice.kind = parsed(*kind, [](const std::string& name) { return std::string{fabric_kind(name).name}; });
  }
  if (const Json* rails = in.find("rails")) {
    choice.rails = parsed(*rails, [](const std::string& name) { return parse_rail_plan(name); });
  }
  if (const Json* routing = in.find("routing"))
    choice.routing = parsed(*routing, [](const std::string& name) { return parse_routing(name); });
  choice.leaf_switch = in.string_or("switch", "");
  choice.spine_switch = in.string_or("spine_switch", "");
  choice.core_switch = in.string_or("core_switch", "");
  choice.oversubscription = in.number_or("oversubscription", 1, 1, 64);
  choice.down_ports = static_cast<int>(in.integer_or("down_ports", 0, 0, limits::most_of_a_kind));
  if (const Json* down = in.find("down_ports")) choice.down_ports_where = {down->where()};
  choice.core_oversubscription = in.number_or("core_oversubscription", 1, 1, 64);
  choice.leaves_per_group = static_cast<int>(in.integer_or("leaves_per_group", 0, 0, limits::most_of_a_kind));
  choice.nodes_per_group = static_cast<int>(in.integer_or("nodes_per_group", 0, 0, limits::nodes));
  if (const Json* torus = in.find("torus")) {
    for (const Json& side : torus->array()) {
      if (side.integer() < 1 || side.integer() > limits::most_of_a_kind)
        side.fail(fmt::format("a side of a torus has 1 to {} switches", limits::most_of_a_kind));
      choice.torus.push_back(static_cast<int>(side.integer()));
    }
  }
  if (in.has("links_per_node"))
    options.links_per_node = static_cast<int>(in.integer("links_per_node", 1, limits::nics));
  options.link = in.string_or("link", "");
  if (in.has("link_rate")) options.link_rate = in.quantity<Bandwidth>("link_rate");
  in.finish();
  return options;
}

}  // namespace rackcast
