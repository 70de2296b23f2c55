#pragma once
/// A time that no step of a split network falls below, without a graph of the step: what a search over
/// meshes compares before it simulates.
///
/// The stream of a stage does one thing after the other, so its step takes at least what its m micro-batches
/// need, behind the first forward pass of the stages before it and, where every stage ends with a backward
/// pass, before their last backward pass. With f and b the forward and backward pass of all v parts of a
/// stage, exchanges of activations included, and x a message from stage to stage:
///
///     sum over i < s of (f_i + b_i) / v  +  m (f_s + b_s)  +  messages that arrive at s and on the way
///
/// The largest of all stages is the bound. Kernels come from the cost model of the step (step_time), without
/// the host, which can only hold them up; sums, rings, tokens and messages are the functions that the step
/// itself calls. Where weights or gradients are sharded, the stream that gathers and scatters them beside the
/// kernels bounds the step as well. Left out is what can only add: the host, other sums of gradients, the
/// update, exchanges that take multiprocessors. A stage with several orders of its last passes (zero-bubble
/// schedules) has no passes behind it here. DualPipe hides exchanges, so its bound is of kernels alone.
///
/// A layer costs what it costs inside the network: a cut between stages adds kernels and removes none.
#include <memory>

#include "models/split/split_training.hpp"

namespace rackcast {

class StepBound {
 public:
  /// The mesh of `training` is of no meaning; the others are those of every mesh that is asked about. All
  /// must outlive this.
  StepBound(const Cluster& cluster, const TransformerShape& shape, const GpuCostModel& gpu,
            const FrameworkProfile& framework, const CommSpec& comm, const SplitTraining& training);
  ~StepBound();
  StepBound(const StepBound&) = delete;
  StepBound& operator=(const StepBound&) = delete;

  /// At most what split_step() finds for this mesh, which has its replicas. Remembers layers and exchanges.
  /// Throws Error where the shape cannot be cut so.
  Duration least(const Mesh& mesh);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rackcast
