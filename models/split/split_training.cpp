#include "models/split/split_training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "models/collectives/cluster.hpp"
#include "models/collectives/comm_model.hpp"
#include "models/collectives/timed_exchange.hpp"
#include "models/frameworks/gpu_step.hpp"
#include "models/graph/graph_run.hpp"
#include "models/mechanism_spread.hpp"
#include "models/split/activation_exchange.hpp"
#include "models/split/expert_parallel.hpp"
#include "models/split/layer_sums.hpp"
#include "models/split/listed_shards.hpp"
#include "models/split/replica_sums.hpp"
#include "models/split/split_graph.hpp"
#include "models/split/split_stages.hpp"
#include "models/step/straggler.hpp"
#include "models/step/training.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

/// What the ring of keys and values takes beyond attention, for a stage and micro-batch.
void add_ring(StageWork& out, const StepTime& step, const SplitTraining& spec, Duration round) {
  Duration forward{0}, backward{0};
  for (const StepKernel& kernel : step.kernels) {
    if (kernel.op == nullptr || kernel.op->family != OperatorFamily::attention) continue;
    (kernel.pass == Pass::forward ? forward : backward) += kernel.time / spec.compute_scale;
  }
  const double runs = attention_runs(spec.mesh.recompute);
  const ExposedRing exposed = exposed_ring(round, forward / runs, backward, runs);
  out.forward_exchange.time += exposed.forward;
  out.backward_exchange.time += exposed.backward;
}

/// Gradients of bfloat16 that are added up in 32 bits.
bool sums_are_wide(const FrameworkProfile& framework, const SplitTraining& spec) {
  const GradientSums sums = framework.gradient_sums;
  return spec.precision == Precision::bf16 && (sums == GradientSums::wide || sums == GradientSums::widened);
}

/// What adding the gradients of a micro-batch to those before moves, per parameter. Sharded gradients are
/// added in shards, which is little.
Bytes traffic_of_sums(const FrameworkProfile& framework, const SplitTraining& spec) {
  if (spec.mesh.zero_stage >= 2 || framework.gradient_sums == GradientSums::in_products) return Bytes{0};
  // Cleared sums take the first micro-batch's as well; a cast reads 2 bytes and writes 4.
  if (sums_are_wide(framework, spec))
    return framework.gradient_sums == GradientSums::widened ? Bytes{2 + 4 + 4 + 4 + 4} : Bytes{2 + 4 + 4};
  const double added = (spec.mesh.micro_batches - 1) / spec.mesh.micro_batches;
  return added * 3 * gradient_bytes(spec.precision);
}

void check_sharding(const SplitTraining& spec) {
  if (spec.mesh.shard_group > 0 && spec.mesh.expert > 1)
    throw Error{"shard groups beside experts split over GPUs have no model"};
  if (spec.mesh.zero_stage < 2) return;
  if (spec.mesh.schedule == PipelineSchedule::dualpipe)
    throw Error{"gradients or weights sharded over replicas beside DualPipe have no model"};
  if (spec.mesh.expert > 1)
    throw Error{"gradients or weights sharded over replicas beside experts split over GPUs have no model"};
  if (spec.adapters.rank > 0)
    throw Error{"adapters beside weights or gradients sharded over replicas have no model"};
  if (spec.mesh.pipeline > 1 && spec.mesh.gathers_tensors)
    throw Error{"DeepSpeed shards no gradients or weights over replicas of a pipeline"};
}

StepOptions options_of(const FrameworkProfile& framework, const SplitTraining& spec) {
  StepOptions options;
  options.batch = spec.mesh.micro_batch;
  options.precision = spec.precision;
  options.recompute = spec.mesh.recompute;
  options.adam = spec.adam;
  options.gradient_sum = traffic_of_sums(framework, spec);
  return options;
}

/// Of a backward pass, what the gradients of weights take.
double share_of_weight_gradients(const StepTime& step) {
  Duration weights{0};
  for (const StepKernel& kernel : step.kernels)
    if (kernel.pass == Pass::weight_gradient) weights += kernel.time;
  return step.backward > Duration{0} ? std::min(1.0, weights / step.backward) : 0;
}

/// Computes one step. The members are what the parts of the step share.
class SplitModel {
 public:
  SplitModel(const Cluster& cluster, const TransformerShape& shape, const GpuCostModel& gpu,
             const FrameworkProfile& framework, const CommSpec& comm, const SplitTraining& spec)
      : cluster_{cluster},
        gpu_{gpu},
        framework_{framework},
        comm_{comm},
        spec_{spec},
        mesh_{spec_.mesh},
        all_{shard_of_all(shape, spec.mesh, spec.adapters)} {
    spec_.mesh = on_gpus(spec.mesh, static_cast<int>(cluster.ranks.size()));
    work_.activations = activations_ = exchanged_activations(all_.shape, mesh_.micro_batch, spec.precision);
    out_.scaling_log_sigma = std::hypot(scaling_log_sigma(cluster.used_nodes()),
                                        split_log_sigma(mesh_.gpus(), cluster.local_ranks()));
  }

  SplitStep run() {
    time_collectives();
    for (const SplitStage& stage :
         stages_of(all_.workload, all_.shape,
                   layers_of_stages(all_.shape, mesh_.pipeline,
                                    stage_cut(framework_.memory.stages, mesh_.interleave))))
      add_stage(stage);
    set_pipeline();
    for (std::size_t s = 1; s < work_.stages.size(); ++s)
      if (work_.micro_batch(s) > work_.micro_batch(out_.slowest)) out_.slowest = s;
    out_.work = std::make_shared<const SplitWork>(std::move(work_));
    add_run();
    return std::move(out_);
  }

 private:
  void widen(double log_sigma) { out_.network_log_sigma = std::max(out_.network_log_sigma, log_sigma); }

  [[nodiscard]] TimedExchange timed(CommModel& among, Collective operation, Bytes bytes) const {
    TimedExchange out = timed_exchange(among, operation, bytes);
    out.time /= spec_.network_scale;
    return out;
  }

  void time_collectives() {
    if (mesh_.tensor > 1) {
      const Cluster group = first_ranks(cluster_, mesh_.tensor);
      CommModel inside{group, comm_};
      sums_ =
          layer_sums(inside, activations_, mesh_.sequence_parallel.value_or(framework_.sequence_parallel));
      sums_.sum.time /= spec_.network_scale;
      sums_.gathered_again /= spec_.network_scale;
      widen(inside.log_sigma());
    }
    if (mesh_.context > 1) {
      const Cluster ring = first_ranks(cluster_, mesh_.tensor * mesh_.context);
      CommModel around{ring, comm_};
      pass_keys_ = pass_of_keys(around, ring, all_.part, mesh_.micro_batch) / spec_.network_scale;
      widen(around.log_sigma());
    }
    if (mesh_.expert > 1) {
      ExpertGroup group{cluster_, comm_, mesh_.expert};
      const ExpertExchange exchange = exchange_with_experts(group, all_.shape, mesh_, activations_);
      to_experts_ = exchange.time / spec_.network_scale;
      widen(exchange.log_sigma);
    }
    check_sharding(spec_);
    if (ShardExchanges::sharing(mesh_) > 1) {
      over_.emplace(cluster_, comm_, mesh_, spec_.network_scale);
      widen(over_->over.over.log_sigma());
      if (over_->sets) widen(over_->sets->over.log_sigma());
    }
    const auto of_a_node = [&](int apart) {
      return std::min(apart, cluster_.local_ranks());
    };
    if (both_ways()) to_mirrors_.emplace(cluster_, comm_);
    if (mesh_.expert > 1 && sets_of_experts() > 1)
      over_experts_.emplace(cluster_, comm_, mesh_.expert, sets_of_experts(), of_a_node(mesh_.expert));
  }

  void add_stage(const SplitStage& stage) {
    StepOptions options = options_of(framework_, spec_);
    const StepTime step = step_time(stage.part, gpu_, framework_, options);
    out_.compute_log_sigma = step.log_sigma;
    StageWork work;
    work.host_share = host_share(step);
    work.forward = step.forward / spec_.compute_scale;
    work.backward = step.backward / spec_.compute_scale;
    work.weights_share = share_of_weight_gradients(step);
    work.optimizer = step.optimizer / spec_.compute_scale;
    work.forward_exchange.links = work.backward_exchange.links = sums_.sum.links;
    if (mesh_.tensor > 1) {  // what the sums add to the kernels and the host's pace
      const QueuedSums queued = queued_sums(sums_, step, static_cast<double>(stage.layers),
                                            {mesh_.tensor, cluster_.local_ranks()}, framework_);
      options.forward_sum = on_own_pace(queued.forward);
      options.backward_sum = on_own_pace(queued.back);
      const StepTime shared = step_time(stage.part, gpu_, framework_, options);
      // The embedding's rows, and the gradient of the vocabulary product.
      work.forward_exchange.time =
          (shared.forward - step.forward) / spec_.compute_scale + (stage.first ? 1 : 0) * sums_.sum.time;
      work.backward_exchange.time =
          (shared.backward - step.backward) / spec_.compute_scale + (stage.last ? 1 : 0) * sums_.sum.time;
    }
    if (mesh_.context > 1)
      add_ring(work, step, spec_, static_cast<double>((mesh_.context - 1) * stage.layers) * pass_keys_);
    const double expert_layers = static_cast<double>(stage.expert_layers);
    work.forward_experts.time = 2 * expert_layers * to_experts_;
    work.backward_experts.time =
        (mesh_.recompute == Recomputation::full ? 2.0 : 1.0) * work.forward_experts.time;
    work.layers = static_cast<int>(std::max<std::int64_t>(1, stage.layers));
    add_replicas(stage, work);
    work_.stages.push_back(work);
  }

  /// In the queue the GPU and the host have their own pace, by which all its times are scaled afterwards.
  [[nodiscard]] LayerSum on_own_pace(LayerSum sum) const {
    sum.time *= spec_.compute_scale;
    return sum;
  }

  // ---- what replicas exchange

  [[nodiscard]] bool both_ways() const { return mesh_.schedule == PipelineSchedule::dualpipe; }
  [[nodiscard]] Bytes width_of_sums() const {
    return sums_are_wide(framework_, spec_) ? Bytes{4} : gradient_bytes(spec_.precision);
  }
  [[nodiscard]] int sets_of_experts() const { return mesh_.stage_gpus() / mesh_.expert; }
  void add_replicas(const SplitStage& stage, StageWork& work) {
    // Trained parameters: those of experts that GPUs share, and the others.
    const double of_experts = mesh_.expert > 1 ? expert_parameters(stage.part) : 0,
                 parameters = stage.part.trained_parameters() - of_experts;
    if (mesh_.zero_stage > 0)
      work.optimizer *=
          (parameters / mesh_.shards() + of_experts / sets_of_experts()) / (parameters + of_experts);
    if (over_) add_exchanges_of_replicas(stage, parameters, of_experts, work);
    if (!to_mirrors_) return;
    // Each GPU and its mirror send each other what they have the sums of, in all as much as they add.
    const double owners = mesh_.zero_stage > 0 ? mesh_.shards() : mesh_.copies();
    const Bytes each = (parameters / owners + of_experts / sets_of_experts()) * width_of_sums();
    work.gradients = in_turn(work.gradients,
                             timed(*to_mirrors_, Collective::send_recv, sharing_an_adapter(cluster_) * each));
  }

  void add_exchanges_of_replicas(const SplitStage& stage, double parameters, double of_experts,
                                 StageWork& work) {
    if (mesh_.zero_stage >= 2) add_shards(stage, work);
    if (mesh_.zero_stage < 2) add_sums(stage, parameters, of_experts, work);
    if (mesh_.zero_stage == 2)  // of the weights that were updated; stage 3 gathers them when they are used
      work.weights = over_->over_shards(Collective::all_gather, parameters * gradient_bytes(spec_.precision));
  }

  void add_sums(const SplitStage& stage, double parameters, double of_experts, StageWork& work) {
    const Bytes weights = parameters * gradient_bytes(spec_.precision);
    const double widths = width_of_sums() / gradient_bytes(spec_.precision);
    const bool overlap = mesh_.overlap_gradients.value_or(framework_.overlaps_gradients);
    if (overlap && mesh_.zero_stage == 1) {
      work.gradients = over_->scattered(widths * weights);
      work.weights_first = over_->over_shards(Collective::all_gather, weights);
    } else if (over_->sets) {
      work.gradients = over_->scattered(widths * weights);
      work.weights = over_->over_shards(Collective::all_gather, weights);
    } else {
      work.gradients = over_->over_shards(Collective::all_reduce, widths * weights);
    }
    work.gradients.time += host_of_replicas(framework_, stage.part, mesh_, cluster_.local_ranks());
    work.gradients_overlap = overlap;
    if (over_experts_ && of_experts > 0)
      work.gradients.time +=
          over_experts_->over.time(Collective::all_reduce,
                                   over_experts_->at_once * of_experts * gradient_bytes(spec_.precision)) /
          spec_.network_scale;
  }

  void add_shards(const SplitStage& stage, StageWork& work) {
    if (!mesh_.gathers_tensors || mesh_.zero_stage < 3) {
      const LayerShards layer =
          layer_shards(*over_, mesh_, stage.part.parameters() / work.layers, spec_.precision);
      work.gather = layer.gather;
      work.scatter = layer.scatter;
      return;
    }
    const ListedShards exposed =
        exposed_by_lists(over_->over.over, gpu_,
                         {.layers = static_cast<double>(work.layers),
                          .parameters = over_->over.at_once * stage.part.parameters(),
                          .hidden = static_cast<double>(all_.shape.hidden),
                          .replicas = static_cast<double>(mesh_.shards()),
                          .precision = spec_.precision,
                          .recompute = mesh_.recompute == Recomputation::full});
    // The host's part is waited for as the exchange is, and no better known.
    work.lists =
        (exposed.network + exposed.host) / spec_.network_scale + exposed.device / spec_.compute_scale;
    work.weights.time = exposed.kept;
  }

  // ---- the pipeline

  void set_pipeline() {
    work_.pipeline = {mesh_.pipeline, mesh_.interleave, 1, mesh_.schedule};
    work_.pipeline.micro_batches = whole_micro_batches(work_.pipeline, mesh_.micro_batches);
    work_.of_a_pass = mesh_.micro_batches / static_cast<double>(work_.pipeline.micro_batches);
    work_.slowdown = collective_slowdown();
    const int between = static_cast<int>(cluster_.ranks.size()) / mesh_.pipeline;  // tensor, data, pipeline
    const int local = std::max(1, cluster_.local_ranks());
    for (int s = 0; s < mesh_.pipeline; ++s)
      work_.places.push_back(fmt::format("node {}, GPU {}", s * between / local, s * between % local));
    if (mesh_.pipeline == 1) return;
    CommModel among{cluster_, comm_};
    work_.message = message_of_stage(among, cluster_, mesh_.tensor, activations_);
    work_.message.time /= spec_.network_scale;
    widen(among.log_sigma());
  }

  void add_run() {
    const SplitGraph split = split_graph(*out_.work);
    const GraphRun run = run_graph(split.graph, {.limits = spec_.limits});
    const std::uint32_t kernels = split.kernels[out_.slowest];
    out_.parts = run.parts(kernels);
    Duration total = run.total;
    if (split.staggered) {  // steps follow each other stage by stage: the longest stage sets their pace
      const auto fills = [&](std::size_t s) {
        return run.time(split.kernels[s], split_task::filling);
      };
      total = Duration{0};
      for (std::size_t s = 0; s < split.kernels.size(); ++s)
        total = std::max(total, run.parts(split.kernels[s]).total - fills(s));
      out_.parts.pipeline_wait -= fills(out_.slowest);
      out_.parts.total -= fills(out_.slowest);
    }
    // What others still do when this stage has done all of its own.
    out_.parts.pipeline_wait += total - std::exchange(out_.parts.total, total);
    out_.host_share = out_.work->stages[out_.slowest].host_share;
    out_.stage_exchange = run.time(kernels, split_task::message);
    out_.parts.exchange_busy = out_.parts.exchange_wait - run.time(kernels, split_task::waiting);
    if (const auto beside = split.exchanges[out_.slowest])
      out_.parts.exchange_busy += run.parts(*beside).exchange_busy;
    out_.events = run.events;
  }

  const Cluster& cluster_;
  const GpuCostModel& gpu_;
  const FrameworkProfile& framework_;
  const CommSpec& comm_;
  SplitTraining spec_;
  const Mesh& mesh_;  ///< of `spec_`, with the replicas
  ShardOfAll all_;
  Bytes activations_{0};
  LayerSums sums_;
  Duration pass_keys_{0}, to_experts_{0};
  std::optional<ShardExchanges> over_;
  std::optional<SumApart> over_experts_;
  std::optional<CommModel> to_mirrors_;
  SplitWork work_;
  SplitStep out_;
};

}  // namespace

TrainingRun split_run(const SplitStep& step, int ranks, double sequences) {
  TrainingRun run;
  run.parts = step.parts;
  run.ranks = ranks;
  run.samples_per_step = sequences;
  run.steps = 1;
  run.events = step.events;
  run.compute_log_sigma = step.compute_log_sigma;
  run.network_log_sigma = step.network_log_sigma;
  run.scaling_log_sigma = step.scaling_log_sigma;
  run.host_share = step.host_share;
  const std::string compute = gpu_or_host(step.host_share);
  const std::pair<Duration, const char*> causes[] = {
      {step.compute(), compute.c_str()},
      {step.tensor_exchange(), "sums of activations among the GPUs of a tensor-parallel group"},
      {step.parts.expert_exchange, "tokens sent to their experts on other GPUs and back"},
      {step.parts.pipeline_wait, "filling and draining the pipeline"},
      {step.stage_exchange, "activations sent from stage to stage"},
      {step.parts.exchange_wait, "exchange of gradients and weights between replicas"}};
  run.binds = std::ranges::max_element(causes, {}, &std::pair<Duration, const char*>::first)->second;
  return run;
}

SplitStep split_step(const Cluster& cluster, const TransformerShape& shape, const GpuCostModel& gpu,
                     const FrameworkProfile& framework, const CommSpec& comm, const SplitTraining& spec) {
  return SplitModel{cluster, shape, gpu, framework, comm, spec}.run();
}

StageKernels stage_kernels(const TransformerShape& shape, const GpuCostModel& gpu,
                           const FrameworkProfile& framework, const SplitTraining& spec, std::size_t stage) {
  const ShardOfAll all = shard_of_all(shape, spec.mesh, spec.adapters);
  std::vector<SplitStage> stages =
      stages_of(all.workload, all.shape,
                layers_of_stages(all.shape, spec.mesh.pipeline,
                                 stage_cut(framework.memory.stages, spec.mesh.interleave)));
  if (stage >= stages.size())
    throw Error{fmt::format("{} stages have no stage {}", stages.size(), stage + 1)};
  StageKernels out;
  out.part = std::make_unique<const Workload>(std::move(stages[stage].part));
  out.step = step_time(*out.part, gpu, framework, options_of(framework, spec));
  return out;
}

}  // namespace rackcast
