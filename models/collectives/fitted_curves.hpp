#pragma once
/// Which measured curves models/data/collectives/links.json rests on.
#include <string>
#include <string_view>
#include <vector>

namespace rackcast {

struct FittedCurve {
  std::string link;    ///< "nvlink/nvlink2+nvswitch"
  std::string series;  ///< of the validation cases that hold the curve
  double gpus = 0;
};

/// Those that `rackcast calibrate collectives` fits protocols and efficiencies to (`fit`).
std::vector<FittedCurve> fitted_curves();
/// Those and the ones that an efficiency was read from (`read_from`): their cases count as fit.
std::vector<FittedCurve> curves_of_links();

}  // namespace rackcast
