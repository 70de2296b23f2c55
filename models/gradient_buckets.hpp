#pragma once
/// One step of one GPU cut where others see it: when which gradients are ready.
#include <vector>

#include "models/training.hpp"

namespace rackcast {

struct GradientBucket {
  Duration before{0};  ///< back-propagation since the previous bucket was ready
  Bytes gradients{0};  ///< as the exchange sends them, before compression
  int array = 0;       ///< number of its first array, counted as servers are assigned
  /// From then until it is on the wire: a tick of a cycle after the end of back-propagation, packing and
  /// unpacking.
  Duration delay{0};
};

struct StepTimes {
  Duration forward{0}, backward_tail{0}, optimizer{0};
  double log_sigma = 0;
  std::vector<GradientBucket> buckets;  ///< in the order in which back-propagation fills them
};

/// The step of `spec` on a GPU of `ranks`. Throws Error like step_time.
StepTimes step_times(const TrainingSpec& spec, int ranks);

}  // namespace rackcast
