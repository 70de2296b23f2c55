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
/// Selective recomputation drops the scores' 5 a s, full recomputation keeps the layer's input, 2 h. The
/// first stage of p holds as many micro-batches as there are stages: all layers' worth of one, and 1 + (p -
/// 1) / (p v) of that with v interleaved parts (section 4.2.3).
///
/// Not in it: the embedding's and the vocabulary's activations, buffers, fragmentation.
#include "models/transformer.hpp"
#include "sim/quantity.hpp"

namespace rackcast {

enum class Recomputation { none, selective, full };

struct SplitMemorySpec {
  int tensor = 1, pipeline = 1, interleave = 1;
  bool sequence_parallel =
      false;  ///< outside attention and MLP the group's GPUs hold a part of the sequence each
  Recomputation recompute = Recomputation::none;
  double micro_batch = 1;
};

/// Of one layer and one micro-batch. Throws Error where the shape cannot be cut so.
Bytes layer_activations(const TransformerShape& shape, const SplitMemorySpec& spec);

/// Of the GPUs of the first stage while the pipeline is full.
Bytes first_stage_activations(const TransformerShape& shape, const SplitMemorySpec& spec);

/// Weights in 16 bits, gradients, master weights and Adam's two states in 32 (18 bytes each, as Megatron-LM
/// has them) of the first stage, without sharding over replicas.
Bytes first_stage_states(const TransformerShape& shape, const SplitMemorySpec& spec);

}  // namespace rackcast
