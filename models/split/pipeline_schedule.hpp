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
/// Parallelism", ICLR 2024, section 2.2). It keeps as many activations as 1F1B. ZB-H2 (section 2.3) goes
/// forward through 2 (p - s) - 1 micro-batches first and holds 2 s back, and its stages do not meet before
/// the update: a step that a check finds wrong is undone (section 4).
///
/// DualPipe sends half of the micro-batches through the stages in their order and the others, mirrored, in
/// the opposite order, so that each GPU has two stages, its own and that of its mirror (DeepSeek-AI,
/// "DeepSeek-V3 Technical Report", arXiv 2412.19437, section 3.2.1; the order of the passes is that of
/// github.com/deepseek-ai/DualPipe, dualpipe.py). In the middle of the step a forward pass of one direction
/// and a backward pass of the other are one: the exchanges of each are hidden behind the kernels of both.
///
/// Equal stages that send in no time have a bubble of
///
///     (p - 1) (f + b)              GPipe and 1F1B, f forward and b backward
///     (p - 1) (f + b) / v          interleaved
///     (p - 1) (f + b - 2 w)        ZB-H1, w of b for the weights
///     none                         ZB-H2, if f = b - w = w
///     (p / 2 - 1) (f + 2 b - 3 w)  DualPipe, at most
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace rackcast {

enum class PipelineSchedule { one_f_one_b, gpipe, zero_bubble, zero_bubble_2p, dualpipe };
inline constexpr std::array pipeline_schedules{PipelineSchedule::one_f_one_b, PipelineSchedule::gpipe,
                                               PipelineSchedule::zero_bubble,
                                               PipelineSchedule::zero_bubble_2p, PipelineSchedule::dualpipe};
/// "1f1b", "gpipe", "zero_bubble" (ZB-H1), "zero_bubble_2p" (ZB-H2), "dualpipe".
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
  bool mirrored = false;                 ///< DualPipe: goes from the last GPU to the first
  bool with_next = false;                ///< DualPipe: one with the pass that follows

  /// Whether the two passes differ in the micro-batch alone.
  [[nodiscard]] bool like(const PipelinePass& o) const {
    return part == o.part && kind == o.kind && receives == o.receives && sends == o.sends &&
           first == o.first && last == o.last && mirrored == o.mirrored && with_next == o.with_next;
  }
};

struct PipelineShape {
  int stages = 1;
  int parts = 1;  ///< on each stage, 1 but for the interleaved 1F1B
  std::int64_t micro_batches = 1;
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
};

/// The least number of micro-batches, at least `asked`, that the schedule allows: interleaved parts go
/// through a multiple of the stages, DualPipe through an even number that is at least twice the stages.
std::int64_t whole_micro_batches(const PipelineShape& shape, double asked);

/// Whether a step may have that number: DualPipe takes no other than whole_micro_batches(), of the other
/// schedules passes are shorter where there are fewer.
bool takes_micro_batches(PipelineSchedule schedule, int stages, double micro_batches);

/// The passes of GPU `stage` in their order, which of DualPipe are those of two stages. Throws Error
/// (internal) for a number of micro-batches that the schedule does not allow, and for a DualPipe of an odd
/// number of stages.
std::vector<PipelinePass> stage_order(const PipelineShape& shape, int stage);

/// Passes of all stages, of DualPipe at most so many; does not overflow.
double pipeline_pass_count(const PipelineShape& shape);

}  // namespace rackcast
