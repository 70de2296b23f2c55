#pragma once
/// A growing data set: the bytes that a fleet has recorded, stored and labelled by a day, and the day on
/// which storage is full.
///
///   recorded(t) = ingest * t                                  kept fraction of what was captured
///   stored(t)   = ingest * min(t, retention) * copies / compression
///   usable(t)   = ingest * min(max(0, t - delay), retention - delay)    labelled and not yet deleted
///
/// t counts from the first recording day. The caller accounts for days without recording.
#include <optional>
#include <vector>

#include "sim/units/quantity.hpp"

namespace rackcast {

struct DataGrowth {
  Bandwidth ingest{0};     ///< kept bytes per time, as samples are read for training
  double compression = 1;  ///< of what lies on storage: bytes as read / bytes as stored, >= 1
  double copies = 1;       ///< replication
  Duration labelling_delay{0};
  std::optional<Duration> retention;  ///< older recordings are deleted; nothing: never
};

struct GrowthPoint {
  Duration at{0};
  Bytes recorded{0}, stored{0}, usable{0};
};

/// Throws Error for a retention that is not longer than the labelling delay, a compression or a number of
/// copies below 1.
GrowthPoint growth_at(const DataGrowth& growth, Duration at);

/// When what is stored reaches `capacity`; nothing if it never does.
std::optional<Duration> full_at(const DataGrowth& growth, Bytes capacity);

/// `points` equally spaced points up to `until`, the first at one interval; with one a day it fills day by
/// day.
std::vector<GrowthPoint> growth_series(const DataGrowth& growth, Duration until, int points);

}  // namespace rackcast
