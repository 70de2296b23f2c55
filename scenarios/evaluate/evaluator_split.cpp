/// Networks that no single GPU holds.
#include <algorithm>

#include "models/memory/memory.hpp"
#include "models/split/split_trace.hpp"
#include "models/split/split_training.hpp"
#include "scenarios/evaluate/evaluator_impl.hpp"
#include "scenarios/format/parallelism.hpp"
#include "sim/base/error.hpp"

namespace rackcast {

namespace {

/// A save and a restart of a run in closed form: nothing else is on the way of the state.
void add_saves(TrainingRun& run, const SaveSpec& save, int nodes) {
  const auto time = [&](Bandwidth rate) {
    if (save.local) rate *= nodes;
    if (save.client > Bandwidth{0}) rate = std::min(rate, save.client * static_cast<double>(nodes));
    return rate > Bandwidth{0} ? save.state / rate : Duration{0};
  };
  if (save.asked) {
    run.save.safe = save.pause + time(save.write);
    run.save.stall = save.asynchronous ? save.pause : run.save.safe;
    run.save.steps = 1;
  }
  if (save.restore) run.restored = time(save.read);
}

void check_is_transformer(const Workload& workload) {
  if (workload.transformer) return;
  throw Error{
      workload.title + " is no plain transformer: it cannot be split over GPUs",
      {},
      "leave \"parallelism\" out, or use \"exchange\": {\"strategy\": \"model_parallel\", \"ways\": 2}"};
}

}  // namespace

SplitTraining split_training_of(const Question& q, const Cluster& machine, const TrainingSpec& training) {
  check_is_transformer(*training.workload);
  if (!training.stragglers.empty()) throw Error{"slower nodes under a network split over GPUs have no model"};
  SplitTraining split{.mesh = fitting(*q.workload.parallelism, static_cast<int>(machine.ranks.size())),
                      .precision = q.workload.precision,
                      .adam = q.workload.optimizer.value_or(Optimizer::adam) == Optimizer::adam,
                      .adapters = q.workload.adapters};
  split.compute_scale = training.compute_scale;
  split.network_scale = training.network_scale;
  split.limits = training.limits;
  return split;
}

SplitStep split_step_of(const Cluster& machine, const TrainingSpec& training, const SplitTraining& split) {
  return split_step(machine, *training.workload->transformer, *training.gpu, *training.framework,
                    training.exchange.comm, split);
}

void Evaluator::Impl::add_storage(TrainingRun& run, const TrainingSpec& training, int nodes) {
  // Sequences of tokens are small: storage alone can hold a step up. A recorded step has the rest of its
  // input path in the record.
  const InputSpec& in = training.input;
  if (in.storage > Bandwidth{0}) {
    const Duration read = run.samples_per_step * in.stored_sample / (in.storage * training.input_scale);
    run.parts.input_wait = std::max(Duration{0}, read - run.parts.total);
    run.parts.total += run.parts.input_wait;
    if (run.parts.input_wait > Duration{0}) run.binds = "storage read";
  }
  add_saves(run, training.save, nodes);
}

TrainingRun Evaluator::Impl::split_over_gpus(const Question& q, const Cluster& machine,
                                             const TrainingSpec& training, Tracer* tracer,
                                             std::string* why_not_traced) {
  const auto ranks = static_cast<int>(machine.ranks.size());
  return at(q.workload.where, [&] {
    const SplitTraining split = split_training_of(q, machine, training);
    const SplitStep step = split_step_of(machine, training, split);
    const double sequences = split.mesh.batch() * split.mesh.data;
    TrainingRun run = split_run(step, ranks, sequences);
    add_storage(run, training, machine.used_nodes());
    if (tracer) {
      std::string why_not = trace_split(*step.work, run.parts.input_wait, *tracer);
      if (why_not_traced) *why_not_traced = std::move(why_not);
    }
    return run;
  });
}

StageKernels Evaluator::slowest_stage(const Question& asked, std::size_t* number) {
  std::optional<Question> kept;
  const Question q = impl_->longest(impl_->sized(asked, kept)).second;
  const Cluster& machine = impl_->cluster(q);
  return at(q.workload.where, [&] {
    check_split(q.workload, static_cast<int>(machine.ranks.size()));
    const TrainingSpec training = impl_->spec(q, {});
    const SplitTraining split = split_training_of(q, machine, training);
    const std::size_t stage = split_step_of(machine, training, split).slowest;
    if (number) *number = stage;
    return stage_kernels(*training.workload->transformer, *training.gpu, *training.framework, split, stage);
  });
}

MemoryUse Evaluator::memory_use(const Question& q) {
  const Workload& network = workload(q.workload);
  return at(q.workload.where, [&] {
    if (q.workload.parallelism) check_is_transformer(network);
    return training_memory(network, memory(q));
  });
}

}  // namespace rackcast
