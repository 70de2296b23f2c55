/// Figures of data-parallel training on several GPUs, from the simulated step (models/step/training.hpp).
#include <algorithm>
#include <cmath>

#include "models/split/split_tables.hpp"
#include "models/split/utilisation.hpp"
#include "models/step/data_parallel.hpp"
#include "models/step/gradient_buckets.hpp"
#include "models/step/training.hpp"
#include "scenarios/validation/cases/cluster_of_case.hpp"
#include "scenarios/validation/cases/exchange_of_case.hpp"
#include "scenarios/validation/cases/input_of_case.hpp"
#include "scenarios/validation/cases/software_of_case.hpp"
#include "scenarios/validation/cases/workload_of_case.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "scenarios/validation/predict/split_case.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {
namespace {

struct Run {
  TrainingRun training;
  double gpus = 1;
  CaseInput input;  ///< of real data
  Bytes sent{0};    ///< by each node in one step, where there are several
  /// What the spreads of kernels and exchange do to ln(step) where one is hidden behind the other.
  double compute_swing = 0, network_swing = 0;
  /// Of GPUs that wait for no input.
  [[nodiscard]] double samples_per_s() const {
    return training.samples_per_step / training.parts.total.base();
  }
  [[nodiscard]] PredictedFigure throughput() const {
    return fed(figure_of(samples_per_s(), log_sigma(), training.binds), input);
  }
  /// Of the step, for gradients, activations and vectors of tables.
  [[nodiscard]] double waiting() const { return training.parts.network() / training.parts.total; }
  /// Kernels and exchange are uncertain independently, each by its part of the step; what nodes lose to each
  /// other besides, by all of it. The part of the host's that is waited for counts with the exchange.
  [[nodiscard]] double log_sigma() const {
    const double of_kernels = (1 - waiting()) * training.compute_log_sigma;
    return std::hypot(std::max(of_kernels, compute_swing), of_network(), training.scaling_log_sigma);
  }
  [[nodiscard]] double of_network() const {
    return std::max(waiting() * training.network_log_sigma, network_swing);
  }
};

/// Forward, and twice as much back.
constexpr double training_passes = 3;

/// Networks split over GPUs are another model's.
void refuse_split_models(const ValidationCase& c) {
  if (number_in(c.workload.extra, "tensor_parallel").value_or(1) > 1)
    throw Unpredictable{"a network split over GPUs: no model yet"};
}

double local_batch(const ValidationCase& c, double accumulation) {
  if (c.workload.batch_per_gpu || c.workload.micro_batch) return batch_of_case(c);
  if (c.workload.global_batch && c.system.gpus)
    return *c.workload.global_batch / *c.system.gpus / accumulation;
  return batch_of_case(c);
}

/// What leaves through the ports of a node in one step: through the busiest, as often as there are ports.
Bytes sent_by_node(const Cluster& cluster, TrainingSpec spec) {
  Bytes vectors{0};
  const Workload local = with_split_tables(*spec.workload);
  if (splits_tables(spec)) {
    vectors = spec.accumulation *
              table_exchange(cluster, spec.exchange.comm, *spec.workload, spec.batch_per_gpu, spec.precision)
                  .sent_by_node;
    spec.workload = &local;
  }
  const StepTimes times = step_times(spec, static_cast<int>(cluster.ranks.size()));
  const DataParallelPlan plan = plan_data_parallel(cluster, spec, times.buckets);
  double most = 0;
  for (const PlanResource& r : plan.resources) {
    if (r.what != "InfiniBand" && r.what != "Ethernet") continue;
    double bytes = 0;
    for (const Exchange& exchange : plan.crews.front().exchanges)
      for (const FlowStage& stage : exchange.stages) bytes += stage.work * r.use_by(stage.pattern);
    most = std::max(most, bytes);
  }
  return Bytes{most * cluster.node.nics} + vectors;
}

/// What is sent behind kernels is waited for as soon as it takes longer than they do, so either spread is
/// tried on the whole step, as a scenario's interval does.
Run split_run_of(PredictionContext& context, const ValidationCase& c) {
  Run run{split_run(context, c), static_cast<double>(context.cluster(c).ranks.size()), {}, Bytes{0}};
  const auto swing = [](double sigma, auto&& step_at) {
    return std::log(step_at(std::exp(-sigma)) / step_at(std::exp(sigma))) / 2;
  };
  run.compute_swing = swing(run.training.compute_log_sigma,
                            [&](double scale) { return split_run(context, c, scale, 1).parts.total; });
  run.network_swing = swing(run.training.network_log_sigma,
                            [&](double scale) { return split_run(context, c, 1, scale).parts.total; });
  return run;
}

Run run_of(PredictionContext& context, const ValidationCase& c) {
  refuse_split_models(c);
  const Cluster& cluster = context.cluster(c);
  if (is_split(c) || trains_adapters(c)) return split_run_of(context, c);
  const FrameworkProfile profile = context.profile(c);
  TrainingSpec spec;
  spec.accumulation = accumulation_of_case(c);
  spec.recompute = recomputation_of_case(c);
  spec.batch_per_gpu = local_batch(c, spec.accumulation);
  spec.precision = precision_of(c);
  spec.workload = &context.workload(c);
  spec.gpu = &context.gpu(*c.system.gpu, profile);
  require_precision(*spec.gpu, spec.precision, PrecisionUse::training);
  spec.framework = &profile;
  spec.adam = trains_with_adam(c, *spec.workload);
  spec.optimizer = flag_in(c.workload.extra, "includes_optimizer").value_or(true);
  spec.exchange = exchange_of_case(c, profile, cluster.used_nodes());
  const int nodes = cluster.used_nodes();
  return {train(cluster, spec), static_cast<double>(cluster.ranks.size()),
          input_of_case(context.catalog(), c, cluster.node, nodes, cluster.local_ranks()),
          nodes > 1 ? sent_by_node(cluster, spec) : Bytes{0}};
}

/// A ratio of two runs hardly depends on the batch: where none is stated, one that everybody used.
ValidationCase with_batch(ValidationCase c) {
  constexpr double custom = 64;
  if (!c.workload.batch_per_gpu && !c.workload.global_batch && !c.workload.micro_batch) {
    c.workload.batch_per_gpu = custom;
  }
  return c;
}

/// By which two runs on as many GPUs differ anyway.
constexpr double same_size_log_sigma = 0.02;
/// Of a rate on several GPUs of one node over that on one: of 140 pairs in six sources (DLPerf, Lambda,
/// NVIDIA's examples twice, TensorFlow's and Tensorpack's benchmarks) half are predicted within 0.047; 0.047
/// / 0.674.
constexpr double one_node_log_sigma = 0.07;

/// What two runs share (framework, several nodes in both) cancels; the exchange of the larger one and what
/// its nodes lose to each other, where the other has one, do not. `kernels`: the share of the spread of
/// kernels that is left.
PredictedFigure ratio_of(const Run& fast, const Run& slow, double factor, double kernels = 0) {
  const double scaling = slow.training.scaling_log_sigma > 0 ? 0 : fast.training.scaling_log_sigma;
  const double compute = kernels * fast.training.compute_log_sigma;
  const double least = fast.gpus == slow.gpus ? same_size_log_sigma : one_node_log_sigma;
  return figure_of(factor * fast.throughput().value / slow.throughput().value,
                   std::max(least, std::hypot(fast.of_network(), scaling, compute)), fast.throughput().binds);
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
  const Run fast = run_of(context, with_batch(c)), slow = run_of(context, with_gpus(with_batch(c), base));
  return ratio_of(fast, slow, slow.gpus / fast.gpus);
}

PredictedFigure predict_scaled_throughput(PredictionContext& context, const ValidationCase& c) {
  const Run run = run_of(context, c);
  PredictedFigure figure = run.throughput();
  double units = 1;
  if (c.metric.starts_with("tokens")) units = counted_tokens(c);
  if (c.metric.ends_with("_per_gpu")) units /= run.gpus;
  return scaled(std::move(figure), units);
}

PredictedFigure predict_flop_per_gpu(PredictionContext& context, const ValidationCase& c) {
  const auto shape = transformer_of_case(c);
  if (!shape) throw Unpredictable{"arithmetic of this network as its source counts it is not known"};
  const auto convention = text_in(c.workload.extra, "flop_convention");
  if (convention != "model" && convention != "hardware")
    throw Unpredictable{"whether recomputed operations count is not stated"};
  const Run run = run_of(context, c);
  const TrainingArithmetic of_sample = training_arithmetic(context.workload(c), recomputation_of_case(c));
  const Flop flop = convention == "hardware" ? of_sample.hardware : of_sample.model;
  const double rate = flop.base() * run.samples_per_s() / run.gpus;
  if (c.metric == "tflops_per_gpu") return figure_of(rate / 1e12, run.log_sigma());
  const GpuSpec gpu = gpu_spec(context.catalog(), *c.system.gpu);
  const Precision precision = precision_of(c);
  const auto peak = precision == Precision::fp4   ? gpu.peak.fp4_tensor
                    : precision == Precision::fp8 ? gpu.peak.fp8_tensor
                                                  : gpu.peak.fp16_tensor;
  if (!peak) throw Unpredictable{"peak rate of \"" + gpu.id + "\" not known"};
  return figure_of(rate / (*peak)->base(), run.log_sigma());
}

PredictedFigure predict_scaled_peak_fraction(PredictionContext& context, const ValidationCase& stated) {
  const ValidationCase c = with_fitting_batch(context, stated);
  const Run run = run_of(context, c);
  const double flop = training_passes * context.workload(c).forward_flop().base();
  const double peak = context.gpu(*c.system.gpu, context.profile(c)).gpu().fp32.base();
  return figure_of(flop * run.samples_per_s() / run.gpus / peak, run.log_sigma(), run.training.binds);
}

PredictedFigure predict_scaled_step(PredictionContext& context, const ValidationCase& c) {
  const Run run = run_of(context, c);
  const double seconds = run.training.parts.total.base();
  return figure_of(c.metric == "steps_per_s" ? 1 / seconds : seconds, run.log_sigma(), run.training.binds);
}

PredictedFigure predict_scaled_epochs(PredictionContext& context, const ValidationCase& c) {
  const double samples = length_of_run(c).all_samples();
  const Run run = run_of(context, c);
  const PredictedFigure rate = run.throughput();
  PredictedFigure out = time_at(rate, samples);
  // Time to train holds the evaluations, which the logs give apart.
  const double evaluation = number_in(c.workload.extra, "evaluation_s").value_or(0);
  for (double* value : {&out.value, &out.low, &out.high}) *value += evaluation;
  return out;
}

PredictedFigure predict_network_send(PredictionContext& context, const ValidationCase& stated) {
  const ValidationCase c = with_fitting_batch(context, stated);
  const Run run = run_of(context, c);
  if (!(run.sent > Bytes{0})) throw Unpredictable{"one node sends nothing"};
  return figure_of(run.sent.base() / run.training.parts.total.base() / 1e6, run.log_sigma(),
                   run.training.binds);
}

PredictedFigure predict_scaling(PredictionContext& context, const ValidationCase& stated) {
  const ValidationCase c = with_batch(stated);
  const Json* baseline = member_in(c.workload.extra, "baseline");
  if (baseline == nullptr) throw Unpredictable{"baseline of the ratio not stated"};
  ValidationCase other = c;
  double kernels = 1.0 / 3;  // of other GPUs or arithmetic, as on one GPU (single_gpu.cpp)
  if (const auto gpus = number_in(*baseline, "gpus")) {
    kernels = 0;
    other = with_gpus(c, *gpus);
  } else if (const auto gpu = text_in(*baseline, "gpu")) {
    other.system.gpu = *gpu;
    other.system.node = text_in(*baseline, "node");
    other.system.node_note.clear();
  } else if (const auto precision = text_in(*baseline, "precision")) {
    other.workload.precision = *precision;
  } else {
    throw Unpredictable{"the baseline names neither GPUs nor their number nor precision"};
  }
  const Run fast = run_of(context, c), slow = run_of(context, other);
  return ratio_of(fast, slow, c.metric == "scaling_efficiency" ? slow.gpus / fast.gpus : 1, kernels);
}

}  // namespace rackcast
