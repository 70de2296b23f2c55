#include "models/collectives/fitted_curves.hpp"

#include "models/data_files.hpp"

namespace rackcast {

const std::vector<FittedCurve>& fitted_curves() {
  static const std::vector<FittedCurve> all = [] {
    std::vector<FittedCurve> out;
    const Json file = parse_model_data("collectives/links.json");
    for (const auto& [link, protocols] : file.require("protocols").object()) {
      const Json* fit = protocols.find("fit");
      if (!fit) continue;
      for (const Json& of_series : fit->array())
        for (const Json& gpus : of_series.require("gpus").array())
          out.push_back({link, of_series.require("series").string(), gpus.number()});
    }
    return out;
  }();
  return all;
}

}  // namespace rackcast
