#pragma once
/// Memory of a GPU that a trainer holds beside the states and the tensors that the backward pass reads: the
/// object `"memory"` of a profile (models/data/frameworks). Each number follows from the trainer's source,
/// which the profile names, or says what it was fitted on. models/memory counts with them.
#include "sim/units/quantity.hpp"

namespace rackcast {

/// How the layers of a network are dealt to the stages of a pipeline.
enum class StageCut {
  equal,    ///< equal numbers of layers; the vocabulary product goes with the last
  by_cost,  ///< equal shares of the products' work, of which the vocabulary product is a part
};

/// What a session that holds the whole network as a graph of simple operators keeps, of a network that every
/// GPU has whole.
struct GraphMemory {
  /// Maps that a GELU, a layer norm put together from simple operators keeps for its own backward pass,
  /// beside its input and its result.
  double gelu_maps = 0, norm_maps = 0;
  bool wide_masks = false;  ///< a dropout's mask has the width of its map, not one byte
  /// Gradients exist from the operator that makes them to the update, and no longer.
  bool passing_gradients = false;
  /// Values of 32 bits for each parameter that an Adam put together from simple operators computes from
  /// moments and weights alone: they are ready when the step begins, and wait for the gradients.
  double adam_ahead = 0;
  double adam_update = 0;  ///< further values for each parameter while it updates all parameters side by side
};

struct TrainerMemory {
  StageCut stages = StageCut::equal;
  /// 16-bit gradients of a whole backward pass stay until they are added to sums in 32 bits. Where there are
  /// replicas, the buckets of PyTorch's DistributedDataParallel stay besides, and weights that replicas
  /// updated in shards are gathered through one flat copy.
  bool keeps_buckets = false;
  /// Whole copies of a layer's input that stay for gathered sequences (tensor parallelism with a split
  /// sequence).
  double gather_buffers = 0;
  double logit_bytes = 4;  ///< for each token and word of the vocabulary on a GPU, while the loss is computed
  double fused_logit_bytes = 0;  ///< with the loss compiled into few kernels; 0: as without
  /// What its arguments have unless a run says otherwise, of published runs of networks that are given by
  /// numbers alone: a tenth of the activations and attention scores is dropped; the vocabulary product has
  /// the weights of the embedding.
  bool drops = false, shares_embedding = false;
  Bytes workspace{0};  ///< scratch of its own library of products, beside that of PyTorch's
  /// Queries are a view of the projection of queries, keys and values, all of which stays beside the copies
  /// of keys and values that attention reads. Not where groups of heads share keys.
  bool keeps_projection = false;
  /// Results that were handed to a sum over the tensor-parallel GPUs and wait for it. Their memory is free,
  /// but not for use, until the GPU has caught up with the host.
  double sums_in_flight = 0;
  /// Taken from the driver outside the framework's allocator, beside one communicator for each dimension of
  /// the split: further communicators, and what the library holds for sums inside the NVLink switch.
  Bytes outside_allocator{0};
  GraphMemory graph;
};

}  // namespace rackcast
