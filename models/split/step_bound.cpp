#include "models/split/step_bound.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "models/collectives/cluster.hpp"
#include "models/collectives/comm_model.hpp"
#include "models/frameworks/framework.hpp"
#include "models/frameworks/gpu_step.hpp"
#include "models/split/activation_exchange.hpp"
#include "models/split/layer_sums.hpp"
#include "models/split/replica_sums.hpp"
#include "models/split/split_stages.hpp"

namespace rackcast {
namespace {

constexpr double bound_rounding = 1 - 1e-9;  // sums in another order than the step's

/// Of one layer, or of all up to one, for a micro-batch.
struct LayerBound {
  Duration forward{0}, backward{0};                      ///< kernels, nothing computed again
  Duration forward_attention{0}, backward_attention{0};  ///< of these
  double forward_sums = 0, backward_sums = 0;            ///< among the GPUs that share a layer
  double expert_layers = 0;
  double parameters = 0;

  LayerBound& operator+=(const LayerBound& o) {
    forward += o.forward;
    backward += o.backward;
    forward_attention += o.forward_attention;
    backward_attention += o.backward_attention;
    forward_sums += o.forward_sums;
    backward_sums += o.backward_sums;
    expert_layers += o.expert_layers;
    parameters += o.parameters;
    return *this;
  }
  [[nodiscard]] LayerBound less(const LayerBound& o) const {
    return {forward - o.forward,
            backward - o.backward,
            forward_attention - o.forward_attention,
            backward_attention - o.backward_attention,
            forward_sums - o.forward_sums,
            backward_sums - o.backward_sums,
            expert_layers - o.expert_layers,
            parameters - o.parameters};
  }
};

/// A network of few layers whose costs stand for those of all.
struct FewLayers {
  TransformerShape shape;
  std::int64_t all = 0, dense = 0;  ///< of the whole network

  explicit FewLayers(const TransformerShape& whole)
      : shape{whole}, all{whole.layers}, dense{whole.dense_layers} {
    const bool alike = whole.mamba_layers == 0 && whole.expert_every <= 1 && !whole.shared_layers &&
                       (whole.window == 0 || whole.full_attention_every == 0);
    if (!alike || all - dense < 4) return;
    shape.dense_layers = std::min<std::int64_t>(2, dense);
    shape.layers = shape.dense_layers + 3;
  }

  /// Which of its layers stands for layer `i`: of each sort the first, and the last of all, have their own.
  [[nodiscard]] std::size_t of(std::int64_t i) const {
    if (shape.layers == all) return static_cast<std::size_t>(i);
    if (i < dense) return i == 0 ? 0 : 1;
    const std::int64_t behind = i + 1 == all ? 2 : i == dense ? 0 : 1;
    return static_cast<std::size_t>(shape.dense_layers + behind);
  }
};

/// Of every layer, and last of what is behind them: a stage may have that alone. What is in front of the
/// layers goes with the first.
std::vector<LayerBound> layer_bounds(const ShardOfAll& all, const GpuCostModel& gpu,
                                     const FrameworkProfile& framework, const StepOptions& options) {
  const auto layers = static_cast<std::size_t>(all.part.layers);
  std::vector<LayerBound> out(layers + 1);
  std::map<const Operator*, std::size_t> layer_of;
  std::int64_t layer = 1;
  bool inside = false;
  for (const Operator& op : all.workload.operators) {
    if (op.place.layer > 0) inside = true;
    layer = std::max(layer, op.place.layer);
    const bool behind = inside && layer == all.part.layers && op.place.layer == 0;
    const std::size_t at = behind ? layers : static_cast<std::size_t>(layer) - 1;
    LayerBound& own = out[at];
    layer_of.emplace(&op, at);
    own.parameters += op.parameters;
    if (op.place.role == LayerRole::residual) own.forward_sums += 1;
    if (op.place.role == LayerRole::norm) own.backward_sums += 1;
  }
  for (const StepKernel& kernel : step_time(all.workload, gpu, framework, options).kernels) {
    if (kernel.op == nullptr) continue;
    LayerBound& own = out[layer_of.at(kernel.op)];
    const bool ahead = kernel.pass == Pass::forward;
    (ahead ? own.forward : own.backward) += kernel.time;
    if (kernel.op->family == OperatorFamily::attention)
      (ahead ? own.forward_attention : own.backward_attention) += kernel.time;
  }
  for (std::size_t i = 0; i < layers; ++i)
    if (has_experts(all.shape, static_cast<std::int64_t>(i))) out[i].expert_layers = 1;
  return out;
}

/// The layers from `at` to `end`, and for the last stage what is behind all.
LayerBound of_stage(const std::vector<LayerBound>& upto, std::size_t at, std::size_t end, bool last) {
  LayerBound out = upto[end].less(upto[at]);
  if (last) out += upto.back();
  return out;
}

/// Some GPUs and the exchanges among them.
struct Group {
  Cluster cluster;
  CommModel comm;

  Group(const Cluster& of, const CommSpec& spec, int ranks)
      : cluster{first_ranks(of, ranks)}, comm{cluster, spec} {}
};

/// Of all micro-batches alike, for one stage.
struct StageBound {
  Duration forward{0}, backward{0};
};

}  // namespace

struct StepBound::Impl {
  const Cluster& cluster;
  const TransformerShape& shape;
  const GpuCostModel& gpu;
  const FrameworkProfile& framework;
  const CommSpec& comm;
  SplitTraining training;

  /// Tensor, context, expert ways and sequences of a micro-batch.
  using Key = std::tuple<int, int, int, double>;
  /// Of all layers before, one more than layers; and last of what is behind them alone.
  std::map<Key, std::vector<LayerBound>> layers = {};
  std::map<int, Group> groups = {};  ///< the first so many ranks
  std::map<std::tuple<int, int, double, bool>, LayerSums> sums = {};
  std::map<std::tuple<int, int, double>, Duration> keys = {}, messages = {};
  std::map<Key, Duration> tokens = {};
  std::map<int, ExpertGroup> experts = {};  ///< by their ways
  /// By tensor ways, GPUs that share states, and groups that hold the same.
  std::map<std::tuple<int, int, int>, ShardExchanges> shards = {};
  std::map<std::tuple<int, int, int, bool, double>, LayerShards> layer_of_shards = {};
  std::optional<std::pair<Mesh, Duration>> last = {};  ///< the kernels of a mesh, but for its ZeRO stage

  Group& group(int ranks) {
    const auto it = groups.find(ranks);
    return it != groups.end() ? it->second : groups.try_emplace(ranks, cluster, comm, ranks).first->second;
  }

  [[nodiscard]] TransformerShape with_tokens(int context) const {
    TransformerShape out = shape;
    out.seq_len = divided(shape.seq_len, context, "tokens");
    return out;
  }
  [[nodiscard]] Bytes activations(int context, double micro_batch) const {
    return exchanged_activations(with_tokens(context), micro_batch, training.precision);
  }

  const std::vector<LayerBound>& layers_of(const Mesh& m) {
    const Key key{m.tensor, m.context, m.expert, m.micro_batch};
    if (const auto it = layers.find(key); it != layers.end()) return it->second;
    const FewLayers few{shape};
    StepOptions options;
    options.batch = m.micro_batch;
    options.precision = training.precision;
    options.adam = training.adam;
    const std::vector<LayerBound> each =
        layer_bounds(shard_of_all(few.shape, m, training.adapters), gpu, framework, options);
    std::vector<LayerBound> upto(1);
    for (std::int64_t i = 0; i < shape.layers; ++i) {
      upto.push_back(upto.back());
      upto.back() += each[few.of(i)];
    }
    upto.push_back(each.back());
    return layers.emplace(key, std::move(upto)).first->second;
  }

  Duration time_of_sum(const Mesh& m) {
    if (m.tensor == 1) return Duration{0};
    const bool split = m.sequence_parallel.value_or(framework.sequence_parallel);
    const std::tuple key{m.tensor, m.context, m.micro_batch, split};
    auto it = sums.find(key);
    if (it == sums.end())
      it = sums.emplace(key, layer_sums(group(m.tensor).comm, activations(m.context, m.micro_batch), split))
               .first;
    return it->second.sum.time / training.network_scale;
  }

  /// Keys and values once around, for one layer.
  Duration time_of_ring(const Mesh& m) {
    if (m.context == 1) return Duration{0};
    const std::tuple key{m.tensor, m.context, m.micro_batch};
    auto it = keys.find(key);
    if (it == keys.end()) {
      Group& ring = group(m.tensor * m.context);
      it = keys.emplace(key, pass_of_keys(ring.comm, ring.cluster, shard_of(with_tokens(m.context), m.tensor),
                                          m.micro_batch))
               .first;
    }
    return (m.context - 1) * (it->second / training.network_scale);
  }

  Duration time_of_tokens(const Mesh& m) {
    if (m.expert == 1) return Duration{0};
    const Key key{m.tensor, m.context, m.expert, m.micro_batch};
    auto it = tokens.find(key);
    if (it == tokens.end()) {
      ExpertGroup& group = experts.try_emplace(m.expert, cluster, comm, m.expert).first->second;
      const ExpertExchange exchange =
          exchange_with_experts(group, with_tokens(m.context), m, activations(m.context, m.micro_batch));
      it = tokens.emplace(key, exchange.time).first;
    }
    return it->second / training.network_scale;
  }

  Duration time_of_message(const Mesh& m) {
    const std::tuple key{m.tensor, m.context, m.micro_batch};
    auto it = messages.find(key);
    if (it == messages.end()) {
      Group& all = group(static_cast<int>(cluster.ranks.size()));
      it = messages
               .emplace(
                   key,
                   message_of_stage(all.comm, cluster, m.tensor, activations(m.context, m.micro_batch)).time)
               .first;
    }
    return it->second / training.network_scale;
  }

  LayerShards shards_of_layer(const Mesh& m, double parameters) {
    const std::tuple group{m.tensor, ShardExchanges::sharing(m), m.shard_sets()};
    const std::tuple key{m.tensor, ShardExchanges::sharing(m), m.shard_sets(), m.zero_stage == 3, parameters};
    if (const auto it = layer_of_shards.find(key); it != layer_of_shards.end()) return it->second;
    auto among = shards.find(group);
    if (among == shards.end())
      among = shards.try_emplace(group, cluster, comm, m, training.network_scale).first;
    return layer_of_shards.emplace(key, layer_shards(among->second, m, parameters, training.precision))
        .first->second;
  }

  /// Of the stream that gathers and scatters what is sharded, beside the kernels.
  Duration exchanges_of_shards(const Mesh& m) {
    if (m.zero_stage < 2 || ShardExchanges::sharing(m) < 2 || (m.zero_stage == 3 && m.gathers_tensors))
      return Duration{0};
    const std::vector<LayerBound>& upto = layers_of(m);
    Duration most{0};
    std::size_t at = 0;
    int stage = 0;
    for (const std::int64_t count :
         layers_of_stages(shape, m.pipeline, stage_cut(framework.memory.stages, m.interleave))) {
      const auto end = at + static_cast<std::size_t>(count);
      const double held = static_cast<double>(std::max<std::int64_t>(1, count));
      const LayerBound own = of_stage(upto, at, end, ++stage == m.pipeline);
      const LayerShards layer = shards_of_layer(m, own.parameters / held);
      most = std::max(most, m.micro_batches * held * (2 * layer.gather.time + layer.scatter.time));
      at = end;
    }
    return most;
  }

  Duration kernels(const Mesh& m);

  /// Every stage's passes of one micro-batch.
  std::vector<StageBound> stages(const Mesh& m, bool hides_exchanges) {
    const std::vector<LayerBound>& upto = layers_of(m);
    const Duration sum = time_of_sum(m), ring = time_of_ring(m), token = time_of_tokens(m);
    const double scale = training.compute_scale, runs = attention_runs(m.recompute);
    std::vector<StageBound> out;
    std::size_t at = 0;
    for (const std::int64_t count :
         layers_of_stages(shape, m.pipeline, stage_cut(framework.memory.stages, m.interleave))) {
      const auto end = at + static_cast<std::size_t>(count);
      const bool first = out.empty(), last = static_cast<int>(out.size()) + 1 == m.pipeline;
      const LayerBound own = of_stage(upto, at, end, last);
      Duration again{0};
      double sums_again = 0;
      if (m.recompute == Recomputation::selective) again = own.forward_attention;
      if (m.recompute == Recomputation::full) {
        again = own.forward;
        sums_again = own.forward_sums;
      }
      StageBound& stage = out.emplace_back();
      stage.forward = own.forward / scale;
      stage.backward = (own.backward + again) / scale;
      if (!hides_exchanges) {
        stage.forward += (own.forward_sums + (first ? 1 : 0)) * sum;
        stage.backward += (own.backward_sums + sums_again + (last ? 1 : 0)) * sum;
        const ExposedRing exposed =
            exposed_ring(static_cast<double>(count) * ring, own.forward_attention / scale,
                         own.backward_attention / scale, runs);
        if (m.context > 1) {
          stage.forward += exposed.forward;
          stage.backward += exposed.backward;
        }
        stage.forward += 2 * own.expert_layers * token;
        stage.backward += (m.recompute == Recomputation::full ? 4 : 2) * own.expert_layers * token;
      }
      at = end;
    }
    return out;
  }
};

StepBound::StepBound(const Cluster& cluster, const TransformerShape& shape, const GpuCostModel& gpu,
                     const FrameworkProfile& framework, const CommSpec& comm, const SplitTraining& training)
    : impl_{std::make_unique<Impl>(Impl{cluster, shape, gpu, framework, comm, training})} {}
StepBound::~StepBound() = default;

Duration StepBound::Impl::kernels(const Mesh& m) {
  const bool both_ways = m.schedule == PipelineSchedule::dualpipe;
  const std::vector<StageBound> each = stages(m, both_ways);
  if (both_ways) {
    Duration most{0};
    for (std::size_t s = 0; s < each.size(); ++s) {
      const StageBound& mirror = each[each.size() - 1 - s];
      most = std::max(most, each[s].forward + each[s].backward + mirror.forward + mirror.backward);
    }
    return bound_rounding * (m.micro_batches / 2) * most;
  }
  const bool staggered = m.schedule == PipelineSchedule::zero_bubble_2p,
             ends_backward =
                 m.schedule == PipelineSchedule::one_f_one_b || m.schedule == PipelineSchedule::gpipe;
  const PipelineShape order{m.pipeline, m.interleave, 1, m.schedule};
  const double of_a_pass = m.micro_batches / static_cast<double>(whole_micro_batches(order, m.micro_batches));
  const Duration message = m.pipeline > 1 ? time_of_message(m) : Duration{0};
  const double parts = m.interleave;
  Duration before{0}, most{0};
  for (std::size_t s = 0; s < each.size(); ++s) {
    // The first part of the first stage and the last part of the last receive nothing.
    const double forward = s == 0 ? parts - 1 : parts, backward = s + 1 == each.size() ? parts - 1 : parts;
    const Duration own =
        m.micro_batches * (each[s].forward + each[s].backward + (forward + backward) * message);
    most = std::max(most, own + (staggered ? Duration{0} : before * of_a_pass));
    before += each[s].forward / parts + (s > 0 ? 1 : 0) * message;
    if (ends_backward) before += each[s].backward / parts + message;
  }
  return bound_rounding * most;
}

Duration StepBound::least(const Mesh& mesh) {
  Mesh whole = mesh;
  whole.zero_stage = 0;
  std::optional<std::pair<Mesh, Duration>>& last = impl_->last;
  if (!last || last->first != whole) last = {whole, impl_->kernels(mesh)};
  return std::max(last->second, bound_rounding * impl_->exchanges_of_shards(mesh));
}

}  // namespace rackcast
