#pragma once
/// The prediction of a published figure.
#include <optional>
#include <string>
#include <vector>

namespace rackcast {

/// A predicted figure with its 90 % interval, in the unit of the case.
struct PredictedFigure {
  double value = 0, low = 0, high = 0;
  /// Least and largest value over settings that the source leaves open; both 0 where it leaves none open.
  double least = 0, most = 0;
  std::string binds = {};  ///< "GPU compute", "all-reduce over InfiniBand", "input"; empty: not known
  /// Of a row from which the length of its table's runs was taken: epochs, or exchanges times GPUs.
  std::optional<double> inferred_length = {};
  std::vector<std::string> assumed = {};  ///< settings that the source does not state: what was usual
};

}  // namespace rackcast
