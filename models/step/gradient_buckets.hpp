#pragma once
/// One step of one GPU cut where others see it: when which gradients are ready.
///
/// Horovod's cycle is a clock of its own: its background thread sleeps until the last cycle's begin plus the
/// cycle time, whatever the training step does (horovod/common/operations.cc, RunLoopOnce). Seen from a step
/// its phase is uniform, so a gradient waits for the next tick
///
///     E[wait] = cycle / 2.
///
/// The ticks are laid so that the gradients that are ready last wait exactly that, since it is they that the
/// step waits for; the others see ticks at the same distances.
#include <vector>

#include "models/frameworks/gpu_step.hpp"
#include "models/step/training.hpp"

namespace rackcast {

struct GradientBucket {
  /// Back-propagation since the previous bucket was ready, and the packing of a compressed one.
  Duration before{0};
  Bytes gradients{0};     ///< as the exchange sends them, before compression
  double parameters = 0;  ///< whose gradients they are
  int array = 0;          ///< number of its first array, counted as servers are assigned
  /// From then until it is on the wire: a tick of a cycle after the end of back-propagation, packing and
  /// unpacking of a fusion buffer.
  Duration delay{0};
  Duration packing{0};  ///< part of `before`
  bool shards = false;  ///< of layers that are split over GPUs: summed over the replicas of each shard alone
};

struct StepTimes {
  Duration forward{0}, backward_tail{0}, optimizer{0};
  Duration unpacking{0};  ///< of compressed gradients, between their arrival and the update
  double log_sigma = 0;
  double host_share = 0;  ///< of forward, backward and update: the GPU waits for the host to start a kernel
  std::vector<GradientBucket> buckets;  ///< in the order in which back-propagation fills them
};

/// Local SGD sends weights, which are there when the update has made them: its buckets follow the update, and
/// nothing of the step hides them (S. Stich, "Local SGD converges fast and communicates little", ICLR 2019,
/// algorithm 1).
bool sends_after_update(const ExchangeSpec& exchange);

/// Copies of the shards of split layers: those among which their gradients are summed.
int replicas_of_shards(const ExchangeSpec& exchange, int ranks);

/// What step_time() asks of `spec`.
StepOptions step_options(const TrainingSpec& spec);

/// The step of `spec` on a GPU of `ranks`. Throws Error like step_time.
StepTimes step_times(const TrainingSpec& spec, int ranks);

}  // namespace rackcast
