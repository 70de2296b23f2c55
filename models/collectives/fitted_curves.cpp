#include "models/collectives/fitted_curves.hpp"

#include "models/data_files.hpp"

namespace rackcast {
namespace {

std::vector<FittedCurve> named_curves(const char* part, const char* key) {
  std::vector<FittedCurve> out;
  const Json file = parse_model_data("collectives/links.json");
  for (const auto& [link, entry] : file.require(part).object()) {
    const Json* named = entry.find(key);
    if (!named) continue;
    for (const Json& of_series : named->array())
      for (const Json& gpus : of_series.require("gpus").array())
        out.push_back({link, of_series.require("series").string(), gpus.number()});
  }
  return out;
}

}  // namespace

std::vector<FittedCurve> fitted_curves() {
  return named_curves("protocols", "fit");
}

std::vector<FittedCurve> curves_of_links() {
  std::vector<FittedCurve> out = fitted_curves();
  for (FittedCurve& read : named_curves("efficiency", "read_from")) out.push_back(std::move(read));
  return out;
}

}  // namespace rackcast
