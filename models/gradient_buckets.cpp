#include "models/gradient_buckets.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "models/compression.hpp"
#include "models/gpu_step.hpp"
#include "models/straggler.hpp"

namespace rackcast {
namespace {

/// One array of gradients and when back-propagation is through with it, since the input was there.
struct Ready {
  Duration at{0};
  Bytes bytes{0};
  int array = 0, arrays = 1;
};

/// Gradient of a fully connected layer as the factors of all ranks, gathered: batch * (inputs + outputs) of
/// each rank instead of inputs * outputs (H. Zhang et al., Poseidon, USENIX ATC 2017). As the payload of an
/// all-reduce, which passes a ring twice: n/2 of one rank's part. Whatever is less.
double exchanged_parameters(const Operator& op, const TrainingSpec& spec, int ranks) {
  const ExchangeSpec& x = spec.exchange;
  if (x.strategy == ExchangeStrategy::model_parallel) return op.trained_parameters() / x.ways;
  if (x.strategy != ExchangeStrategy::hybrid || op.family != OperatorFamily::gemm)
    return op.trained_parameters();
  if (!x.factors) return op.trained_parameters() / x.ways;
  const double rows = spec.batch_per_gpu * static_cast<double>(op.shape.rows);
  return std::min(op.trained_parameters(), rows * static_cast<double>(op.shape.n + op.shape.k) * ranks / 2);
}

std::vector<Ready> arrays_of(const TrainingSpec& spec, const StepTime& step, int ranks) {
  std::map<const Operator*, Duration> ends;
  for (const StepKernel& kernel : step.kernels)
    if (kernel.op && kernel.end - step.input > step.forward) ends[kernel.op] = kernel.end - step.input;
  std::vector<Ready> out;
  Duration mark = step.forward;
  const Bytes usual =
      spec.framework->wide_gradients ? gradient_bytes(Precision::fp32) : gradient_bytes(spec.precision);
  const Bytes gradient = spec.exchange.gradient > Bytes{0} ? spec.exchange.gradient : usual;
  const auto& operators = spec.workload->operators;
  int array = static_cast<int>(
      std::ranges::count_if(operators, [](const Operator& op) { return op.trained_parameters() > 0; }));
  for (auto op = operators.rbegin(); op != operators.rend(); ++op) {
    if (const auto found = ends.find(&*op); found != ends.end()) mark = std::max(mark, found->second);
    if (op->trained_parameters() <= 0) continue;
    out.push_back({mark, exchanged_parameters(*op, spec, ranks) * gradient, --array});
  }
  return out;
}

/// Cuts at the bucket size, at ticks of the cycle, or nowhere.
std::vector<Ready> gather(const std::vector<Ready>& arrays, const ExchangeSpec& x, Duration backward_end) {
  std::vector<Ready> out;
  Ready open;
  const auto tick = [&](Duration array) {
    const Duration at = x.after_backward ? backward_end : array;
    return x.cycle.base() > 0 ? x.cycle * std::ceil(at / x.cycle) : at;
  };
  const auto groups = static_cast<std::size_t>(x.groups);
  const std::size_t together = groups > 0 ? (arrays.size() + groups - 1) / groups : 0;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Duration at = tick(arrays[i].at);
    // The cycle's clock has nothing to do with the step's: on average a tensor waits for half of it.
    if (open.bytes.base() > 0 && x.cycle.base() > 0 && at > open.at && together == 0) {
      out.push_back(open);
      open = {};
    }
    if (open.bytes.base() == 0) {
      open.array = arrays[i].array;
      open.arrays = 0;
    }
    ++open.arrays;
    open.bytes += arrays[i].bytes;
    open.at = at;
    const bool by_size = x.cycle.base() > 0 || x.bucket.base() > 0 ? open.bytes >= x.bucket : true;
    const bool full = together > 0 ? (i + 1) % together == 0 : by_size;
    if (full || i + 1 == arrays.size()) {
      out.push_back(open);
      open = {};
    }
  }
  return out;
}

}  // namespace

StepTimes step_times(const TrainingSpec& spec, int ranks) {
  StepOptions options;
  options.batch = spec.batch_per_gpu;
  options.precision = spec.precision;
  options.adam = spec.adam;
  options.optimizer = spec.optimizer;
  options.recompute = spec.recompute;
  const StepTime step = step_time(*spec.workload, *spec.gpu, *spec.framework, options);
  const Duration end = step.forward + step.backward;
  const ExchangeSpec& x = spec.exchange;

  // A synchronous step is as slow as its slowest rank; staleness averages the waits of several steps.
  double slowest = 1;
  const bool servers = x.strategy == ExchangeStrategy::parameter_server;
  if (!servers || x.servers.mode != ServerMode::asynchronous) {
    const double steps = servers && x.servers.mode == ServerMode::stale ? x.servers.staleness + 1 : 1;
    slowest += step_jitter() * expected_maximum(ranks) / std::sqrt(steps * x.local_steps);
  }
  const double pace = slowest / spec.compute_scale;

  StepTimes out;
  // All micro-steps but the last go through without an exchange.
  const Duration decode = spec.accumulation * spec.batch_per_gpu * spec.input.gpu_decode;
  out.forward = (step.input + step.forward +
                 (spec.accumulation - 1) * (step.input + step.forward + step.backward) + decode) *
                pace;
  out.optimizer = step.optimizer * pace;
  out.log_sigma = step.log_sigma;
  Duration mark = step.forward;
  const Bandwidth memory = 0.8 * spec.gpu->gpu().memory;
  Duration sent = end;  // the last tick that was waited for
  for (const Ready& bucket : gather(arrays_of(spec, step, ranks), x, end)) {
    const Duration at = std::min(bucket.at, end);
    Duration delay = std::max(Duration{0}, bucket.at - sent);
    sent = std::max(sent, bucket.at);
    if (x.packs && bucket.arrays > 1) delay += 4 * bucket.bytes / memory;
    out.buckets.push_back({(std::max(at, mark) - mark) * pace, bucket.bytes, bucket.array, delay});
    mark = std::max(at, mark);
  }
  out.backward_tail = (end - mark) * pace;
  // Packing and unpacking run on the GPU between back-propagation and the wire.
  const Compression& packed = compression(x.compression);
  if (packed.gpu_passes > 0) {
    const Bytes moved = packed.gpu_passes * 4 * Bytes{spec.workload->trained_parameters()};
    out.backward_tail += moved / memory;
  }
  return out;
}

}  // namespace rackcast
