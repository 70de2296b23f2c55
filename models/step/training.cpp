#include "models/step/training.hpp"

#include <algorithm>
#include <optional>

#include "models/collectives/cluster.hpp"
#include "models/step/straggler.hpp"
#include "models/step/training_laps.hpp"

namespace rackcast {

namespace {

/// The resource that flows of these patterns saturate first: most time for the work of one step.
std::string tightest(const DataParallelPlan& plan, bool input) {
  std::vector<double> work(static_cast<std::size_t>(plan.patterns), 0);
  if (input)
    for (const CrewPlan& crew : plan.crews)
      work[static_cast<std::size_t>(crew.input)] = static_cast<double>(crew.ranks) / plan.ranks;
  for (const CrewPlan& crew : plan.crews)
    for (const Exchange& exchange : crew.exchanges)
      for (const FlowStage& stage : exchange.stages)
        if (!input) work[static_cast<std::size_t>(stage.pattern)] += stage.work;
  const PlanResource* worst = nullptr;
  double longest = 0;
  for (const PlanResource& r : plan.resources) {
    double time = 0;
    for (const auto& [pattern, units] : r.uses)
      time += work[static_cast<std::size_t>(pattern)] * units / r.capacity;
    if (time > longest) longest = time, worst = &r;
  }
  return worst ? worst->what : "nothing";
}

std::string what_binds_beside_input(const DataParallelPlan& plan, const TrainingSpec& spec,
                                    const StepParts& p, double host_share) {
  if (p.straggler_wait > p.exchange_wait) return "GPU compute of the stragglers";
  if (p.exchange_wait > p.forward + p.backward + p.optimizer) {
    const bool servers = spec.exchange.strategy == ExchangeStrategy::parameter_server;
    return (servers ? "parameter servers over " : "all-reduce over ") + tightest(plan, false);
  }
  return gpu_or_host(host_share);
}

/// The GPUs wait for data in the steady state only if the input path sets the pace. Where that is a few
/// thousandths of a step, neither it nor what comes next can be made faster alone to any use.
std::string what_binds(const DataParallelPlan& plan, const TrainingSpec& spec, const StepParts& p,
                       double host_share) {
  constexpr double level = 0.01, nothing = 0.001;
  if (p.input_wait > level * p.total) return tightest(plan, true);
  const std::string other = what_binds_beside_input(plan, spec, p, host_share);
  return p.input_wait > nothing * p.total ? other + " and " + tightest(plan, true) : other;
}

}  // namespace

std::string gpu_or_host(double host_share) {
  return host_share > 0.5 ? "the host, which starts the kernels" : "GPU compute";
}

namespace {

/// Without gradients to send if not `exchange`.
struct Prepared {
  Prepared(const Cluster& cluster, const TrainingSpec& spec, bool exchange)
      : kernels(step_times(spec, static_cast<int>(cluster.ranks.size()))),
        plan(plan_data_parallel(cluster, spec, kernels.buckets)) {
    if (exchange) return;
    for (CrewPlan& crew : plan.crews) crew.exchanges.clear();
    // Nothing is packed for nobody.
    for (GradientBucket& bucket : kernels.buckets) bucket.before -= bucket.packing;
    kernels.unpacking = Duration{0};
  }
  StepTimes kernels;
  DataParallelPlan plan;
};

TrainingRun simulate_once(const Cluster& cluster, const TrainingSpec& spec, bool exchange, Tracer* tracer) {
  const Prepared prepared{cluster, spec, exchange};
  const DataParallelPlan& plan = prepared.plan;
  const TrainingRunInputs inputs{cluster, spec, plan, prepared.kernels};
  const LearnedSteps steps = learn_steps(inputs, StartFrom::nothing);
  std::optional<LearnedSave> saved;
  if (spec.save.asked) saved = learn_save(inputs, steps);
  if (tracer) trace_training(inputs, steps, saved, *tracer);
  TrainingRun out;
  out.parts = steps.parts;
  out.ranks = plan.ranks;
  out.samples_per_step = spec.batch_per_gpu * spec.accumulation * plan.ranks;
  out.warm_up = steps.warm_up;
  out.host_share = prepared.kernels.host_share;
  out.binds = what_binds(plan, spec, out.parts, out.host_share);
  out.events = steps.events;
  out.steps = steps.steps;
  out.partial = steps.partial;
  out.period = steps.cycle;
  if (saved && saved->before > 0) {
    out.save = saved->save;
    out.steps = saved->before + saved->after;
    out.events += saved->events;
    out.partial = out.partial || saved->partial;
    if (!saved->settled) out.period = 0;
  }
  out.compute_log_sigma = prepared.kernels.log_sigma;
  out.network_log_sigma = plan.comm_log_sigma;
  out.scaling_log_sigma = scaling_log_sigma(cluster.used_nodes());
  return out;
}

/// Goes on from a saved state: reads it, and warms up again.
void simulate_restore(const Cluster& cluster, TrainingSpec spec, TrainingRun& out) {
  spec.save.asked = false;
  if (!spec.fold) spec.steps = std::min<std::uint64_t>(spec.steps, out.steps);
  const Prepared prepared{cluster, spec, true};
  const LearnedSteps steps =
      learn_steps({cluster, spec, prepared.plan, prepared.kernels}, StartFrom::saved_state);
  out.restored = std::max(Duration{0}, steps.warm_up);
  out.events += steps.events;
  out.steps += steps.steps;
  out.partial = out.partial || steps.partial;
}

/// The mean of `n - 1` steps like `a` and one like `b`.
void blend(StepParts& b, const StepParts& a, int n) {
  for (Duration StepParts::*const part : parts_of_step) b.*part = ((n - 1.0) * (a.*part) + b.*part) / n;
}

}  // namespace

TrainingRun simulate_training(const Cluster& cluster, const TrainingSpec& asked, Tracer* tracer) {
  TrainingSpec spec = asked;
  FrameworkProfile framework = *asked.framework;
  if (framework.input_copy > Bandwidth{0} && !cluster.ranks.empty()) {
    framework.input_copy = image_copy_rate(cluster, framework.input_copy);
    spec.framework = &framework;
  }
  TrainingRun run = simulate_once(cluster, spec, true, tracer);
  const ExchangeSpec& x = spec.exchange;
  if (x.strategy == ExchangeStrategy::local_sgd && x.local_steps > 1)
    blend(run.parts, simulate_once(cluster, spec, false, nullptr).parts, x.local_steps);
  if (spec.save.restore) simulate_restore(cluster, spec, run);
  return run;
}

}  // namespace rackcast
