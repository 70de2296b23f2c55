#include "models/step/gradient_buckets.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "models/exchange/compression.hpp"
#include "models/step/straggler.hpp"

namespace rackcast {
namespace {

/// One array of gradients and when back-propagation is through with it, since the input was there.
struct Ready {
  Duration at{0};
  Bytes bytes{0};
  double parameters = 0;
  int array = 0, arrays = 1;
  bool shards = false;
};

bool is_split(const Operator& op, const ExchangeSpec& x) {
  if (x.strategy == ExchangeStrategy::model_parallel) return true;
  return x.strategy == ExchangeStrategy::hybrid && !x.factors && op.family == OperatorFamily::gemm;
}

/// Gradient of a fully connected layer as the factors of all ranks, gathered: batch * (inputs + outputs) of
/// each rank instead of inputs * outputs (H. Zhang et al., Poseidon, USENIX ATC 2017). As the payload of an
/// all-reduce, which passes a ring twice: n/2 of one rank's part. Whatever is less.
double exchanged_parameters(const Operator& op, const TrainingSpec& spec, int ranks) {
  const ExchangeSpec& x = spec.exchange;
  if (is_split(op, x)) return op.trained_parameters() / std::min(x.ways, ranks);
  if (x.strategy != ExchangeStrategy::hybrid || !x.factors || op.family != OperatorFamily::gemm)
    return op.trained_parameters();
  const double rows = spec.batch_per_gpu * static_cast<double>(op.shape.rows);
  return std::min(op.trained_parameters(), rows * static_cast<double>(op.shape.n + op.shape.k) * ranks / 2);
}

/// Of a parameter, uncompressed.
Bytes width_on_wire(const TrainingSpec& spec) {
  if (spec.exchange.gradient > Bytes{0}) return spec.exchange.gradient;
  // Weights are kept in fp32 (models/memory/memory.hpp).
  if (sends_after_update(spec.exchange) || spec.framework->wide_gradients)
    return gradient_bytes(Precision::fp32);
  return gradient_bytes(spec.precision);
}

std::vector<Ready> arrays_of(const TrainingSpec& spec, const StepTime& step, int ranks) {
  std::map<const Operator*, Duration> ends;
  for (const StepKernel& kernel : step.kernels)
    if (kernel.op && kernel.end - step.input > step.forward) ends[kernel.op] = kernel.end - step.input;
  std::vector<Ready> out;
  Duration mark = step.forward;
  const Bytes width = width_on_wire(spec);
  const bool one_copy = replicas_of_shards(spec.exchange, ranks) < 2;
  const auto& operators = spec.workload->operators;
  int array = static_cast<int>(
      std::ranges::count_if(operators, [](const Operator& op) { return op.trained_parameters() > 0; }));
  for (auto op = operators.rbegin(); op != operators.rend(); ++op) {
    if (const auto found = ends.find(&*op); found != ends.end()) mark = std::max(mark, found->second);
    if (op->trained_parameters() <= 0) continue;
    --array;
    const bool shards = is_split(*op, spec.exchange);
    if (shards && one_copy) continue;  // nobody else has these weights
    const double parameters = exchanged_parameters(*op, spec, ranks);
    out.push_back({mark, parameters * width, parameters, array, 1, shards});
  }
  return out;
}

/// Cuts at the bucket size, at ticks of the cycle, between what all ranks sum and what some do, or nowhere.
/// `step_end`: of what must be over where nothing leaves before; nothing leaves before it then.
std::vector<Ready> gather(const std::vector<Ready>& arrays, const ExchangeSpec& x,
                          std::optional<Duration> step_end, Duration cycle) {
  std::vector<Ready> out;
  if (arrays.empty()) return out;
  Ready open;
  const auto ready = [&](const Ready& array) {
    return step_end.value_or(array.at);
  };
  const Duration last = ready(arrays.back());
  const auto tick = [&](Duration at) {
    return cycle.base() > 0 ? last + cycle * (std::ceil((at - last) / cycle - 0.5) + 0.5) : at;
  };
  const auto groups = static_cast<std::size_t>(x.groups);
  const std::size_t together = groups > 0 ? (arrays.size() + groups - 1) / groups : 0;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Duration at = tick(ready(arrays[i]));
    const bool later = cycle.base() > 0 && at > open.at && together == 0;
    if (open.bytes.base() > 0 && (later || open.shards != arrays[i].shards)) {
      out.push_back(open);
      open = {};
    }
    if (open.bytes.base() == 0) {
      open.array = arrays[i].array;
      open.arrays = 0;
      open.shards = arrays[i].shards;
    }
    ++open.arrays;
    open.bytes += arrays[i].bytes;
    open.parameters += arrays[i].parameters;
    open.at = at;
    const bool by_size = cycle.base() > 0 || x.bucket.base() > 0 ? open.bytes >= x.bucket : true;
    const bool full = together > 0 ? (i + 1) % together == 0 : by_size;
    if (full || i + 1 == arrays.size()) {
      out.push_back(open);
      open = {};
    }
  }
  return out;
}

/// A synchronous step is as slow as its slowest rank; staleness averages the waits of several steps.
double slowest_rank(const ExchangeSpec& x, int ranks) {
  const bool servers = x.strategy == ExchangeStrategy::parameter_server;
  if (servers && x.servers.mode == ServerMode::asynchronous) return 1;
  const double steps = servers && x.servers.mode == ServerMode::stale ? x.servers.staleness + 1 : 1;
  return 1 + step_jitter() * expected_maximum(ranks) / std::sqrt(steps * x.local_steps);
}

/// Of the weights that a GPU updates: shards of split layers are smaller.
double held_share(const TrainingSpec& spec, int ranks) {
  double held = 0, all = 0;
  for (const Operator& op : spec.workload->operators) {
    all += op.trained_parameters();
    held += op.trained_parameters() / (is_split(op, spec.exchange) ? std::min(spec.exchange.ways, ranks) : 1);
  }
  return all > 0 ? held / all : 1;
}

/// Cuts back-propagation where buckets leave, and adds what packing them takes.
void add_buckets(const TrainingSpec& spec, const StepTime& step, int ranks, double pace, StepTimes& out) {
  const ExchangeSpec& x = spec.exchange;
  const bool after_update = sends_after_update(x);
  const Duration end = after_update ? step.forward : step.forward + step.backward;
  std::optional<Duration> held;
  if (x.after_backward || after_update) held = end;
  const Bandwidth memory = 0.8 * spec.gpu->gpu().memory;
  const Compression& packed = compression(x.compression);
  Duration mark = step.forward;
  Duration sent = end;  // the last tick that was waited for
  // The cycle is no work of the GPU, so it does not stretch with the pace.
  for (const Ready& bucket : gather(arrays_of(spec, step, ranks), x, held, x.cycle / pace)) {
    const Duration at = std::min(bucket.at, end);
    Duration delay = pace * std::max(Duration{0}, bucket.at - sent);
    sent = std::max(sent, bucket.at);
    if (x.packs && bucket.arrays > 1) delay += 4 * bucket.bytes / memory;
    CompressionTraffic traffic;
    if (ranks > 1) traffic = compression_traffic(packed, bucket.parameters, bucket.bytes);
    const Duration packing = traffic.packing / memory * pace;
    out.unpacking += traffic.unpacking / memory * pace;
    out.buckets.push_back({(std::max(at, mark) - mark) * pace + packing, bucket.bytes, bucket.parameters,
                           bucket.array, delay, packing, bucket.shards});
    mark = std::max(at, mark);
  }
  out.backward_tail = (step.forward + step.backward - mark) * pace;
}

}  // namespace

bool sends_after_update(const ExchangeSpec& exchange) {
  return exchange.strategy == ExchangeStrategy::local_sgd;
}

int replicas_of_shards(const ExchangeSpec& exchange, int ranks) {
  return std::max(1, ranks / std::max(1, exchange.ways));
}

StepOptions step_options(const TrainingSpec& spec) {
  StepOptions options;
  options.batch = spec.batch_per_gpu;
  options.precision = spec.precision;
  options.adam = spec.adam;
  options.optimizer = spec.optimizer;
  options.recompute = spec.recompute;
  return options;
}

StepTimes step_times(const TrainingSpec& spec, int ranks) {
  const StepTime step = step_time(*spec.workload, *spec.gpu, *spec.framework, step_options(spec));
  const double pace = slowest_rank(spec.exchange, ranks) / spec.compute_scale;
  StepTimes out;
  // All micro-steps but the last go through without an exchange.
  const Duration decode = spec.accumulation * spec.batch_per_gpu * spec.input.gpu_decode;
  out.forward = (step.input + step.forward +
                 (spec.accumulation - 1) * (step.input + step.forward + step.backward) + decode) *
                pace;
  out.optimizer = step.optimizer * pace * held_share(spec, ranks);
  out.log_sigma = step.log_sigma;
  out.host_share = host_share(step);
  add_buckets(spec, step, ranks, pace, out);
  return out;
}

}  // namespace rackcast
