/// Figures of single kernels: matrix products, convolutions, recurrent layers.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "scenarios/validation/predict/predictor.hpp"

namespace rackcast {
namespace {

std::int64_t size_in(const Json& object, std::string_view key) {
  const auto value = number_in(object, key);
  if (!value || !(*value >= 1) || *value > 1e9)
    throw Unpredictable{"kernel shape lacks \"" + std::string{key} + "\""};
  return static_cast<std::int64_t>(*value);
}

const GpuCostModel& gpu_of(PredictionContext& context, const ValidationCase& c) {
  if (!c.system.gpu) throw Unpredictable{"GPU not stated", "gpu"};
  FrameworkQuery query{.name = c.workload.framework, .version = c.workload.framework_version};
  query.cudnn = text_in(c.workload.extra, "cudnn").value_or("");
  return context.gpu(*c.system.gpu, framework_profile(query));
}

Precision kernel_precision(const ValidationCase& c) {
  if (!c.workload.precision) throw Unpredictable{"precision not stated", "precision"};
  try {
    return parse_precision(*c.workload.precision);
  } catch (const std::exception&) {
    throw Unpredictable{"precision \"" + *c.workload.precision + "\" has no kernel model"};
  }
}

/// m x n x k with weights k x n, for batch 1.
Operator gemm(double m, double n, double k) {
  Operator op;
  op.name = op.kind = "gemm";
  op.family = OperatorFamily::gemm;
  op.shape.rows = static_cast<std::int64_t>(m);
  op.shape.n = static_cast<std::int64_t>(n);
  op.shape.k = static_cast<std::int64_t>(k);
  op.parameters = n * k;
  op.forward_flop = Flop{2 * m * n * k};
  op.shape.elements_in = m * k;
  op.shape.elements_out = m * n;
  return op;
}

Operator conv(const Json& in) {
  Operator op;
  op.name = op.kind = "conv";
  op.family = OperatorFamily::conv;
  OperatorShape& s = op.shape;
  s.c = size_in(in, "in_channels");
  s.h = size_in(in, "height");
  s.w = size_in(in, "width");
  s.n = size_in(in, "out_channels");
  s.r = s.s = size_in(in, "kernel");
  s.stride_h = s.stride_w = size_in(in, "stride");
  const auto pad = static_cast<std::int64_t>(number_in(in, "padding").value_or(0));
  s.oh = (s.h + 2 * pad - s.r) / s.stride_h + 1;
  s.ow = (s.w + 2 * pad - s.s) / s.stride_w + 1;
  if (s.oh < 1 || s.ow < 1) throw Unpredictable{"the kernel is larger than its input"};
  const auto weights = static_cast<double>(s.n * s.c * s.r * s.s);
  const auto pixels = static_cast<double>(s.oh * s.ow);
  op.parameters = weights;
  op.forward_flop = Flop{2 * weights * pixels};
  s.elements_in = static_cast<double>(s.c * s.h * s.w);
  s.elements_out = static_cast<double>(s.n) * pixels;
  return op;
}

/// The recurrent product of every time step, without the input product.
Operator rnn(const ValidationCase& c) {
  Operator op;
  op.name = op.kind = "rnn";
  op.family = OperatorFamily::rnn;
  OperatorShape& s = op.shape;
  const std::string& model = c.workload.model;
  s.gates = model == "rnn-lstm" ? 4 : model == "rnn-gru" ? 3 : 1;
  s.hidden = s.k = size_in(c.workload.input, "hidden");
  s.steps = size_in(c.workload.input, "timesteps");
  if (flag_in(c.workload.extra, "input_product").value_or(false))
    throw Unpredictable{"recurrent kernels with their input product have no single model"};
  const auto hidden = static_cast<double>(s.hidden), steps = static_cast<double>(s.steps);
  op.parameters = static_cast<double>(s.gates) * hidden * hidden;
  op.forward_flop = Flop{2 * op.parameters * steps};
  s.elements_in = s.elements_out = hidden * steps;
  return op;
}

PredictedFigure time_of(const GpuCostModel& gpu, const Operator& op, const std::string& pass, double batch,
                        Precision precision) {
  Duration total{0};
  double sigma = 0;
  const auto add = [&](Pass p) {
    const KernelCost cost = gpu.cost(op, p, batch, precision);
    total += cost.time;
    sigma = std::max(sigma, cost.log_sigma);
  };
  const bool all = pass == "forward-and-backward" || pass == "total";
  const bool backward = all || pass == "backward";
  if (all || pass.empty() || pass == "forward") add(Pass::forward);
  if (backward || pass == "backward-data" || pass == "backward_data") add(Pass::data_gradient);
  if (backward || pass == "backward-filter" || pass == "backward-weights" || pass == "backward_weights")
    add(Pass::weight_gradient);
  if (total <= Duration{0}) throw Unpredictable{"pass \"" + pass + "\" of a kernel is not known"};
  return figure_of(total.base(), sigma);
}

}  // namespace

PredictedFigure predict_kernel(PredictionContext& context, const ValidationCase& c) {
  const Json& in = c.workload.input;
  const std::string op = text_in(in, "op").value_or("");
  const std::string pass = text_in(c.workload.extra, "pass").value_or("");
  const GpuCostModel& gpu = gpu_of(context, c);
  if (op == "gemm") {
    const auto size = [&in](const char* key) {
      return static_cast<double>(size_in(in, key));
    };
    return time_of(gpu, gemm(size("m"), size("n"), size("k")), "forward", 1, kernel_precision(c));
  }
  if (op == "conv2d")
    return time_of(gpu, conv(in), pass, static_cast<double>(size_in(in, "batch")), kernel_precision(c));
  if (op == "rnn") {
    if (!c.workload.batch_per_gpu) throw Unpredictable{"batch not stated", "batch"};
    return time_of(gpu, rnn(c), pass, *c.workload.batch_per_gpu, kernel_precision(c));
  }
  throw Unpredictable{op.empty() ? "kernel without a shape" : "kernel \"" + op + "\" has no model"};
}

PredictedFigure predict_gemm_rate(PredictionContext& context, const ValidationCase& c) {
  const Json& extra = c.workload.extra;
  double m = 8192, n = 8192, k = 8192;  // large enough for the best rate, where only the best is asked for
  if (c.metric != "gemm_tflops_max" || number_in(extra, "m")) {
    m = static_cast<double>(size_in(extra, "m"));
    n = static_cast<double>(size_in(extra, "n"));
    k = static_cast<double>(size_in(extra, "k"));
  }
  const PredictedFigure time = time_of(gpu_of(context, c), gemm(m, n, k), "forward", 1, kernel_precision(c));
  const double tera = 2 * m * n * k / 1e12;
  return {tera / time.value, tera / time.high, tera / time.low};
}

/// BabelStream: a kernel that reads and writes whole arrays of 2^25 numbers in double precision (its
/// default).
PredictedFigure predict_stream(PredictionContext& context, const ValidationCase& c) {
  constexpr std::array<std::pair<std::string_view, double>, 5> arrays{
      {{"stream copy", 2}, {"stream mul", 2}, {"stream add", 3}, {"stream triad", 3}, {"stream dot", 2}}};
  const std::string op = text_in(c.workload.extra, "op").value_or("");
  const auto found = std::ranges::find(arrays, op, &std::pair<std::string_view, double>::first);
  if (found == arrays.end()) throw Unpredictable{"memory test \"" + op + "\" is not known"};
  KernelCall call;
  call.kind = KernelClass::elementwise;
  call.moved_bytes = found->second * 8 * std::exp2(25);
  const KernelCost cost = gpu_of(context, c).cost(call);
  return figure_of(call.moved_bytes / cost.time.base() / 1e9, cost.log_sigma);
}

PredictedFigure predict_layer_gemms(PredictionContext& context, const ValidationCase& c) {
  const Json& t = c.workload.transformer;
  const auto size = [](const Json& from, const char* key) {
    return static_cast<double>(size_in(from, key));
  };
  const double tokens = size(c.workload.extra, "num_tokens");
  double shards = number_in(c.workload.extra, "tp_shard_of").value_or(0);
  if (shards < 1) shards = number_in(c.workload.parallelism, "tp").value_or(1);
  const double hidden = size(t, "hidden"), heads = size(t, "heads"), ffn = size(t, "ffn");
  const double kv = number_in(t, "kv_heads").value_or(heads);
  const double width = number_in(t, "head_dim").value_or(hidden / heads);
  const double up = flag_in(t, "gated_mlp").value_or(false) ? 2 : 1;
  const GpuCostModel& gpu = gpu_of(context, c);
  const Precision precision = kernel_precision(c);
  PredictedFigure sum;
  for (const Operator& op :
       {gemm(tokens, (heads + 2 * kv) * width / shards, hidden), gemm(tokens, hidden, heads * width / shards),
        gemm(tokens, up * ffn / shards, hidden), gemm(tokens, hidden, ffn / shards)}) {
    const PredictedFigure one = time_of(gpu, op, "forward", 1, precision);
    sum.value += one.value * 1e6;
    sum.low += one.low * 1e6;
    sum.high += one.high * 1e6;
  }
  return sum;
}

}  // namespace rackcast
