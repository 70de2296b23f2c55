#pragma once
/// Memory of one GPU of a transformer that is split over tensor-parallel groups and pipeline stages.
///
/// Activations of a layer, per token, as V. Korthikanti et al. count them ("Reducing Activation Recomputation
/// in Large Transformer Models", arXiv 2205.05198, section 4), of 16 bits, masks of 8: inputs of both norms,
/// of attention and of the MLP and two dropout masks stay whole on every GPU of a group unless the sequence
/// is split there as well; queries, keys, values, scores, and what enters the projection and the MLP's
/// products is cut. For a plain layer with heads a, width h, sequence s and group t
///
///     h (10 + 24 / t + 5 a s / (h t))   bytes per token,   h / t (34 + 5 a s / h) with the sequence split.
///
/// Without dropout there are no masks: 8 in the place of 10, and of the scores the 2 a s of the softmax
/// alone. Selective recomputation drops the scores, and so does attention in one kernel, which keeps the
/// logarithm of the sum of exponentials instead, 32 bits for a head and token (T. Dao et al.,
/// "FlashAttention", arXiv 2205.14135, section 3.1). Full recomputation keeps the layer's input, 2 h. Layers
/// of another build (experts, latent attention, state-space models) keep what models/README.md lists, cut in
/// the same way.
///
/// The first stage of p holds as many micro-batches as there are stages: all layers' worth of one, and
/// 1 + (p - 1) / (p v) of that with v interleaved parts (section 4.2.3); fewer where a step has fewer. Under
/// GPipe every stage holds all micro-batches of the step, under ZB-H1 as many as the first of 1F1B. The
/// last stage holds one, and with it what the vocabulary product takes, (4 h + 4 vocabulary) / t (section
/// 4.3). Layers that are computed again have all activations of one layer besides.
///
/// Not in it: buffers of collectives, fragmentation.
#include "models/networks/operator.hpp"
#include "models/networks/recomputation.hpp"
#include "models/networks/transformer.hpp"
#include "models/split/pipeline_schedule.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

struct SplitMemorySpec {
  int tensor = 1, pipeline = 1, interleave = 1;
  int context = 1, expert = 1;  ///< GPUs that share a sequence, and the experts of a layer
  bool sequence_parallel =
      false;  ///< outside attention and MLP the group's GPUs hold a part of the sequence each
  bool fused_attention = false;  ///< in one kernel: no scores are kept
  Recomputation recompute = Recomputation::none;
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  double micro_batch = 1;    ///< sequences
  double micro_batches = 0;  ///< of a step; 0: as many as fill the pipeline
  Bytes element{2};          ///< of an activation
};

/// Of one layer and one micro-batch; the mean of the layers where they differ. Throws Error where the shape
/// cannot be cut so.
Bytes layer_activations(const TransformerShape& shape, const SplitMemorySpec& spec);

/// Of the layers on the GPUs of the first stage while the pipeline is full.
Bytes first_stage_activations(const TransformerShape& shape, const SplitMemorySpec& spec);

/// Of the stage that holds most, with the embedding's mask, the vocabulary product and the layer that is
/// computed again.
Bytes most_activations(const TransformerShape& shape, const SplitMemorySpec& spec);

/// Trained parameters on a GPU of the stage that has most, and those of experts among them.
struct StageParameters {
  double all = 0, of_experts = 0;
};
StageParameters most_parameters(const TransformerShape& shape, const SplitMemorySpec& spec);

}  // namespace rackcast
