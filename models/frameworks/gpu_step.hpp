#pragma once
/// One training step or inference pass on one GPU: kernels in a queue that the host fills.
///
/// The host issues kernels in the order of the network (then backwards) and runs ahead; a kernel starts when
/// it has been issued and the one before it has ended:
///
///   issued(i) = issued(i-1) + host_per_kernel,   end(i) = max(end(i-1), issued(i)) + kernel(i)
///
/// so a stretch of short kernels runs at the host's pace and a stretch of long ones at the GPU's. Gradients
/// have a pace of their own (FrameworkProfile::host_backward).
#include <algorithm>
#include <string>
#include <vector>

#include "models/frameworks/framework.hpp"
#include "models/gpu/cost.hpp"
#include "models/networks/operator.hpp"
#include "models/networks/recomputation.hpp"

namespace rackcast {

/// A sum over the GPUs that share a layer, as a kernel of the queue.
struct LayerSum {
  Duration time{0};  ///< on the GPU; 0: there is none
  Duration host{0};  ///< until the host has issued it, beside FrameworkProfile::host_per_sum
};

struct StepOptions {
  double batch = 1;  ///< samples
  Precision precision = Precision::fp32;
  bool training = true;   ///< false: forward pass only, as at inference
  bool optimizer = true;  ///< include the parameter update
  bool adam = false;      ///< Adam or LAMB rather than SGD with momentum
  /// Sums over the GPUs that share every layer. Going forward there is one before each sum of a layer's part
  /// with the part's input, going back one before the gradient of the normalisation that the part begins
  /// with.
  LayerSum forward_sum = {}, backward_sum = {};
  /// What adding a parameter's gradient to that of the micro-batches before moves; it is done after the
  /// gradient, and the host's pace per operator holds its launch.
  Bytes gradient_sum{0};
  /// Going back, what is not kept runs forward once more: attention, or every operator.
  Recomputation recompute = Recomputation::none;
};

/// One kernel of the step, for tables.
struct StepKernel {
  const Operator* op = nullptr;  ///< nullptr: the parameter update or a cast of the weights
  Pass pass = Pass::forward;
  Duration time{0};
  KernelCost::Limit limit = KernelCost::Limit::launch;
  Duration end{0};  ///< since the step began, the host's pace included
};

struct StepTime {
  Duration total{0};
  Duration input{0};                               ///< until the images are there
  Duration forward{0}, backward{0}, optimizer{0};  ///< parts of total as they pass on the clock
  Duration gpu_busy{0};                            ///< sum of the kernels
  double log_sigma = 0;  ///< of ln(measured/predicted), kernels and framework together
  std::vector<StepKernel> kernels;
};

/// Whether training in this precision multiplies losses, because the GPU's tensor cores know fp16 and no
/// bf16.
inline bool scales_losses(const GpuRates& gpu, Precision precision) {
  const bool narrow = precision == Precision::mixed || precision == Precision::fp16;
  return narrow && gpu.fp16_tensor > FlopRate{0} && !(gpu.bf16_tensor > FlopRate{0});
}

/// Share of forward, backward and update in which the GPU waits for the host to start a kernel.
inline double host_share(const StepTime& step) {
  const Duration kernels = step.forward + step.backward + step.optimizer;
  return kernels > Duration{0} ? std::max(0.0, 1 - step.gpu_busy / kernels) : 0;
}

/// Throws Error when the batch is not positive.
StepTime step_time(const Workload& workload, const GpuCostModel& gpu, const FrameworkProfile& framework,
                   const StepOptions& options);

}  // namespace rackcast
