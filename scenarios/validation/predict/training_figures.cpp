/// Figures of training that are not figures of a scenario's answer but follow from it, and ratios of two
/// scenarios.
#include <algorithm>
#include <array>
#include <cmath>

#include "models/networks/transformer.hpp"
#include "models/split/utilisation.hpp"
#include "scenarios/validation/cases/software_of_case.hpp"
#include "scenarios/validation/cases/workload_of_case.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "scenarios/validation/predict/scenario_run.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {
namespace {

/// Forward, and twice as much back.
constexpr double training_passes = 3;

/// A ratio of two runs hardly depends on the batch: where none is stated, one that everybody used.
ValidationCase with_batch(ValidationCase c) {
  constexpr double custom = 64;
  if (!c.workload.batch_per_gpu && !c.workload.global_batch && !c.workload.micro_batch) {
    c.workload.batch_per_gpu = custom;
  }
  return c;
}

/// Of the rates of two runs.
PredictedFigure ratio_of_runs(PredictionContext& context, const ValidationCase& fast,
                              const ValidationCase& slow, double factor) {
  const Question one = question_of_case(context, fast), other = question_of_case(context, slow);
  const Estimate ratio = context.evaluator().ratio_of_rates(one, other);
  return scaled(PredictedFigure{.value = ratio.value,
                                .low = ratio.low,
                                .high = ratio.high,
                                .binds = context.evaluator().run(one).binds},
                factor);
}

}  // namespace

ValidationCase with_gpus(const ValidationCase& c, double gpus) {
  ValidationCase out = c;
  out.system.gpus = gpus;
  out.system.nodes.reset();
  const double local = c.system.gpus_per_node.value_or(gpus);
  out.system.gpus_per_node = std::min(local, gpus);
  out.workload.global_batch.reset();
  if (!c.workload.batch_per_gpu && c.workload.global_batch && c.system.gpus)
    out.workload.batch_per_gpu = *c.workload.global_batch / *c.system.gpus;
  return out;
}

PredictedFigure predict_efficiency(PredictionContext& context, const ValidationCase& c, double base) {
  return ratio_of_runs(context, with_batch(c), with_gpus(with_batch(c), base),
                       base / c.system.gpus.value_or(1));
}

PredictedFigure predict_flop_per_gpu(PredictionContext& context, const ValidationCase& c) {
  const auto shape = transformer_of_case(c);
  if (!shape) throw Unpredictable{"arithmetic of this network as its source counts it is not known"};
  const auto convention = text_in(c.workload.extra, "flop_convention");
  if (convention != "model" && convention != "hardware")
    throw Unpredictable{"whether recomputed operations count is not stated", "flop_convention"};
  const ScenarioRun run = run_scenario(context, c);
  const TrainingArithmetic of_sample = training_arithmetic(context.workload(c), recomputation_of_case(c));
  const Flop flop = convention == "hardware" ? of_sample.hardware : of_sample.model;
  const PredictedFigure rate = scaled(run.rate(), flop.base() / run.gpus);
  if (c.metric == "tflops_per_gpu") return scaled(rate, 1e-12);
  const GpuSpec gpu = gpu_spec(context.catalog(), *c.system.gpu);
  const Precision precision = precision_of(c);
  const auto peak = precision == Precision::fp4   ? gpu.peak.fp4_tensor
                    : precision == Precision::fp8 ? gpu.peak.fp8_tensor
                                                  : gpu.peak.fp16_tensor;
  if (!peak) throw Unpredictable{"peak rate of \"" + gpu.id + "\" not known"};
  return scaled(rate, 1 / (*peak)->base());
}

PredictedFigure predict_flop_rate(PredictionContext& context, const ValidationCase& c) {
  const double flop = training_passes * context.workload(c).forward_flop().base();
  return scaled(run_scenario(context, c).rate(), flop / 1e12);
}

PredictedFigure predict_peak_fraction(PredictionContext& context, const ValidationCase& stated) {
  const ValidationCase c = with_fitting_batch(context, stated);
  const ScenarioRun run = run_scenario(context, c);
  const double flop = training_passes * context.workload(c).forward_flop().base();
  const double peak = context.gpu(*c.system.gpu, context.profile(c)).gpu().fp32.base();
  return scaled(run.rate(), flop / run.gpus / peak);
}

PredictedFigure predict_gpu_hours(PredictionContext& context, const ValidationCase& c) {
  ValidationCase run = c;
  run.metric = "time_to_train_s";
  return scaled(predict_training(context, run), c.system.gpus.value_or(0) / 3600);
}

PredictedFigure predict_network_send(PredictionContext& context, const ValidationCase& stated) {
  const ValidationCase c = with_fitting_batch(context, stated);
  const ScenarioRun run = run_scenario(context, c);
  const Bytes sent = context.evaluator().sent_by_node(run.question);
  if (!(sent > Bytes{0})) throw Unpredictable{"one node sends nothing"};
  return scaled(run.rate(), sent.base() / run.training.samples_per_step / 1e6);
}

std::optional<ValidationCase> slower_run(const ValidationCase& c) {
  constexpr std::array<std::string_view, 2> ratios{"speedup", "scaling_efficiency"};
  if (std::ranges::find(ratios, c.metric) == ratios.end()) return std::nullopt;
  const Json* baseline = member_in(c.workload.extra, "baseline");
  if (baseline == nullptr) throw Unpredictable{"baseline of the ratio not stated", "baseline"};
  const auto gpus = number_in(*baseline, "gpus"), batch = number_in(*baseline, "batch_per_gpu");
  const auto gpu = text_in(*baseline, "gpu"), precision = text_in(*baseline, "precision");
  if (!gpus && !gpu && !precision && !batch)
    throw Unpredictable{"the baseline changes neither GPUs nor their number nor precision nor batch",
                        "baseline"};
  ValidationCase other = gpus ? with_gpus(c, *gpus) : c;
  if (gpu) {
    other.system.gpu = *gpu;
    other.system.node = text_in(*baseline, "node");
    other.system.node_note.clear();
  }
  if (precision) other.workload.precision = *precision;
  if (batch) other.workload.batch_per_gpu = *batch;
  return other;
}

PredictedFigure predict_scaling(PredictionContext& context, const ValidationCase& stated) {
  const ValidationCase c = with_batch(stated), other = slower_run(c).value_or(c);
  const double share = other.system.gpus.value_or(1) / c.system.gpus.value_or(1);
  return ratio_of_runs(context, c, other, c.metric == "scaling_efficiency" ? share : 1);
}

}  // namespace rackcast
