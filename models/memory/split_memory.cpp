#include "models/memory/split_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "models/networks/operator.hpp"
#include "models/split/expert_parallel.hpp"
#include "models/split/split_stages.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

void check(const TransformerShape& shape, const Mesh& mesh) {
  if (mesh.tensor < 1 || mesh.pipeline < 1 || mesh.interleave < 1 || mesh.context < 1 || mesh.expert < 1 ||
      !(mesh.micro_batch >= 0) || !(mesh.micro_batches >= 0))
    throw Error{"a split has one GPU, one stage and one part at least, and no negative micro-batch"};
  if (mesh.pipeline > shape.layers)
    throw Error{fmt::format("{} layers make no {} stages", shape.layers, mesh.pipeline)};
}

double as_double(std::int64_t v) {
  return static_cast<double>(v);
}

TransformerShape shard_to_hold(const TransformerShape& shape, const Mesh& mesh) {
  TransformerShape own = shape;
  own.seq_len = divided(shape.seq_len, mesh.context, "tokens");
  return with_local_experts(shard_of(own, mesh.tensor), mesh.tensor, mesh.expert);
}

/// Outside attention and MLP each GPU of a group holds a part of the sequence.
bool splits_sequence(const Mesh& mesh) {
  return mesh.tensor > 1 && mesh.sequence_parallel.value_or(false);
}

bool is_plain(const TransformerShape& shape) {
  return shape.experts == 0 && shape.kv_lora_rank == 0 && shape.mamba_layers == 0;
}

/// Elements of 16 bits, of which a mask takes half of one.
double plain_layer(const TransformerShape& shape, const TransformerShape& part, const Mesh& mesh,
                   const KeptSpec& kept) {
  const double h = as_double(part.hidden), keys = as_double(shape.seq_len);
  const double masks = part.dropout ? 1 : 0;  // two, of one byte
  const double whole = (4 + masks) * h / (splits_sequence(mesh) ? mesh.tensor : 1);
  const bool projection = kept.trainer.keeps_projection && part.kv_heads == part.heads;
  const double attention = 2 * as_double(part.heads * part.head_dim) +
                           (projection ? 4 : 2) * as_double(part.kv_heads * part.head_dim);
  const double mlp = (part.gated_mlp ? 4 : 2) * as_double(part.ffn);
  double scores = (part.dropout ? 2.5 : 1) * as_double(part.heads) * keys;
  if (kept.fused_attention) scores = 2 * as_double(part.heads);
  if (mesh.recompute == Recomputation::selective) scores = 0;
  return whole + attention + mlp + scores;
}

/// How many layers there are of a kind, and a network of one of them.
struct LayersOfKind {
  double count = 0;
  Workload one;
};

/// Of `part`, layers with experts (or all) first, layers with a dense MLP among them second; nothing of
/// networks that mix or share their layers. A network of thousands of operators need not be made.
std::vector<LayersOfKind> kinds_of_layers(const TransformerShape& part) {
  if (part.mamba_layers > 0 || part.shared_layers) return {};
  double dense = 0;
  for (std::int64_t layer = 0; part.dense_layers > 0 && layer < part.layers; ++layer)
    dense += has_experts(part, layer) ? 0 : 1;
  TransformerShape one = part;
  one.layers = 1;
  one.dense_layers = 0;
  one.expert_every = std::min<std::int64_t>(part.expert_every, 1);
  std::vector<LayersOfKind> out{{as_double(part.layers) - dense, transformer_workload(one)}};
  if (dense == 0) return out;
  one.dense_layers = 1;
  out.push_back({dense, transformer_workload(one)});
  return out;
}

/// Elements that a token's layers keep, in the mean.
double listed_layer(const TransformerShape& part, const Mesh& mesh, const KeptSpec& kept) {
  const bool no_scores = kept.fused_attention || mesh.recompute == Recomputation::selective;
  const auto in_layers = [&](const Workload& network) {
    double sum = 0;
    for (const Operator& op : network.operators) {
      if (op.place.layer == 0) continue;
      const double elements = op.activation_elements - (no_scores ? op.score_elements : 0);
      sum += splits_sequence(mesh) && op.place.role != LayerRole::inner ? elements / mesh.tensor : elements;
    }
    return sum;
  };
  double sum = 0;
  const bool windows_differ = part.window > 0 && part.full_attention_every > 1;
  const std::vector<LayersOfKind> kinds =
      windows_differ ? std::vector<LayersOfKind>{} : kinds_of_layers(part);
  for (const LayersOfKind& kind : kinds) sum += kind.count * in_layers(kind.one);
  if (kinds.empty()) sum = in_layers(transformer_workload(part));
  return sum / as_double(part.layers) / as_double(part.seq_len);
}

/// Micro-batches that wait on stage `stage`, counted in parts of its layers.
double waiting_parts(const Mesh& mesh, int stage) {
  const double p = mesh.pipeline, v = mesh.interleave;
  double parts = v > 1 ? 2 * (p - stage - 1) + (v - 1) * p + 1 : p - stage;
  if (mesh.schedule == PipelineSchedule::gpipe) parts = std::max(p, mesh.micro_batches);
  if (mesh.schedule == PipelineSchedule::zero_bubble) parts = v > 1 ? p * v + p - 1 : p;
  if (mesh.schedule == PipelineSchedule::zero_bubble_2p) parts = 2 * p - 1;
  if (mesh.schedule == PipelineSchedule::dualpipe) return (p + 1) / 2;  // of each of its two stages
  if (mesh.micro_batches > 0) parts = std::min(parts, mesh.micro_batches * v);
  return parts;
}

/// Parameters before, behind and in the layers of a network of one layer.
struct LayerParameters {
  StageParameters layer;
  double before = 0, behind = 0;
};

LayerParameters layer_parameters(const Workload& one) {
  LayerParameters out;
  bool seen = false;
  for (const Operator& op : one.operators) {
    const bool inside = op.place.layer > 0;
    seen = seen || inside;
    (inside ? out.layer.all : seen ? out.behind : out.before) += op.trained_parameters();
  }
  out.layer.of_experts = expert_parameters(one);
  return out;
}

/// Fills in layers and parameters. Of equal layers one speaks for all.
std::vector<StageHolding> dealt_layers(const TransformerShape& shape, const TransformerShape& part,
                                       const Mesh& mesh, const KeptSpec& kept) {
  std::vector<StageHolding> out(static_cast<std::size_t>(mesh.pipeline));
  // The last stage has a copy of its own of an embedding that it shares with the first.
  const double copy = part.tied_output && mesh.pipeline > 1 ? as_double(part.vocab * part.hidden) : 0;
  const std::vector<LayersOfKind> kinds = kinds_of_layers(part);
  const bool mixed = part.dense_layers > 0;
  if (kinds.empty()) {
    const std::vector<SplitStage> stages =
        stages_of(transformer_workload(part), part, layers_of_stages(part, mesh.pipeline, StageCut::equal));
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i].layers = as_double(stages[i].layers);
      out[i].parameters = {stages[i].part.trained_parameters(), expert_parameters(stages[i].part)};
    }
  } else {
    const LayerParameters first = layer_parameters(kinds.front().one),
                          second = layer_parameters(kinds.back().one);
    const std::vector<std::int64_t> layers =
        layers_of_stages(shape, mesh.pipeline, mixed ? StageCut::equal : kept.trainer.stages);
    std::int64_t next = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i].layers = as_double(layers[i]);
      double dense = 0;
      for (std::int64_t layer = next; mixed && layer < next + layers[i]; ++layer)
        dense += has_experts(part, layer) ? 0 : 1;
      next += layers[i];
      const double same = out[i].layers - dense;
      out[i].parameters = {same * first.layer.all + dense * second.layer.all,
                           same * first.layer.of_experts + dense * second.layer.of_experts};
    }
    out.front().parameters.all += first.before;
    out.back().parameters.all += first.behind;
  }
  out.back().parameters.all += copy;
  return out;
}

/// Of the last stage, behind the layers.
Bytes output_activations(const TransformerShape& part, const Mesh& mesh, const KeptSpec& kept) {
  const double tokens = mesh.micro_batch * as_double(part.seq_len);
  const double reach = part.predicted > 0 ? as_double(part.predicted) / as_double(part.seq_len) : 1;
  const double norm = 2 * as_double(part.hidden) / (splits_sequence(mesh) ? mesh.tensor : 1);
  return tokens * norm * kept.element +
         tokens * reach * as_double(part.vocab) * Bytes{kept.trainer.logit_bytes};
}

/// What a GPU holds that works on two stages. The layer that goes back is one of either.
StageHolding together(const StageHolding& a, const StageHolding& b, Bytes again) {
  StageHolding out;
  out.layers = a.layers + b.layers;
  out.parameters = {a.parameters.all + b.parameters.all, a.parameters.of_experts + b.parameters.of_experts};
  out.activations = a.activations + b.activations - again;
  out.map_gradients = std::max(a.map_gradients, b.map_gradients);
  out.gather_buffers = std::max(a.gather_buffers, b.gather_buffers);
  out.in_flight = std::max(a.in_flight, b.in_flight);
  return out;
}

}  // namespace

Bytes layer_activations(const TransformerShape& shape, const Mesh& mesh, const KeptSpec& kept) {
  check(shape, mesh);
  const TransformerShape part = shard_to_hold(shape, mesh);
  const double tokens = mesh.micro_batch * as_double(part.seq_len);
  const double split = splits_sequence(mesh) ? mesh.tensor : 1;
  if (mesh.recompute == Recomputation::full) return tokens * as_double(part.hidden) / split * kept.element;
  return tokens * (is_plain(shape) ? plain_layer(shape, part, mesh, kept) : listed_layer(part, mesh, kept)) *
         kept.element;
}

Bytes first_stage_activations(const TransformerShape& shape, const Mesh& mesh, const KeptSpec& kept) {
  // Of the mean stage, as the paper counts: layers that do not divide are no part of its formula.
  const double stages = mesh.schedule == PipelineSchedule::dualpipe ? 2 : 1;  // of a GPU
  return layer_activations(shape, mesh, kept) * as_double(shape.layers) * stages * waiting_parts(mesh, 0) /
         (mesh.pipeline * mesh.interleave);
}

std::vector<StageHolding> stage_holdings(const TransformerShape& shape, const Mesh& mesh,
                                         const KeptSpec& kept) {
  check(shape, mesh);
  const TransformerShape part = shard_to_hold(shape, mesh);
  const double tokens = mesh.micro_batch * as_double(part.seq_len), width = as_double(part.hidden);
  const double split = splits_sequence(mesh) ? mesh.tensor : 1;
  const Bytes layer = layer_activations(shape, mesh, kept);
  Mesh whole_layers = mesh;
  whole_layers.recompute = Recomputation::none;
  const Bytes again =
      layer_activations(shape, whole_layers, kept) - layer;  // 0 where nothing is computed again
  const double inner = as_double(part.experts > 0 ? part.top_k * part.moe_ffn : part.ffn);
  const bool sums = splits_sequence(mesh);
  std::vector<StageHolding> out = dealt_layers(shape, part, mesh, kept);
  for (std::size_t i = 0; i < out.size(); ++i) {
    StageHolding& stage = out[i];
    const double waiting = waiting_parts(mesh, static_cast<int>(i)) / mesh.interleave;
    stage.activations = layer * stage.layers * waiting + again;
    if (i == 0 && shape.dropout) {  // a byte of the embedding's mask for each micro-batch that waits
      const bool all = mesh.schedule == PipelineSchedule::gpipe;
      const double waits = mesh.micro_batches > 0 && (all || mesh.micro_batches < mesh.pipeline)
                               ? mesh.micro_batches
                               : mesh.pipeline;
      stage.activations += waits * tokens * width / split * Bytes{1};
    }
    stage.map_gradients = tokens * (2 * width / split + 3 * inner) * kept.element;
    if (i + 1 == out.size()) {
      // Logits are gone when the first gradients of a layer's maps are computed.
      const Bytes output = output_activations(part, mesh, kept);
      stage.activations += output;
      stage.map_gradients = std::max(Bytes{0}, stage.map_gradients - output);
    }
    if (!sums) continue;
    const Bytes whole = tokens * width * kept.element;
    stage.gather_buffers = kept.trainer.gather_buffers * whole;
    const bool more = mesh.micro_batches != 1;  // the next micro-batch begins beside the one going back
    const double handed = 2 * stage.layers * (waiting + (more ? 1 : 0));
    stage.in_flight = std::min(std::min(kept.trainer.sums_in_flight, handed) * whole,
                               0.5 * (stage.activations + stage.map_gradients));
  }
  if (mesh.schedule == PipelineSchedule::dualpipe) {
    const std::vector<StageHolding> stages = out;
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = together(stages[i], stages[out.size() - 1 - i], again);
  }
  return out;
}

StageParameters most_parameters(const TransformerShape& shape, const Mesh& mesh, const KeptSpec& kept) {
  StageParameters most;
  for (const StageHolding& stage : stage_holdings(shape, mesh, kept))
    if (stage.parameters.all > most.all) most = stage.parameters;
  return most;
}

}  // namespace rackcast
