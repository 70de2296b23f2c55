#pragma once
/// Which measured curves the protocols of models/data/collectives/links.json are fitted on, by
/// `rackcast calibrate collectives`.
#include <string>
#include <string_view>
#include <vector>

namespace rackcast {

struct FittedCurve {
  std::string link;    ///< "nvlink/nvlink2+nvswitch"
  std::string series;  ///< of the validation cases that hold the curve
  double gpus = 0;
};

const std::vector<FittedCurve>& fitted_curves();

}  // namespace rackcast
