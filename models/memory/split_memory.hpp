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
/// Stage i of p holds p - i micro-batches: all layers' worth of one on the first. With v interleaved parts it
/// holds 2 (p - i - 1) + (v - 1) p + 1 parts of layers, which on the first is 1 + (p - 1) / (p v) of all
/// layers (section 4.2.3); fewer where a step has fewer. Under GPipe every stage holds all micro-batches of
/// the step, under ZB-H1 as many as the first of 1F1B, under ZB-H2 2 p - 1. Under DualPipe a GPU holds two
/// stages and p + 1 micro-batches, about half of them of each (github.com/deepseek-ai/DualPipe, README.md).
/// The first stage has the embedding's mask besides, the
/// last what the vocabulary product takes, 4 h + 4 vocabulary / t (section 4.3; the bytes for a word are the
/// trainer's). Layers that are computed again have all activations of one layer besides.
///
/// While a layer's gradients are computed, those of its maps are there besides: of gate and product of the
/// MLP, of what comes out of it, and of its input and the residual, 2 h / t + 3 f / t for an MLP of width f.
///
/// Results that were handed to a sum over the tensor-parallel GPUs leave memory that PyTorch's allocator must
/// not use again until the sum is done (torch.Tensor.record_stream). The host runs ahead of the GPU by up to
/// the 1024 launches that a queue holds, so many such results wait: TrainerMemory::sums_in_flight, no more
/// than two for each layer and micro-batch that waits, and not more than half of what the backward pass
/// keeps: an allocator that finds no memory waits for them.
#include <cstddef>
#include <vector>

#include "models/frameworks/trainer_memory.hpp"
#include "models/networks/operator.hpp"
#include "models/networks/transformer.hpp"
#include "models/split/mesh.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

/// What decides on memory beside the mesh.
struct KeptSpec {
  bool fused_attention = false;  ///< in one kernel: no scores are kept
  Bytes element{2};              ///< of an activation
  TrainerMemory trainer = {};
};

/// Of one layer and one micro-batch; the mean of the layers where they differ. Throws Error where the shape
/// cannot be cut so.
Bytes layer_activations(const TransformerShape& shape, const Mesh& mesh, const KeptSpec& kept = {});

/// Of the layers on the GPUs of the first stage while the pipeline is full.
Bytes first_stage_activations(const TransformerShape& shape, const Mesh& mesh, const KeptSpec& kept = {});

/// Trained parameters on a GPU, and those of experts among them.
struct StageParameters {
  double all = 0, of_experts = 0;
};

/// What a GPU of one stage holds.
struct StageHolding {
  double layers = 0;
  StageParameters parameters;
  /// While most micro-batches wait: with the embedding's mask, the vocabulary product and the layer that is
  /// computed again.
  Bytes activations{0};
  Bytes map_gradients{0};   ///< of the layer whose gradients are computed
  Bytes gather_buffers{0};  ///< for gathered sequences, all the time
  Bytes in_flight{0};       ///< results whose memory waits for a sum over GPUs
};

/// Of a GPU of every stage of the pipeline, the first first. Throws Error where the shape cannot be cut so.
std::vector<StageHolding> stage_holdings(const TransformerShape& shape, const Mesh& mesh,
                                         const KeptSpec& kept = {});

/// Of the stage that has most parameters.
StageParameters most_parameters(const TransformerShape& shape, const Mesh& mesh, const KeptSpec& kept = {});

}  // namespace rackcast
