#pragma once
/// In which unit an axis is read best.
#include <string>

#include "reports/blocks/block.hpp"

namespace rackcast::reports {

struct AxisUnit {
  double base = 1;   ///< one of this unit in base units
  std::string name;  ///< "days"; empty for plain counts
};

/// The unit in which `largest` (in base units) has one to four digits before the point, as far as there is
/// one.
AxisUnit axis_unit(Axis::Kind kind, double largest);

/// "Time to train (days)".
std::string axis_title(const Axis& axis, const AxisUnit& unit);

}  // namespace rackcast::reports
