#pragma once
/// One optimizer step of a transformer that no single GPU holds: tensor, pipeline and data parallelism
/// together (models/split/mesh.hpp), as Megatron-LM combines them.
///
/// Tensor parallelism cuts heads, the MLP's width and the vocabulary over `tensor` GPUs, which sum
/// activations twice per layer going forward and twice going back (M. Shoeybi et al., "Megatron-LM",
/// arXiv:1909.08053, 2019). Pipeline parallelism cuts the layers into stages; ranks are numbered tensor
/// first, then data, then pipeline (D. Narayanan et al., SC 2021, section 3). This file computes the times of
/// the kernels and exchanges of each stage. The step is a graph of them (models/split/split_graph.hpp), which
/// is simulated.
///
/// A sequence may be cut over `context` GPUs (H. Liu et al., "Ring Attention", arXiv:2310.01889;
/// Megatron-Core's context parallelism): each has the queries of its tokens and passes keys and values on
/// around a ring, and going back their gradients as well. The GPUs wait for the part that takes longer than
/// attention. Where attention is computed again in the backward pass, keys and values go round once more; a
/// causal mask is taken as balanced, as load-balanced chunks make it. Such GPUs have the same weights: their
/// gradients are summed with those of the replicas.
///
/// States may be sharded over the replicas (S. Rajbhandari et al., "ZeRO", SC 2020): stage 1 the optimizer's,
/// stage 2 gradients as well, which are scattered after every micro-batch, stage 3 weights as well (fully
/// sharded data parallelism: Y. Zhao et al., "PyTorch FSDP", VLDB 2023), which are gathered layer by layer,
/// forward and again backward, one layer ahead of the kernels.
///
/// DeepSpeed's stage 3 hides nothing (models/split/listed_shards.hpp).
///
/// The gradients of a micro-batch are added to those before: PyTorch's autograd reads both and writes one, in
/// the width of the weights (torch/csrc/autograd/functions/accumulate_grad.h, in place), and what sums in 32
/// bits moves more (FrameworkProfile::gradient_sums).
#include <cstdint>
#include <memory>
#include <vector>

#include "models/frameworks/gpu_step.hpp"
#include "models/graph/step_parts.hpp"
#include "models/networks/low_rank.hpp"
#include "models/networks/operator.hpp"
#include "models/networks/transformer.hpp"
#include "models/split/mesh.hpp"
#include "sim/engine/limits.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

struct Cluster;
struct CommSpec;
struct FrameworkProfile;
struct SplitWork;
struct TrainingRun;

/// A training of a split network beside the network, the cluster and the software.
struct SplitTraining {
  Mesh mesh = {};
  Precision precision = Precision::mixed;
  bool adam = true;
  LowRankSpec adapters = {};                    ///< rank 0: all weights are trained
  double compute_scale = 1, network_scale = 1;  ///< of the rates, for intervals
  Limits limits = {};                           ///< of the simulation
};

struct SplitStep {
  StepParts parts;                        ///< of the slowest stage
  Duration stage_exchange{0};             ///< of `activation_exchange`, what is sent from stage to stage
  std::size_t slowest = 0;                ///< of the stages
  std::shared_ptr<const SplitWork> work;  ///< what was simulated
  std::uint64_t events = 0;               ///< simulated
  double host_share = 0;  ///< of that stage's kernels: the GPU waits for the host to start one
  double compute_log_sigma = 0, network_log_sigma = 0, scaling_log_sigma = 0;

  [[nodiscard]] Duration compute() const { return parts.forward + parts.backward; }
  /// Time of the sums of activations among the GPUs that share a layer.
  [[nodiscard]] Duration tensor_exchange() const { return parts.activation_exchange - stage_exchange; }
};

/// The step as a training run. `sequences` is the number of sequences in a whole step.
TrainingRun split_run(const SplitStep& step, int ranks, double sequences);

/// One step on all ranks of the cluster. Throws Error if they or the shape cannot be cut in this way.
SplitStep split_step(const Cluster& cluster, const TransformerShape& shape, const GpuCostModel& gpu,
                     const FrameworkProfile& framework, const CommSpec& comm, const SplitTraining& spec);

/// The kernels of one micro-batch and of the update on a GPU of one stage, without exchanges. stage_kernels()
/// throws Error if the shape cannot be cut in this way, or if there is no such stage.
struct StageKernels {
  std::unique_ptr<const Workload> part;  ///< `step` points into it
  StepTime step;
};
StageKernels stage_kernels(const TransformerShape& shape, const GpuCostModel& gpu,
                           const FrameworkProfile& framework, const SplitTraining& spec, std::size_t stage);

}  // namespace rackcast
