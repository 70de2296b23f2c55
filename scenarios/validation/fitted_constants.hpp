#pragma once
/// Fitted numbers in place of the shipped ones: what a fit tries, and what a fit that left cases out gives.
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "models/frameworks/framework.hpp"
#include "models/gpu/model_library.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

/// Empty members keep what came with the program.
struct FittedConstants {
  std::vector<FrameworkProfile> profiles;          ///< in place of those with their ids: numbers and spread
  std::optional<Json> links;                       ///< models/data/collectives/links.json
  std::shared_ptr<const GpuModelLibrary> kernels;  ///< models/data/gpu_models
  std::set<std::string> unseen_servers;            ///< whose fitted times are not known
};

}  // namespace rackcast
