#pragma once
/// Facts about the way of a sample through the host, from models/data/host/input_path.json.
#include <string>

#include "sim/units/quantity.hpp"

namespace rackcast {

struct InputPathFacts {
  Frequency decode_per_core{0};  ///< ImageNet-size JPEG images decoded and augmented by one CPU core
  double decode_log_sigma = 0;   ///< ln(high/low) of the published range taken as a 90 % interval
  std::string decode_source, decode_confidence;
  double cores_per_gpu = 0;      ///< of a node that does not state its cores
  double cores_log_sigma = 0;    ///< ln(high/low) of those that do, taken as a 90 % interval
  double storage_log_sigma = 0;  ///< of a storage read rate that is known from memory
};

InputPathFacts input_path_facts();

}  // namespace rackcast
