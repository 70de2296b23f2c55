#pragma once
/// Fitted numbers in place of the shipped ones: what a fit tries, and what a fit that left cases out gives.
#include <memory>
#include <optional>
#include <vector>

#include "models/frameworks/framework.hpp"
#include "models/gpu/model_library.hpp"
#include "sim/json/reader.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

/// Times of a server's host, of models/data/host/serving.json.
struct ServerTimes {
  Duration arriving{0};        ///< between client and queue, both ways, for each request
  Duration between_passes{0};  ///< while the GPU waits
};

/// Empty members keep what came with the program.
struct FittedConstants {
  std::vector<FrameworkProfile> profiles;          ///< in place of those with their ids: numbers and spread
  std::optional<Json> links;                       ///< models/data/collectives/links.json
  std::shared_ptr<const GpuModelLibrary> kernels;  ///< models/data/gpu_models
  std::optional<ServerTimes> servers;              ///< of every server
};

}  // namespace rackcast
