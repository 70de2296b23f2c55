#include "models/gpu_step.hpp"

#include <algorithm>
#include <cmath>

#include "sim/error.hpp"

namespace rackcast {
namespace {

/// Achieved share of the pin rate of kernels that only move data; the median of large copies over the
/// measured GPUs.
constexpr double stream_fraction = 0.8;

/// Weights and biases, or scale and shift.
double tensors_of(const Operator& op) {
  if (op.trained_parameters() <= 0) return 0;
  return op.family == OperatorFamily::norm || op.family == OperatorFamily::gemm ? 2 : 1;
}

bool on_tensor_cores(const GpuCostModel& gpu, Precision precision) {
  return gpu.gpu().fp16_tensor > FlopRate{0} && precision != Precision::fp32 && precision != Precision::int8;
}

/// The sum with its input that a part of a transformer's layer ends in, and the normalisation that it begins
/// with (models/transformer.cpp).
bool ends_part(const Operator& op) {
  return op.name.ends_with(".add1") || op.name.ends_with(".add2") || op.name.ends_with(".add");
}
bool begins_part(const Operator& op) {
  return op.name.ends_with(".norm1") || op.name.ends_with(".norm2");
}

/// The queue between host and GPU.
class Stream {
 public:
  Stream(const FrameworkProfile& framework, StepTime& out) : framework_{framework}, out_{out} {
    host_ = framework.host_per_step;
  }

  void run(const Operator* op, Pass pass, Duration time, KernelCost::Limit limit) {
    issue(pass);
    gpu_ = std::max(gpu_, host_) + time;
    out_.gpu_busy += time;
    out_.kernels.push_back({op, pass, time, limit, gpu_});
  }

  /// The GPUs wait for each other; no kernel of this network.
  void sum(Duration time) {
    host_ += framework_.host_per_sum;
    gpu_ = std::max(gpu_, host_) + time;
  }

  void wait(Duration time) {
    host_ += time;
    gpu_ = std::max(gpu_, host_);
    out_.input = gpu_;
    mark_ = gpu_;
  }

  /// Time since the last mark.
  Duration lap() {
    const Duration since = gpu_ - mark_;
    mark_ = gpu_;
    return since;
  }
  [[nodiscard]] Duration now() const { return gpu_; }
  [[nodiscard]] Duration host() const { return host_; }

 private:
  void issue(Pass pass) {
    host_ += (pass == Pass::forward ? 1 : framework_.host_backward) * framework_.host_per_kernel;
  }

  const FrameworkProfile& framework_;
  StepTime& out_;
  Duration host_{0}, gpu_{0}, mark_{0};
};

class StepBuilder {
 public:
  StepBuilder(const GpuCostModel& gpu, const FrameworkProfile& framework, const StepOptions& options)
      : gpu_{gpu}, framework_{framework}, options_{options} {}

  void run(const Operator& op, Pass pass, Stream& stream) {
    if (options_.sum_over_gpus > Duration{0} &&
        (pass == Pass::forward ? ends_part(op) : pass == Pass::data_gradient && begins_part(op)))
      stream.sum(options_.sum_over_gpus);
    if (hidden(op, pass)) return;
    KernelCost cost = gpu_.cost(op, pass, options_.batch, options_.precision);
    if (cost.time <= Duration{0}) return;
    shared_ += cost.shared_sigma * cost.time;
    kernels_ += cost.time;
    const Duration body = (cost.time - cost.launch) * factor(op);
    stream.run(&op, pass, cost.launch + body + conversion(op) + unrolling(op), cost.limit);
  }

  /// What the kernels share of their error because their parameters come from other GPUs, each weighing as
  /// its time.
  [[nodiscard]] double shared_sigma() const { return kernels_ > Duration{0} ? shared_ / kernels_ : 0; }

  /// Read gradient and state, write state, for every parameter; for mixed precision also the 16-bit copy.
  void update(const Workload& workload, Stream& stream) const {
    const double accesses = options_.adam ? framework_.adam_accesses : framework_.sgd_accesses;
    const bool master = activation_bytes(options_.precision) < Bytes{4};
    const Bytes moved{workload.trained_parameters() * (4 * accesses + (master ? 4 : 0))};
    double tensors = 0;
    for (const Operator& op : workload.operators) tensors += tensors_of(op);
    const Duration time =
        tensors * framework_.update_per_tensor + moved / (gpu_.gpu().memory * stream_fraction);
    stream.run(nullptr, Pass::forward, time, KernelCost::Limit::memory);
  }

 private:
  [[nodiscard]] bool hidden(const Operator& op, Pass pass) const {
    if (op.auxiliary && !options_.training) return true;
    const bool fused_pass = pass == Pass::forward || !framework_.fuses_forward_only;
    return framework_.fuses_elementwise && fused_pass && op.fusable;
  }

  [[nodiscard]] double factor(const Operator& op) const {
    switch (op.family) {
      case OperatorFamily::elementwise:
        return framework_.elementwise_passes * (op.kind == "gelu" ? framework_.composed_passes : 1);
      case OperatorFamily::norm:
        // With stored statistics a map is read and written once; with those of the batch it is read twice.
        return framework_.norm_passes * (!options_.training && op.kind == "batch_norm" ? 2.0 / 3 : 1);
      case OperatorFamily::conv:
      case OperatorFamily::depthwise:
      case OperatorFamily::gemm:
      case OperatorFamily::rnn:
        return framework_.kernel_factor;
      case OperatorFamily::attention:
        return framework_.attention == AttentionKernel::unfused ? 1 : framework_.attention_factor;
      default:
        return 1;
    }
  }

  [[nodiscard]] bool converts() const {
    const bool tensor_cores = on_tensor_cores(gpu_, options_.precision);
    switch (framework_.layout) {
      case LayoutConversion::none:
        return false;
      case LayoutConversion::half:
        return tensor_cores;
      case LayoutConversion::wide:
        return tensor_cores && options_.precision == Precision::tf32;
      case LayoutConversion::all:
        break;
    }
    return true;
  }

  /// Channels-first tensors are transposed into and out of a tensor-core convolution: each is read and
  /// written once more.
  [[nodiscard]] Duration conversion(const Operator& op) const {
    if (op.family != OperatorFamily::conv || !converts()) return Duration{0};
    const double elements = (op.shape.elements_in + op.shape.elements_out) * options_.batch;
    return Bytes{2 * elements * activation_bytes(options_.precision).base()} /
           (gpu_.gpu().memory * stream_fraction);
  }

  /// The unrolled matrix (channels x kernel x output pixels) is written and read once.
  [[nodiscard]] Duration unrolling(const Operator& op) const {
    if (op.family != OperatorFamily::conv || framework_.conv != ConvKernels::im2col) return Duration{0};
    const OperatorShape& s = op.shape;
    const auto column = static_cast<double>(s.c * s.r * s.s * s.oh * s.ow) /
                        static_cast<double>(std::max<std::int64_t>(s.groups, 1));
    return Bytes{2 * column * options_.batch * 4} / (gpu_.gpu().memory * stream_fraction);
  }

  const GpuCostModel& gpu_;
  const FrameworkProfile& framework_;
  const StepOptions& options_;
  Duration shared_{0}, kernels_{0};
};

}  // namespace

StepTime step_time(const Workload& workload, const GpuCostModel& gpu, const FrameworkProfile& framework,
                   const StepOptions& options) {
  if (!(options.batch > 0)) throw Error{"a step needs a positive batch"};
  StepTime out;
  Stream stream{framework, out};
  if (options.training && framework.input_copy > Bandwidth{0} && workload.pixels > 0)
    stream.wait(4 * options.batch * workload.input_bytes / framework.input_copy);  // pixels arrive as floats
  StepBuilder builder{gpu, framework, options};
  for (const Operator& op : workload.operators) builder.run(op, Pass::forward, stream);
  out.forward = stream.lap();
  if (options.training) {
    for (auto op = workload.operators.rbegin(); op != workload.operators.rend(); ++op) {
      if (options.recompute) builder.run(*op, Pass::forward, stream);
      builder.run(*op, Pass::data_gradient, stream);
      builder.run(*op, Pass::weight_gradient, stream);
    }
    out.backward = stream.lap();
    if (options.optimizer) builder.update(workload, stream);
    out.optimizer = stream.lap();
  }
  out.total = stream.now();
  out.host_busy = stream.host();
  out.log_sigma = std::hypot(gpu.network_log_sigma(), builder.shared_sigma(), framework.log_sigma);
  return out;
}

}  // namespace rackcast
