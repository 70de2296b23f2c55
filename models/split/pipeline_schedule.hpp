#pragma once
/// When each stage of a pipeline works on which micro-batch.
///
/// One forward and one backward pass in turn (1F1B), after as many forward passes as the stages behind need;
/// with v parts of the network on each stage the interleaved schedule, which goes through its parts for p
/// micro-batches at a time (D. Narayanan et al., "Efficient large-scale language model training on GPU
/// clusters using Megatron-LM", SC 2021, section 2.2; megatron/core/pipeline_parallel/schedules.py:
/// num_warmup_microbatches). A pass begins when its stage is free and what it needs was computed; receiving
/// that is a part of the pass.
///
/// All passes end by the sum over stages of t_i + (m - 1) max t_i of models/split/split_training.hpp and its
/// messages, and just then where stages are equal or the last is the longest and messages take no time;
/// otherwise stages that are shorter do some of it while they would wait.
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/units/quantity.hpp"

namespace rackcast {

struct PipelinePasses {
  std::vector<Duration> forward, backward;  ///< of each stage, a micro-batch through all of its parts
  Duration message{0};                      ///< from one stage to the next
  std::int64_t micro_batches = 1;
  int interleave = 1;
};

struct PipelinePass {
  int stage = 0, part = 0;
  std::int64_t micro_batch = 0;
  bool backward = false;
  bool receives = false;  ///< its first `message` is that
  Duration start{0}, end{0};
};

/// Boxes that a schedule has; an upper bound that does not overflow.
double pipeline_pass_count(const PipelinePasses& passes);

/// In the order of each stage, the first stage first. Nothing where the parts are interleaved and the
/// micro-batches are no multiple of the stages: there is no such schedule.
std::optional<std::vector<PipelinePass>> pipeline_schedule(const PipelinePasses& passes);

}  // namespace rackcast
