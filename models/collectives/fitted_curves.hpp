#pragma once
/// The measured curves that models/data/collectives/links.json was fitted on.
#include <string>
#include <string_view>
#include <vector>

namespace rackcast {

struct FittedCurve {
  std::string link;    ///< "nvlink/nvlink2+nvswitch"
  std::string series;  ///< of the validation cases that hold the curve
  double gpus = 0;
};

/// The curves to which `rackcast calibrate collectives` fits protocols and efficiencies (`fit`).
std::vector<FittedCurve> fitted_curves();
/// The curves of fitted_curves() and those that an efficiency was read from (`read_from`). Their cases count
/// as fit.
std::vector<FittedCurve> curves_of_links();

}  // namespace rackcast
