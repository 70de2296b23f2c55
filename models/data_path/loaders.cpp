#include "models/data_path/loaders.hpp"

#include <algorithm>

#include "models/data_files.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {
namespace {

std::vector<Loader> read_loaders() {
  std::vector<Loader> out;
  for (const auto& [name, json] : parse_model_data("data_path/loaders.json").require("loaders").object()) {
    ObjectReader in{json};
    out.push_back({name, in.quantity<Frequency>("rate_per_core"), in.boolean_or("jitter", false)});
  }
  return out;
}

const std::vector<Loader>& loaders() {
  static const std::vector<Loader> all = read_loaders();
  return all;
}

}  // namespace

std::vector<std::string> loader_names() {
  std::vector<std::string> out;
  for (const Loader& loader : loaders()) out.push_back(loader.name);
  return out;
}

Loader image_loader(std::string_view name) {
  const auto found = std::ranges::find(loaders(), name, &Loader::name);
  if (found != loaders().end()) return *found;
  const std::vector<std::string> known = loader_names();
  const std::string near = did_you_mean(name, known);
  throw Error{"no loader is called \"" + std::string{name} + "\"",
              {},
              near.empty() ? "one of " + name_list(known) + "; leave it out for the usual rate" : near};
}

}  // namespace rackcast
