#pragma once
/// Facts about the way of a sample through the host, from models/data/host/input_path.json.
#include <string>

#include "sim/units/quantity.hpp"

namespace rackcast {

struct InputPathFacts {
  Frequency decode_per_core{0};  ///< ImageNet-size JPEG images decoded and augmented by one CPU core
  double decode_log_sigma = 0;   ///< ln(high/low) of the published range taken as a 90 % interval
  std::string decode_source, decode_confidence;
  double cores_per_gpu = 0;  ///< assumed for a node whose number of cores is not known
  double cores_log_sigma =
      0;  ///< of cores_per_gpu: ln(high/low) over the known nodes, taken as a 90 % interval
  double storage_log_sigma = 0;  ///< of a storage read rate that was recalled, not read in a source
};

InputPathFacts input_path_facts();

}  // namespace rackcast
