/// Time to train with saves of the state and failures: what the evaluator makes of the runs.
#include <algorithm>
#include <cmath>

#include "models/memory/memory.hpp"
#include "scenarios/evaluate/evaluator_impl.hpp"

namespace rackcast {

namespace {

/// Steps of the run in an interval between saves.
std::uint64_t steps_between(Duration interval, const TrainingRun& run) {
  return static_cast<std::uint64_t>(std::clamp(std::round(interval / run.parts.total), 1.0, 1e15));
}

}  // namespace

SaveSpec Evaluator::Impl::save(const Question& q, std::uint64_t every) {
  SaveSpec out;
  const bool stated = q.failures && q.failures->checkpoint_stall, stored = q.storage.array != "none";
  if (stated) {
    out.pause = *q.failures->checkpoint_stall;
  } else if (stored && (q.failures || q.input.checkpoint_every > Duration{0})) {
    out = save_spec(input(q));
  }
  out.asked = stated || out.state > Bytes{0};
  out.restore = q.failures.has_value();
  out.every = every;
  return out;
}

void Evaluator::Impl::charge_saves(const Question& q, const SaveSpec& saved, TrainingRun& run) {
  if (!saved.asked) return;
  run.save = {saved.pause, saved.pause, 1};
  if (!(saved.state > Bytes{0})) return;
  const WriteCost cost = write_back(input(q), Duration{1e12}, run.parts.total);
  run.save = {cost.stall, cost.write, 1};
  if (saved.restore) run.restored = saved.state / saved.read;
}

int Evaluator::Impl::idle_nodes(const Question& q) {
  const int idle = q.cluster.nodes - used_nodes(q, node(q.cluster));
  return idle > 0 && !exchange(q).servers.apart ? idle : 0;
}

std::optional<FailurePlan> Evaluator::Impl::failures(const Question& q, const Scales& scales) {
  if (!q.failures) return std::nullopt;
  FailureSpec spec = *q.failures;
  const NodeSpec& node = this->node(q.cluster);
  const auto cost_of = [&](const TrainingRun& run) {
    return SaveCost{save(q, 0).state, run.save.safe, run.save.stall, std::max(Duration{0}, run.restored)};
  };
  if (q.input.checkpoint_every > Duration{0} && !spec.interval) {
    spec.rule = IntervalRule::fixed;
    spec.interval = q.input.checkpoint_every;
  }
  // Outside of at(): an interruption while the step is simulated is no fault of the scenario's "failures".
  const TrainingRun& step = steady(q, {});
  FailurePlan plan = at(spec.where, [&] {
    return failure_plan(catalog, node, used_nodes(q, node), idle_nodes(q), spec, cost_of(step),
                        scales.failures);
  });
  const auto [phase, then] = longest(q);
  set_cost(plan, cost_of(run_saving(then, phase.hits, scales, plan.spec.interval)));
  note_failures(ledger, plan, *q.failures, node.name);
  return plan;
}

Duration Evaluator::Impl::save_interval(const Question& q) {
  if (q.storage.array == "none") return Duration{0};
  return q.failures ? failures(q, {})->spec.interval : q.input.checkpoint_every;
}

const TrainingRun& Evaluator::Impl::run_saving(const Question& q, const EpochHits& hits, const Scales& scales,
                                               Duration interval) {
  const TrainingRun& alone = run(q, hits, scales);
  if (!(interval > Duration{0})) return alone;
  const std::uint64_t every = steps_between(interval, alone);
  if (control.fold && every >= alone.save.steps) return alone;
  const TrainingRun& often = run(q, hits, scales, nullptr, every);
  return often.save.steps > 0 ? often : alone;  // every step simulated, and the training too short for a save
}

double Evaluator::Impl::waiting_for_storage(const Question& q) {
  if (q.storage.array == "none") return 0;
  const Duration interval = save_interval(q);
  double most = 0;
  for (const auto& [phase, then] : stretches(q)) {
    const TrainingRun& r = run_saving(then, phase.hits, {}, interval);
    most = std::max(most, r.parts.input_wait / r.parts.total);
    if (interval > Duration{0}) most = std::max(most, r.save.stall / (interval + r.save.stall));
  }
  return most;
}

double Evaluator::Impl::seconds(const Question& q, const Scales& scales) {
  const Duration interval = save_interval(q);
  double sum = 0, stalls = 0, intervals = 0;
  const auto saves = [&] {
    return std::max(0.0, std::ceil(intervals) - 1);
  };  // none after the last step
  for (const auto& [phase, then] : stretches(q)) {
    const TrainingRun& r = run_saving(then, phase.hits, scales, interval);
    const double steps = std::ceil(q.samples * phase.epochs / r.samples_per_step);
    sum += r.warm_up.base() + steps * r.parts.total.base();
    if (!(interval > Duration{0})) continue;
    const double before = saves();
    intervals += steps / static_cast<double>(steps_between(interval, r));
    stalls += (saves() - before) * r.save.stall.base();
    if (!q.failures) write_back(input(q), interval, r.parts.total);  // throws where a write outlasts it
  }
  // A job that hardly ever gets further takes too long by far, and still a number.
  if (q.failures) return sum / std::max(1e-9, failures(q, scales)->goodput.useful);
  return sum + stalls;
}

namespace {

/// Do the kernels of a GPU, or the samples that are seen, depend on the number of GPUs?
bool follows_gpus(const WorkloadSpec& w, const Workload& network, ExchangeStrategy strategy) {
  return w.parallelism || w.graph || w.global_batch || w.convergence || w.batch_per_gpu < 1 ||
         table_memory(network) > Bytes{0} || strategy == ExchangeStrategy::model_parallel ||
         strategy == ExchangeStrategy::hybrid;
}

}  // namespace

Duration Evaluator::least_time(const Question& asked) {
  Duration out{0};
  for (const Question& part : one_by_one(asked)) {
    if (follows_gpus(part.workload, workload(part.workload), exchange(part).strategy)) continue;
    Question alone = part;
    alone.cluster.nodes = 1;
    alone.cluster.fabric.choice.gang.clear();
    alone.cluster.stragglers.clear();
    alone.gpus = 1;
    alone.storage = {};
    alone.storage.array = "none";
    const StepParts& parts = run(alone).parts;
    const double batch = impl_->global_batch(part);
    out += std::ceil(part.samples * part.workload.epochs / batch) * (parts.forward + parts.backward);
  }
  return out;
}

}  // namespace rackcast
