#pragma once
/// In which order each stage of a pipeline works on its micro-batches.
///
/// GPipe goes forward through all micro-batches and then back (Y. Huang et al., "GPipe", NeurIPS 2019).
/// 1F1B takes one forward and one backward pass in turn, after as many forward passes as the stages behind
/// need; with v parts of the network on each stage it is the interleaved schedule, which goes through its
/// parts for p micro-batches at a time (D. Narayanan et al., "Efficient large-scale language model training
/// on GPU clusters using Megatron-LM", SC 2021, section 2.2; megatron/core/pipeline_parallel/schedules.py:
/// num_warmup_microbatches). The zero-bubble schedule ZB-H1 cuts a backward pass into the gradient of the
/// input, which the stage before waits for, and that of the weights, which nobody waits for: stage s holds
/// the latter back by s micro-batches and does them where it would wait (P. Qi et al., "Zero Bubble Pipeline
/// Parallelism", ICLR 2024, section 2.2). It keeps as many activations as 1F1B.
///
/// Equal stages that send in no time have a bubble of
///
///     (p - 1) (f + b)            GPipe and 1F1B, f forward and b backward
///     (p - 1) (f + b) / v        interleaved
///     (p - 1) (f + b - 2 w)      ZB-H1, w of b for the weights
#include <cstdint>
#include <string_view>
#include <vector>

namespace rackcast {

enum class PipelineSchedule { one_f_one_b, gpipe, zero_bubble };
/// "1f1b", "gpipe", "zero_bubble".
std::string_view to_string(PipelineSchedule);

/// forward; backward in one piece; or backward as the gradient of its input and that of its weights.
enum class PassKind { forward, backward, input_gradient, weight_gradient };

struct PipelinePass {
  int part = 0;  ///< index among the parts of the network on this stage
  std::int64_t micro_batch = 0;
  PassKind kind = PassKind::forward;
  bool receives = false, sends = false;  ///< from and to another stage
  bool first = false;                    ///< the first of the step that uses this part's weights
  bool last = false;                     ///< the step has no more gradients of them

  /// Whether the two passes differ in the micro-batch alone.
  [[nodiscard]] bool like(const PipelinePass& o) const {
    return part == o.part && kind == o.kind && receives == o.receives && sends == o.sends &&
           first == o.first && last == o.last;
  }
};

struct PipelineShape {
  int stages = 1;
  int parts = 1;  ///< on each stage, 1 but for the interleaved 1F1B
  std::int64_t micro_batches = 1;
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
};

/// The least number of micro-batches, at least `asked`, that the schedule allows: interleaved parts go
/// through a multiple of the stages.
std::int64_t whole_micro_batches(const PipelineShape& shape, double asked);

/// The passes of stage `stage` in their order. Throws Error (internal) for a number of micro-batches that the
/// schedule does not allow.
std::vector<PipelinePass> stage_order(const PipelineShape& shape, int stage);

/// Passes of all stages; does not overflow.
double pipeline_pass_count(const PipelineShape& shape);

}  // namespace rackcast
