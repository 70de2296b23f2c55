#pragma once
/// The data set of a fleet in time, in a result.
#include <optional>
#include <vector>

#include "models/data_path/data_growth.hpp"
#include "scenarios/limits/limits.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

/// One training of a set that grows.
struct Retraining {
  Duration at{0};  ///< since the first recording day
  double samples = 0;
  Duration time{0};
  bool in_time = true;  ///< done before the next begins
};

/// What the deadline takes once a fleet has recorded for so long.
struct GrowthStep {
  Duration at{0};
  double samples = 0;
  Bytes bytes{0};
  int storage = 0;           ///< systems, as many more as there is more data
  std::optional<int> nodes;  ///< nothing: no count within the limits
  bool asked = false;        ///< the set of the scenario itself
  /// At the ends of the 90 % interval of the time; nothing in `most`: no count within the limits.
  std::optional<int> least = {}, most = {};
  int spares = 0;                   ///< beside `nodes`
  std::optional<Limit> limit = {};  ///< that no count keeps
};

/// The data set in time, for a scenario whose data come from a fleet.
struct GrowthReport {
  std::vector<GrowthPoint> series;
  std::optional<Bytes> capacity;
  std::optional<Duration> full;  ///< nothing: not within the recording
  std::optional<Duration> date;
  std::vector<Retraining> retraining;
  std::vector<GrowthStep> plan;  ///< nothing without a goal
};

}  // namespace rackcast
