/// What is asked of two runs, and of the traffic of one.
#include <algorithm>
#include <cmath>

#include "models/split/split_tables.hpp"
#include "models/step/data_parallel.hpp"
#include "models/step/gradient_buckets.hpp"
#include "models/step/link_shares.hpp"
#include "scenarios/evaluate/evaluator_impl.hpp"
#include "sim/base/normal.hpp"

namespace rackcast {
namespace {

/// By which two runs on as many GPUs differ anyway.
constexpr double same_size_log_sigma = 0.02;
/// Of a rate on several GPUs of one node over that on one: of 140 pairs in six sources (DLPerf, Lambda,
/// NVIDIA's examples twice, TensorFlow's and Tensorpack's benchmarks) half are predicted within 0.047; 0.047
/// / 0.674.
constexpr double one_node_log_sigma = 0.07;
/// Of the spread of kernels, what two GPUs or precisions do not share.
constexpr double own_kernels = 1.0 / 3;

}  // namespace

Estimate Evaluator::ratio_of_rates(const Question& fast, const Question& slow) {
  std::optional<Question> kept, kept_slow;
  const Question &a = impl_->sized(fast, kept), &b = impl_->sized(slow, kept_slow);
  const auto rate = [&](const Question& q, const Scales& scales) {
    const TrainingRun& run = impl_->steady(q, scales);
    return run.samples_per_step / run.parts.total.base();
  };
  const Spread of_a = impl_->spread(a), of_b = impl_->spread(b);
  const double value = rate(a, {}) / rate(b, {});
  double squares = 0;  // of standard deviations of ln(ratio)
  const auto vary = [&](double Scales::*part, double sigma_a, double sigma_b) {
    if (sigma_a <= 0 && sigma_b <= 0) return;
    double log_ratio[2] = {0, 0};
    for (const int end : {0, 1}) {
      const double sign = end == 0 ? -1 : 1;
      Scales one, other;
      one.*part = std::exp(sign * sigma_a);
      other.*part = std::exp(sign * sigma_b);
      log_ratio[end] = std::log(rate(a, one) / rate(b, other));
    }
    squares += std::pow((log_ratio[1] - log_ratio[0]) / 2, 2);
  };
  const bool same_kernels = impl_->node(a.cluster).gpu.id == impl_->node(b.cluster).gpu.id &&
                            a.workload.precision == b.workload.precision;
  vary(&Scales::compute, of_a.compute, of_b.compute);
  if (!same_kernels) vary(&Scales::compute, own_kernels * of_a.compute, 0);
  vary(&Scales::network, of_a.network, of_b.network);
  vary(&Scales::input, of_a.input, of_b.input);
  if (of_a.scaling <= 0 || of_b.scaling <= 0) vary(&Scales::compute, of_a.scaling, of_b.scaling);
  const double least = impl_->ranks(a) == impl_->ranks(b) ? same_size_log_sigma : one_node_log_sigma;
  const double reach = std::exp(half_of_90_percent * std::max(least, std::sqrt(squares)));
  return {value, value / reach, value * reach, "1"};
}

/// Of a network that every GPU has whole, but for its tables.
static DataParallelPlan plan_of(const Cluster& machine, TrainingSpec spec) {
  const Workload local = with_split_tables(*spec.workload);
  if (splits_tables(spec)) spec.workload = &local;
  const StepTimes times = step_times(spec, static_cast<int>(machine.ranks.size()));
  return plan_data_parallel(machine, spec, times.buckets);
}

Bytes Evaluator::sent_by_node(const Question& asked) {
  std::optional<Question> kept;
  const Question q = impl_->longest(impl_->sized(asked, kept)).second;
  const Cluster& machine = impl_->cluster(q);
  if (machine.used_nodes() < 2 || q.workload.parallelism || q.workload.graph) return Bytes{0};
  const TrainingSpec spec = impl_->spec(q, {});
  Bytes vectors{0};
  if (splits_tables(spec))
    vectors = spec.accumulation * rackcast::table_exchange(machine, spec.exchange.comm, *spec.workload,
                                                           spec.batch_per_gpu, spec.precision)
                                      .sent_by_node;
  const DataParallelPlan plan = plan_of(machine, spec);
  double most = 0;
  for (const PlanResource& r : plan.resources) {
    if (r.what != "InfiniBand" && r.what != "Ethernet") continue;
    double bytes = 0;
    for (const Exchange& exchange : plan.crews.front().exchanges)
      for (const FlowStage& stage : exchange.stages) bytes += stage.work * r.use_by(stage.pattern);
    most = std::max(most, bytes);
  }
  return Bytes{most * machine.node.nics} + vectors;
}

std::vector<LinkShare> Evaluator::link_shares(const Question& asked) {
  std::optional<Question> kept;
  const auto [phase, q] = impl_->longest(impl_->sized(asked, kept));
  if (q.workload.parallelism || q.workload.graph) return {};
  const TrainingRun& run = impl_->run(q, phase.hits, {});
  const TrainingSpec spec = impl_->spec(q, phase.hits);
  return rackcast::link_shares(plan_of(impl_->cluster(q), spec),
                               {.time = run.parts.total,
                                .samples = run.samples_per_step,
                                .exchanges = 1.0 / std::max(1, spec.exchange.local_steps)});
}

}  // namespace rackcast
