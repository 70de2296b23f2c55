/// Networks that no single GPU holds.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "models/memory/memory.hpp"
#include "models/split/split_trace.hpp"
#include "models/split/split_training.hpp"
#include "models/split/step_bound.hpp"
#include "scenarios/evaluate/evaluator_impl.hpp"
#include "scenarios/format/parallelism.hpp"
#include "scenarios/splits/split_search.hpp"
#include "sim/base/error.hpp"

namespace rackcast {

namespace {

/// The workload with this mesh instead of a search.
WorkloadSpec with_mesh(WorkloadSpec workload, Mesh mesh) {
  mesh.data = 1;  // it follows from the GPUs, and the micro-batches from the global batch
  mesh.micro_batches = 1;
  workload.parallelism = mesh;
  workload.split_search.reset();
  workload.batch_per_gpu = mesh.batch() / mesh.gpus();
  return workload;
}

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

const Question& Evaluator::Impl::sized(const Question& q, std::optional<Question>& kept) {
  if (!q.workload.global_batch) return q;
  kept = q;
  if (q.workload.split_search) kept->workload = with_best_split(q);
  kept->workload = on_gpus(kept->workload, workload(q.workload), ranks(q));
  return *kept;
}

SplitSpace Evaluator::Impl::split_space(const Question& q, int gpus) {
  const WorkloadSpec& w = q.workload;
  const Workload& network = workload(w);
  return at(w.where, [&] {
    check_is_transformer(network);
    SplitSpace out{*network.transformer,
                   *w.parallelism,
                   *w.split_search,
                   gpus,
                   used_in_node(q.cluster, node(q.cluster).gpus),
                   sequences_of(*w.global_batch, network),
                   w.adapters.rank > 0};
    check_fixed_keys(out);
    return out;
  });
}

WorkloadSpec Evaluator::Impl::with_best_split(const Question& q) {
  return with_mesh(q.workload, split_choice(q)->mesh());
}

std::shared_ptr<const SplitChoice> Evaluator::Impl::split_choice(const Question& asked) {
  const SplitSpace space = split_space(asked, ranks(asked));
  Question q = asked;
  q.workload.split_search.reset();
  q.workload.global_batch.reset();
  q.input = {};  // every split would wait for the same samples
  TrainingSpec training = spec(q, {});
  training.compute_scale = speed_under_cap(q);
  std::array<bool, split_key_names.size()> fixed{};
  for (std::size_t i = 0; i < fixed.size(); ++i) fixed.at(i) = space.search.fixes(static_cast<SplitKey>(i));
  const SplitChoiceKey key{step_key(q, training), fixed, space.batch};
  if (const auto it = splits.find(key); it != splits.end()) return it->second;
  if (!has_split_candidate(space))
    throw Error{
        fmt::format("no split of {} over {} GPUs deals a global batch of {} out evenly",
                    training.workload->title, space.gpus, batch_text(*training.workload, space.batch)),
        asked.workload.split_search->where,
        "another global batch, another number of nodes, or fewer fixed keys"};
  const Cluster& machine = cluster(q);
  const SplitTraining split = split_training_of(q, machine, training);
  StepBound bound{machine, space.shape, *training.gpu, *training.framework, training.exchange.comm, split};
  const auto question_with = [&](const Mesh& mesh) {
    Question one = q;
    one.workload.parallelism = mesh;
    one.workload.batch_per_gpu = mesh.batch() / mesh.gpus();
    return one;
  };
  const SplitJudge judge{[&](const Mesh& mesh) { return bound.least(mesh); },
                         [&](const Mesh& mesh) {
                           return training_memory(
                                      *training.workload,
                                      memory_options(question_with(mesh).workload, *training.workload,
                                                     *training.framework, space.gpus))
                               .total();
                         },
                         [&](const Mesh& mesh) {
                           // As modelled: what was measured says the same of every split.
                           StepParts parts = run(question_with(mesh), {}, Scales{.absolute = true}).parts;
                           parts.total -= parts.input_wait;
                           parts.input_wait = Duration{0};
                           return parts;
                         }};
  auto found =
      std::make_shared<const SplitChoice>(choose_split(space, node(q.cluster).gpu.available_memory(), judge));
  if (!found->fits() && !found->found.smallest)
    throw Error{fmt::format("no split of {} over {} GPUs has a model", training.workload->title, space.gpus),
                asked.workload.split_search->where, "state the split"};
  return splits.emplace(key, std::move(found)).first->second;
}

Question Evaluator::with_split(const Question& asked) {
  Question out = asked;
  if (asked.workload.split_search) out.workload = impl_->with_best_split(asked);
  for (WorkloadSpec& w : out.then) {
    if (!w.split_search) continue;
    Question alone = asked;
    alone.then.clear();
    alone.workload = w;
    w = impl_->with_best_split(alone);
  }
  return out;
}

std::shared_ptr<const SplitChoice> Evaluator::split_choice(const Question& q) {
  return q.workload.split_search ? impl_->split_choice(q) : nullptr;
}

bool Evaluator::takes(const Question& q, int gpus) {
  if (!q.workload.split_search) return deals_evenly(q.workload, workload(q.workload), gpus);
  return has_split_candidate(impl_->split_space(q, gpus));
}

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

MemoryUse Evaluator::memory_use(const Question& asked) {
  const Question q = with_split(asked);
  const Workload& network = workload(q.workload);
  return at(q.workload.where, [&] {
    if (q.workload.parallelism) check_is_transformer(network);
    return training_memory(network, memory(q));
  });
}

}  // namespace rackcast
