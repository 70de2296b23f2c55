#pragma once
/// Time that DeepSpeed's ZeRO stage 3 of 2021 adds to a step: weights are sharded over all GPUs and gathered
/// tensor by tensor.
///
/// It gathers a tensor when it needs it: its prefetch buffer (5e7 elements, later 5e8:
/// deepspeed.ai/docs/config-json, stage3_prefetch_bucket_size) is less than one matrix of a large layer. What
/// is computed again is gathered again, too. Nothing of it is hidden: the GPU is idle when a list is begun
/// (torch.cuda.synchronize in _allgather_param), and the buffer is cleared before that (torch.zeros).
///
/// Collectives take lists with a tensor for each GPU (deepspeed/runtime/zero/partition_parameters.py:
/// _allgather_param, _reduce_scatter_gradient), which PyTorch copies one by one from or to the buffer that
/// NCCL takes (ProcessGroupNCCL.cpp: outputTensors[i][j].copy_(outputFlattened[i][j])). The lists are made
/// anew each time, in Python: a view for each GPU of a gather (narrow), two of a scatter (view, narrow), and
/// one in C++ for the copy.
///
/// Tensors of fewer than 100,000 elements (stage3_param_persistence_threshold), which are the biases and
/// normalisations of a layer, stay whole. But their gradients are scattered like all others, each with a list
/// of its own (stage3.py, average_tensor; _reduce_scatter_gradients), and after the update all of them are
/// gathered in one collective, whose result is copied for each tensor and GPU from Python: two views, a
/// flattening and a copy (stage3.py, _post_step; _allgather_params).
///
/// All of it as in version 0.3.14 (April 2021).
#include "models/networks/operator.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

class CommModel;
class GpuCostModel;

struct ListedLayers {
  double layers = 1;
  double parameters = 0;  ///< of all layers, summed over the GPUs that share an adapter
  double hidden = 0;
  double replicas = 1;
  Precision precision = Precision::mixed;
  bool recompute = false;  ///< all activations
};

struct ListedShards {
  Duration network{0};  ///< of each micro-batch: collectives
  Duration device{0};   ///< of each micro-batch: buffers cleared, gradients divided
  Duration host{0};     ///< of each micro-batch: lists
  Duration kept{0};     ///< of each step: tensors that stay whole are gathered after the update
};

/// The exposed times of these layers. `over`: the communication among the replicas.
ListedShards exposed_by_lists(CommModel& over, const GpuCostModel& gpu, const ListedLayers& of);

}  // namespace rackcast
