#include "models/split_training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include "models/cluster.hpp"
#include "models/collectives/comm_model.hpp"
#include "models/expert_parallel.hpp"
#include "models/gpu_step.hpp"
#include "models/listed_shards.hpp"
#include "models/straggler.hpp"
#include "models/training.hpp"
#include "sim/error.hpp"

namespace rackcast {
namespace {

std::int64_t divided(std::int64_t count, std::int64_t ways, const char* what) {
  if (count % ways != 0) throw Error{fmt::format("{} {} cannot be cut over {} GPUs", count, what, ways)};
  return count / ways;
}

/// "layer12.norm1" is of layer 12; 0 for what is before the layers, `after` for what comes behind them.
std::int64_t layer_of(const Operator& op, bool behind, std::int64_t after) {
  if (!op.name.starts_with("layer") || op.name.size() < 6 ||
      std::isdigit(static_cast<unsigned char>(op.name[5])) == 0)
    return behind ? after : 0;
  return std::stoll(op.name.substr(5));
}

struct Stage {
  Workload part;
  std::int64_t layers = 0, expert_layers = 0;
  bool first = false, last = false;
};

/// The embedding goes with the first layers, the vocabulary product with the last.
std::vector<Stage> stages_of(const Workload& whole, const TransformerShape& shape, int count) {
  const std::int64_t layers = shape.layers;
  if (count > layers) throw Error{fmt::format("{} layers make no {} stages", layers, count)};
  std::vector<Stage> out(static_cast<std::size_t>(count));
  out.front().first = out.back().last = true;
  const auto stage_of_layer = [&](std::int64_t layer) {
    return static_cast<std::size_t>(std::min<std::int64_t>((layer - 1) * count / layers, count - 1));
  };
  for (std::int64_t layer = 1; layer <= layers; ++layer) {
    ++out[stage_of_layer(layer)].layers;
    if (has_experts(shape, layer - 1)) ++out[stage_of_layer(layer)].expert_layers;
  }
  bool behind = false;
  for (const Operator& op : whole.operators) {
    const std::int64_t layer = std::clamp<std::int64_t>(layer_of(op, behind, layers), 1, layers);
    behind = behind || op.name.starts_with("layer");
    out[stage_of_layer(layer)].part.operators.push_back(op);
  }
  return out;
}

struct StageTime {
  Duration compute{0}, exchange{0}, experts{0}, optimizer{0};
  double parameters = 0;  ///< trained, without those of the experts
  double of_experts = 0;  ///< trained parameters
  [[nodiscard]] Duration total() const { return compute + exchange + experts; }
};

}  // namespace

TransformerShape shard_of(TransformerShape s, int ways) {
  if (s.head_dim == 0 && s.heads > 0) s.head_dim = s.hidden / s.heads;
  if (s.kv_heads == 0) s.kv_heads = s.heads;
  if (s.ffn == 0) s.ffn = 4 * s.hidden;
  s.heads = divided(s.heads, ways, "attention heads");
  s.kv_heads = std::max<std::int64_t>(1, s.kv_heads / ways);  // fewer than GPUs: copies
  s.ffn = divided(s.ffn, ways, "columns of the MLP");
  if (s.mamba_layers > 0) {
    s.mamba_heads = divided(s.mamba_heads, ways, "heads of the state-space model");
    s.mamba_groups = std::max<std::int64_t>(1, s.mamba_groups / ways);
  }
  if (s.shared_ffn > 0) s.shared_ffn = divided(s.shared_ffn, ways, "columns of the shared experts");
  if (s.experts > 0)
    s.moe_ffn = divided(s.moe_ffn > 0 ? s.moe_ffn : s.ffn * ways, ways, "columns of an expert");
  s.vocab = (s.vocab + ways - 1) / ways;  // padded
  return s;
}

namespace {

/// Every GPU has the queries of its tokens, and meets the keys and values of all.
Workload with_whole_keys(Workload part, std::int64_t tokens) {
  for (Operator& op : part.operators)
    if (op.family == OperatorFamily::attention) op.shape.kv_seq = tokens;
  return part;
}

/// What the ring of keys and values takes beyond attention, for a stage and micro-batch.
Duration exposed_by_ring(const StepTime& step, Duration send, double sends) {
  Duration forward{0}, backward{0};
  for (const StepKernel& kernel : step.kernels) {
    if (kernel.op == nullptr || kernel.op->family != OperatorFamily::attention) continue;
    (kernel.pass == Pass::forward ? forward : backward) += kernel.time;
  }
  return std::max(Duration{0}, sends * send - forward) + std::max(Duration{0}, 2 * sends * send - backward);
}

/// What sharded gradients and weights make a micro-batch longer by than its kernels.
Duration exposed_by_shards(CommModel& over, const Stage& stage, const StepTime& step, const SplitSpec& spec,
                           double parameters) {
  const double layers = static_cast<double>(stage.layers);
  const Bytes part = parameters / layers * gradient_bytes(spec.precision);
  const Duration scatter = over.time(Collective::reduce_scatter, part) / spec.network_scale;
  const Duration gather =
      spec.zero_stage < 3 ? Duration{0} : over.time(Collective::all_gather, part) / spec.network_scale;
  // Collectives beside the kernels take multiprocessors from them.
  const double slower = 1 / (spec.compute_scale * (1 - collective_slowdown()));
  const Duration forward = step.forward * slower / layers, backward = step.backward * slower / layers;
  const Duration all =
      gather + layers * std::max(forward, gather) + layers * std::max(backward, gather + scatter) + scatter;
  return all - (step.forward + step.backward) / spec.compute_scale;
}

/// Gradients of bfloat16 that are added up in 32 bits.
bool sums_are_wide(const FrameworkProfile& framework, const SplitSpec& spec) {
  const GradientSums sums = framework.gradient_sums;
  return spec.precision == Precision::bf16 && (sums == GradientSums::wide || sums == GradientSums::widened);
}

/// What adding the gradients of a micro-batch to those before moves, per parameter. Sharded gradients are
/// added in shards, which is little.
Bytes traffic_of_sums(const FrameworkProfile& framework, const SplitSpec& spec) {
  if (spec.zero_stage >= 2 || framework.gradient_sums == GradientSums::in_products) return Bytes{0};
  // Cleared sums take the first micro-batch's as well; a cast reads 2 bytes and writes 4.
  if (sums_are_wide(framework, spec))
    return framework.gradient_sums == GradientSums::widened ? Bytes{2 + 4 + 4 + 4 + 4} : Bytes{2 + 4 + 4};
  const double added = (spec.micro_batches - 1) / spec.micro_batches;
  return added * 3 * gradient_bytes(spec.precision);
}

/// Those who hold the same experts are `expert` ranks apart. Where a group of `expert` lies inside a node,
/// all groups of a node sum at once over its adapters, as one sum of all their gradients would; where it
/// spans nodes, those of a node do.
Duration expert_gradients(const Cluster& cluster, const CommSpec& comm, const SplitSpec& spec, int sets,
                          double parameters) {
  const int ranks = sets * spec.expert;
  const bool local = ranks <= cluster.local_ranks();
  const Cluster group = first_ranks(cluster, local ? sets : ranks);
  CommModel over{group, comm};
  const double at_once = local ? 1 : std::min(spec.expert, cluster.local_ranks());
  return over.time(Collective::all_reduce, at_once * parameters * gradient_bytes(spec.precision));
}

}  // namespace

TrainingRun split_run(const SplitStep& step, int ranks, double sequences) {
  TrainingRun run;
  run.parts.forward = step.compute / 3;
  run.parts.backward = step.compute - run.parts.forward;
  run.parts.exchange_busy = step.tensor_exchange + step.expert_exchange + step.gradient_exchange;
  run.parts.exchange_wait = run.parts.exchange_busy + step.pipeline_wait;
  run.parts.optimizer = step.optimizer;
  run.parts.total = step.total;
  run.ranks = ranks;
  run.samples_per_step = sequences;
  run.steps = 1;
  run.compute_log_sigma = step.compute_log_sigma;
  run.network_log_sigma = step.network_log_sigma;
  run.scaling_log_sigma = step.scaling_log_sigma;
  const Duration most = std::max(
      {step.compute, step.tensor_exchange, step.expert_exchange, step.pipeline_wait, step.gradient_exchange});
  run.binds = most == step.compute           ? "GPU compute"
              : most == step.tensor_exchange ? "sums of activations among the GPUs of a tensor-parallel group"
              : most == step.expert_exchange ? "tokens sent to their experts on other GPUs and back"
              : most == step.pipeline_wait   ? "filling and draining the pipeline"
                                             : "exchange of gradients and weights between replicas";
  return run;
}

SplitStep split_step(const Cluster& cluster, const TransformerShape& whole_shape, const GpuCostModel& gpu,
                     const FrameworkProfile& framework, const CommSpec& comm, const SplitSpec& spec) {
  const int ranks = static_cast<int>(cluster.ranks.size());
  const int ways = spec.tensor * spec.pipeline;
  if (ways < 1 || spec.context < 1 || ranks % (ways * spec.context) != 0)
    throw Error{fmt::format("{} GPUs are no multiple of {} x {} x {}", ranks, spec.tensor, spec.pipeline,
                            spec.context)};
  const int replicas = ranks / ways;  // of the weights
  TransformerShape shape = whole_shape;
  shape.seq_len = divided(shape.seq_len, spec.context, "tokens");
  const TransformerShape part = with_local_experts(shard_of(shape, spec.tensor), spec.tensor, spec.expert);
  const Workload whole =
      with_adapters(with_whole_keys(transformer_workload(part), whole_shape.seq_len), spec.adapters);

  const Bytes activations =
      spec.micro_batch * static_cast<double>(shape.seq_len * shape.hidden) *
      std::max(Bytes{2}, activation_bytes(spec.precision));  // summed and sent in 16 bits and more
  Duration sum_of_activations{0};
  SplitStep out;
  out.scaling_log_sigma = scaling_log_sigma(cluster.used_nodes());
  if (spec.tensor > 1) {
    const Cluster group = first_ranks(cluster, spec.tensor);
    CommModel inside{group, comm};
    sum_of_activations = inside.time(Collective::all_reduce, activations);
    out.network_log_sigma = inside.log_sigma();
  }

  Duration pass_keys{0};
  if (spec.context > 1) {
    const Cluster ring = first_ranks(cluster, spec.tensor * spec.context);
    CommModel around{ring, comm};
    const Bytes keys{spec.micro_batch * 2 * 2 *
                     static_cast<double>(part.seq_len * part.kv_heads * part.head_dim)};
    const int sharing =
        ring.used_nodes() > 1 && ring.node.nics > 0 ? std::max(1, ring.local_ranks() / ring.node.nics) : 1;
    pass_keys = around.time(Collective::send_recv, static_cast<double>(sharing) * keys) / spec.network_scale;
    out.network_log_sigma = std::max(out.network_log_sigma, around.log_sigma());
  }

  Duration to_experts{0};
  if (spec.expert > 1) {
    if (replicas * spec.tensor % spec.expert != 0)
      throw Error{fmt::format("{} GPUs of a stage are no multiple of the {} that share experts",
                              replicas * spec.tensor, spec.expert)};
    const ExpertExchange exchange = expert_exchange(cluster, comm, shape, spec.expert,
                                                    activations * width_to_experts(shape) / spec.tensor);
    to_experts = exchange.time / spec.network_scale;
    out.network_log_sigma = std::max(out.network_log_sigma, exchange.log_sigma);
  }

  if (spec.zero_stage >= 2 && spec.expert > 1)
    throw Error{"gradients or weights sharded over replicas beside experts split over GPUs have no model"};
  if (spec.zero_stage >= 2 && spec.adapters.rank > 0)
    throw Error{"adapters beside weights or gradients sharded over replicas have no model"};
  if (spec.zero_stage >= 2 && spec.pipeline > 1)
    throw Error{"gradients or weights sharded over replicas of a pipeline have no model"};
  std::optional<Cluster> group;
  std::optional<CommModel> over;
  // Replicas of one node sum among themselves. Over nodes all groups of a node sum at once over its
  // adapters, as one sum of all their gradients would.
  const bool local = spec.tensor * replicas <= cluster.local_ranks();
  const double sums_at_once = local ? 1 : spec.tensor;
  if (replicas > 1) {
    group.emplace(first_ranks(cluster, local ? replicas : spec.tensor * replicas));
    over.emplace(*group, comm);
    out.network_log_sigma = std::max(out.network_log_sigma, over->log_sigma());
  }

  std::vector<StageTime> times;
  const bool lists = spec.gathers_tensors && spec.zero_stage == 3;
  Duration shards{0}, kept{0};
  for (const Stage& stage : stages_of(whole, shape, spec.pipeline)) {
    StepOptions options;
    options.batch = spec.micro_batch;
    options.precision = spec.precision;
    options.recompute = spec.recompute;
    options.adam = spec.adam;
    options.gradient_sum = traffic_of_sums(framework, spec);
    const StepTime step = step_time(stage.part, gpu, framework, options);
    Duration sums{0};  // what they add to the kernels and the host's pace
    if (spec.tensor > 1) {
      options.sum_over_gpus = sum_of_activations;
      const StepTime shared = step_time(stage.part, gpu, framework, options);
      sums = shared.forward + shared.backward - step.forward - step.backward;
      // The embedding's rows, and the gradient of the vocabulary product.
      sums += ((stage.first ? 1 : 0) + (stage.last ? 1 : 0)) * sum_of_activations;
    }
    out.compute_log_sigma = step.log_sigma;
    const double of_experts = spec.expert > 1 ? expert_parameters(stage.part) : 0;
    times.push_back(
        {(step.forward + step.backward) / spec.compute_scale,
         sums / spec.network_scale +
             exposed_by_ring(step, pass_keys, static_cast<double>((spec.context - 1) * stage.layers)),
         (spec.recompute ? 6.0 : 4.0) * static_cast<double>(stage.expert_layers) * to_experts,
         step.optimizer / spec.compute_scale, stage.part.trained_parameters() - of_experts, of_experts});
    if (over && lists) {
      const ListedShards exposed = exposed_by_lists(*over, gpu,
                                                    {.layers = static_cast<double>(stage.layers),
                                                     .parameters = sums_at_once * stage.part.parameters(),
                                                     .hidden = static_cast<double>(shape.hidden),
                                                     .replicas = static_cast<double>(replicas),
                                                     .precision = spec.precision,
                                                     .recompute = spec.recompute});
      shards = exposed.network / spec.network_scale + exposed.device / spec.compute_scale + exposed.host;
      kept = exposed.kept;
    } else if (over && spec.zero_stage >= 2) {
      shards = exposed_by_shards(*over, stage, step, spec, sums_at_once * stage.part.parameters());
    }
  }
  const StageTime slowest = *std::ranges::max_element(times, {}, &StageTime::total);
  Duration fill{0}, message{0};
  for (const StageTime& t : times) fill += t.total();
  fill = (fill - slowest.total()) / spec.interleave;
  if (spec.pipeline > 1) {
    CommModel between{cluster, comm};
    // The GPUs of a group send a part each; those of a node share its adapters.
    const int sharing = cluster.used_nodes() > 1 && cluster.node.nics > 0
                            ? std::max(1, cluster.local_ranks() / cluster.node.nics)
                            : 1;
    message =
        between.time(Collective::send_recv, activations * (static_cast<double>(sharing) / spec.tensor)) /
        spec.network_scale;
    out.network_log_sigma = std::max(out.network_log_sigma, between.log_sigma());
  }
  const double m = spec.micro_batches;
  out.compute = m * slowest.compute;
  out.tensor_exchange = m * slowest.exchange;
  out.expert_exchange = m * slowest.experts;
  out.pipeline_wait = fill + 2 * (m - 1 + spec.pipeline - 1) * spec.interleave * message;
  const int sets_of_experts = replicas * spec.tensor / spec.expert;
  if (over) {
    const Bytes gradients = sums_at_once * slowest.parameters * gradient_bytes(spec.precision);
    const double widths = sums_are_wide(framework, spec) ? Bytes{4} / gradient_bytes(spec.precision) : 1;
    // Stage 2 gathers the weights that were updated, stage 3 has them gathered when they are used.
    out.gradient_exchange = m * shards + kept;
    if (spec.zero_stage < 2)
      out.gradient_exchange += over->time(Collective::all_reduce, widths * gradients) / spec.network_scale;
    if (sets_of_experts > 1 && slowest.of_experts > 0)
      out.gradient_exchange +=
          expert_gradients(cluster, comm, spec, sets_of_experts, slowest.of_experts) / spec.network_scale;
    if (spec.zero_stage == 2)
      out.gradient_exchange += over->time(Collective::all_gather, gradients) / spec.network_scale;
  }
  out.optimizer = slowest.optimizer;
  if (spec.zero_stage > 0) {
    const double all = slowest.parameters + slowest.of_experts;
    out.optimizer =
        slowest.optimizer * ((slowest.parameters / replicas + slowest.of_experts / sets_of_experts) / all);
  }
  out.total = out.compute + out.tensor_exchange + out.expert_exchange + out.pipeline_wait +
              out.gradient_exchange + out.optimizer;
  return out;
}

}  // namespace rackcast
