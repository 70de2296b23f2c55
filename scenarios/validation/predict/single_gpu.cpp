/// Forward passes on one GPU, and the parts of a training step on it (models/frameworks/gpu_step.hpp).
#include <algorithm>
#include <cmath>
#include <string>

#include "scenarios/validation/cases/software_of_case.hpp"
#include "scenarios/validation/cases/workload_of_case.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "sim/base/normal.hpp"

namespace rackcast {
namespace {

constexpr const char* gpu_compute = "GPU compute";

struct OneGpuRun {
  StepTime step;
  double batch = 0;

  [[nodiscard]] double samples_per_s() const { return batch / step.total.base(); }
};

OneGpuRun run_on_one_gpu(PredictionContext& context, const ValidationCase& c) {
  OneGpuRun run;
  if (!c.system.gpu) throw Unpredictable{"GPU not stated", "gpu"};
  const FrameworkProfile profile = context.profile(c);
  StepOptions options;
  options.batch = run.batch = batch_of_case(c);
  options.precision = precision_of(c);
  options.training = c.workload.task != "inference";
  options.optimizer = flag_in(c.workload.extra, "includes_optimizer").value_or(true);
  options.recompute = recomputation_of_case(c);
  const Workload& workload = context.workload(c);
  options.adam = trains_with_adam(c, workload);
  const GpuCostModel& gpu = context.gpu(*c.system.gpu, profile);
  require_precision(gpu, options.precision,
                    options.training ? PrecisionUse::training : PrecisionUse::inference);
  run.step = step_time(workload, gpu, profile, options);
  if (!(run.step.total > Duration{0})) throw Unpredictable{"the network has no operator that takes time"};
  return run;
}

}  // namespace

PredictedFigure figure_of(double value, double log_sigma, std::string binds) {
  const double reach = std::exp(half_of_90_percent * log_sigma);  // 90 % of a normal distribution
  return {.value = value, .low = value / reach, .high = value * reach, .binds = std::move(binds)};
}

double log_sigma_of(const PredictedFigure& figure) {
  return std::log(figure.high / figure.low) / (2 * half_of_90_percent);
}

PredictedFigure scaled(PredictedFigure figure, double factor) {
  for (double* value : {&figure.value, &figure.low, &figure.high}) *value *= factor;
  return figure;
}

PredictedFigure predict_throughput(PredictionContext& context, const ValidationCase& c) {
  const OneGpuRun run = run_on_one_gpu(context, c);
  return figure_of(run.samples_per_s(), run.step.log_sigma, gpu_compute);
}

PredictedFigure predict_forward(PredictionContext& context, const ValidationCase& c) {
  const OneGpuRun run = run_on_one_gpu(context, c);
  const Duration time = c.workload.task == "inference" ? run.step.total : run.step.forward;
  return figure_of(time.base(), run.step.log_sigma, gpu_compute);
}

PredictedFigure predict_backward(PredictionContext& context, const ValidationCase& c) {
  const OneGpuRun run = run_on_one_gpu(context, c);
  return figure_of(run.step.backward.base(), run.step.log_sigma, gpu_compute);
}

PredictedFigure predict_speedup(PredictionContext& context, const ValidationCase& c) {
  const Json* baseline = member_in(c.workload.extra, "baseline");
  if (baseline == nullptr) throw Unpredictable{"baseline of the ratio not stated", "baseline"};
  ValidationCase other = c;
  bool changed = false;
  if (const auto gpu = text_in(*baseline, "gpu")) other.system.gpu = *gpu, changed = true;
  if (const auto precision = text_in(*baseline, "precision"))
    other.workload.precision = *precision, changed = true;
  if (const auto batch = number_in(*baseline, "batch_per_gpu"))
    other.workload.batch_per_gpu = *batch, changed = true;
  if (!changed) throw Unpredictable{"the baseline changes neither GPU nor precision nor batch"};
  const OneGpuRun fast = run_on_one_gpu(context, c), slow = run_on_one_gpu(context, other);
  // What both runs share (framework, library) cancels; a third of the spread is left.
  return figure_of(fast.samples_per_s() / slow.samples_per_s(), fast.step.log_sigma / 3, gpu_compute);
}

}  // namespace rackcast
