/// Steps that were recorded.
#include <fmt/format.h>

#include "models/gpu/rates_of.hpp"
#include "models/recorded/replay.hpp"
#include "models/recorded/step_record.hpp"
#include "models/split/split_training.hpp"
#include "scenarios/evaluate/evaluator_impl.hpp"
#include "scenarios/format/parallelism.hpp"
#include "sim/base/error.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {

namespace {

void check_as_recorded(const WorkloadSpec& w) {
  const GraphSpec& graph = *w.graph;
  if (w.batch_per_gpu * w.accumulation != graph.samples_per_rank)
    throw Error{fmt::format("the recorded step has {:g} samples per GPU, and is asked for {:g}",
                            graph.samples_per_rank, w.batch_per_gpu * w.accumulation),
                graph.where, "a recorded step has the batch that it has: record another one"};
  if (w.precision != graph.precision)
    throw Error{fmt::format("the recorded step is in {}, and is asked for in {}", to_string(graph.precision),
                            to_string(w.precision)),
                graph.where, "a recorded step has the precision that it has: record another one"};
}

}  // namespace

TrainingRun Evaluator::Impl::replayed(const Question& q, const Cluster& machine, const TrainingSpec& training,
                                      Tracer* tracer) {
  const GraphSpec& graph = *q.workload.graph;
  return at(graph.where, [&] {
    check_as_recorded(q.workload);
    if (!training.stragglers.empty()) throw Error{"slower nodes under a recorded step have no model"};
    ReplaySpec spec;
    spec.gpu = training.gpu;
    spec.precision = q.workload.precision;
    spec.comm = training.exchange.comm;
    spec.limits = training.limits;
    spec.compute_scale = training.compute_scale;
    spec.network_scale = training.network_scale;
    spec.samples_per_rank = graph.samples_per_rank;
    std::optional<GpuCostModel> other;
    if (graph.recorded_on != node(q.cluster).gpu.id) {
      const GpuSpec there = gpu_spec(catalog, graph.recorded_on);
      other = GpuCostModel::create(gpu_rates(there), framework(q.cluster, q.workload).lowering(), kernels);
      spec.recorded = &*other;
    }
    ledger.note({doc::Reason{"recorded_step",
                             {{"workload", workload(q.workload).title},
                              {"format", graph.format},
                              {"files", static_cast<int>(graph.files.size())},
                              {"ranks", graph.step.world},
                              {"gpu", graph.recorded_on},
                              {"scaled", spec.recorded != nullptr}}},
                 "", graph.files.front(), Trust::scenario});
    TrainingRun run = replay(machine, graph.step, spec, tracer);
    add_storage(run, training, machine.used_nodes());
    return run;
  });
}

RecordedStep Evaluator::record(const Question& asked) {
  std::optional<Question> kept;
  const Question q = impl_->longest(impl_->sized(asked, kept)).second;
  const Cluster& machine = impl_->cluster(q);
  const auto ranks = static_cast<int>(machine.ranks.size());
  check_split(q.workload, ranks);
  if (q.workload.graph)
    throw Error{"the step is a recorded one", q.workload.graph->where, "its files are there already"};
  return at(q.workload.where, [&] {
    const TrainingSpec training = impl_->spec(q, {});
    if (!q.workload.parallelism) return record_of_training(training, ranks);
    const SplitTraining split = split_training_of(q, machine, training);
    return record_of_split(*split_step_of(machine, training, split).work, on_gpus(split.mesh, ranks),
                           machine.local_ranks());
  });
}

}  // namespace rackcast
