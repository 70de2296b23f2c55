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

void check(const TransformerShape& shape, const SplitMemorySpec& spec) {
  if (spec.tensor < 1 || spec.pipeline < 1 || spec.interleave < 1 || spec.context < 1 || spec.expert < 1 ||
      !(spec.micro_batch >= 0) || !(spec.micro_batches >= 0))
    throw Error{"a split has one GPU, one stage and one part at least, and no negative micro-batch"};
  if (spec.pipeline > shape.layers)
    throw Error{fmt::format("{} layers make no {} stages", shape.layers, spec.pipeline)};
}

double as_double(std::int64_t v) {
  return static_cast<double>(v);
}

TransformerShape shard_to_hold(const TransformerShape& shape, const SplitMemorySpec& spec) {
  TransformerShape own = shape;
  own.seq_len = divided(shape.seq_len, spec.context, "tokens");
  return with_local_experts(shard_of(own, spec.tensor), spec.tensor, spec.expert);
}

bool is_plain(const TransformerShape& shape) {
  return shape.experts == 0 && shape.kv_lora_rank == 0 && shape.mamba_layers == 0;
}

/// Elements of 16 bits, of which a mask takes half of one.
double plain_layer(const TransformerShape& shape, const TransformerShape& part, const SplitMemorySpec& spec) {
  const double h = as_double(part.hidden), keys = as_double(shape.seq_len);
  const double masks = part.dropout ? 1 : 0;  // two, of one byte
  const double whole = (4 + masks) * h / (spec.sequence_parallel ? spec.tensor : 1);
  const bool projection = spec.trainer.keeps_projection && part.kv_heads == part.heads;
  const double attention = 2 * as_double(part.heads * part.head_dim) +
                           (projection ? 4 : 2) * as_double(part.kv_heads * part.head_dim);
  const double mlp = (part.gated_mlp ? 4 : 2) * as_double(part.ffn);
  double scores = (part.dropout ? 2.5 : 1) * as_double(part.heads) * keys;
  if (spec.fused_attention) scores = 2 * as_double(part.heads);
  if (spec.recompute == Recomputation::selective) scores = 0;
  return whole + attention + mlp + scores;
}

/// Elements that a token's layers keep, in the mean.
double listed_layer(const TransformerShape& part, const SplitMemorySpec& spec) {
  const bool no_scores = spec.fused_attention || spec.recompute == Recomputation::selective;
  double sum = 0;
  for (const Operator& op : transformer_workload(part).operators) {
    if (op.place.layer == 0) continue;
    const double kept = op.activation_elements - (no_scores ? op.score_elements : 0);
    sum += spec.sequence_parallel && op.place.role != LayerRole::inner ? kept / spec.tensor : kept;
  }
  return sum / as_double(part.layers) / as_double(part.seq_len);
}

/// Micro-batches that wait on stage `stage`, counted in parts of its layers.
double waiting_parts(const SplitMemorySpec& spec, int stage) {
  const double p = spec.pipeline, v = spec.interleave;
  double parts = v > 1 ? 2 * (p - stage - 1) + (v - 1) * p + 1 : p - stage;
  if (spec.schedule == PipelineSchedule::gpipe) parts = std::max(p, spec.micro_batches);
  if (spec.schedule == PipelineSchedule::zero_bubble) parts = v > 1 ? p * v + p - 1 : p;
  if (spec.micro_batches > 0) parts = std::min(parts, spec.micro_batches * v);
  return parts;
}

/// Layers of each stage that are as even as whole layers allow, as stages_of() deals them.
std::vector<double> equal_layers(std::int64_t layers, int stages) {
  std::vector<double> out(static_cast<std::size_t>(stages));
  for (std::int64_t layer = 0; layer < layers; ++layer)
    ++out[static_cast<std::size_t>(std::min<std::int64_t>(layer * stages / layers, stages - 1))];
  return out;
}

/// Layers of stages that have equal shares of the work: a stage ends with the layer that reaches its share.
std::vector<double> layers_by_cost(const TransformerShape& shape, int stages) {
  const double h = as_double(shape.hidden);
  const double head_dim = shape.head_dim > 0 ? as_double(shape.head_dim) : h / as_double(shape.heads);
  const double ffn = shape.ffn > 0 ? as_double(shape.ffn) : 4 * h;
  const double layer = 4 * as_double(shape.heads) * head_dim * h + (shape.gated_mlp ? 3 : 2) * ffn * h;
  const double all = as_double(shape.layers) * layer + as_double(shape.vocab) * h;
  constexpr double rounding = 1 - 1e-9;  // sums of whole numbers may meet a share exactly
  std::vector<double> out(static_cast<std::size_t>(stages));
  std::size_t stage = 0;
  for (std::int64_t done = 1; done <= shape.layers; ++done) {
    ++out[stage];
    const double share = all * static_cast<double>(stage + 1) / stages;
    if (as_double(done) * layer >= share * rounding && stage + 1 < out.size()) ++stage;
  }
  return out;
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

/// Fills in layers and parameters. Of equal layers one speaks for all: a network of thousands of operators
/// need not be made.
std::vector<StageHolding> dealt_layers(const TransformerShape& shape, const TransformerShape& part,
                                       const SplitMemorySpec& spec) {
  std::vector<StageHolding> out(static_cast<std::size_t>(spec.pipeline));
  // The last stage has a copy of its own of an embedding that it shares with the first.
  const double copy = part.tied_output && spec.pipeline > 1 ? as_double(part.vocab * part.hidden) : 0;
  if (part.mamba_layers > 0 || part.dense_layers > 0 || part.shared_layers) {
    const std::vector<SplitStage> stages = stages_of(transformer_workload(part), part, spec.pipeline);
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i].layers = as_double(stages[i].layers);
      out[i].parameters = {stages[i].part.trained_parameters(), expert_parameters(stages[i].part)};
    }
  } else {
    TransformerShape one = part;
    one.layers = 1;
    const LayerParameters each = layer_parameters(transformer_workload(one));
    const bool by_cost = spec.trainer.stages == StageCut::by_cost && is_plain(shape);
    const std::vector<double> layers =
        by_cost ? layers_by_cost(shape, spec.pipeline) : equal_layers(shape.layers, spec.pipeline);
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i].layers = layers[i];
      out[i].parameters = {layers[i] * each.layer.all, layers[i] * each.layer.of_experts};
    }
    out.front().parameters.all += each.before;
    out.back().parameters.all += each.behind;
  }
  out.back().parameters.all += copy;
  return out;
}

/// Of the last stage, behind the layers.
Bytes output_activations(const TransformerShape& part, const SplitMemorySpec& spec) {
  const double tokens = spec.micro_batch * as_double(part.seq_len);
  const double reach = part.predicted > 0 ? as_double(part.predicted) / as_double(part.seq_len) : 1;
  const double norm = 2 * as_double(part.hidden) / (spec.sequence_parallel ? spec.tensor : 1);
  return tokens * norm * spec.element +
         tokens * reach * as_double(part.vocab) * Bytes{spec.trainer.logit_bytes};
}

}  // namespace

Bytes layer_activations(const TransformerShape& shape, const SplitMemorySpec& spec) {
  check(shape, spec);
  const TransformerShape part = shard_to_hold(shape, spec);
  const double tokens = spec.micro_batch * as_double(part.seq_len);
  const double split = spec.sequence_parallel ? spec.tensor : 1;
  if (spec.recompute == Recomputation::full) return tokens * as_double(part.hidden) / split * spec.element;
  return tokens * (is_plain(shape) ? plain_layer(shape, part, spec) : listed_layer(part, spec)) *
         spec.element;
}

Bytes first_stage_activations(const TransformerShape& shape, const SplitMemorySpec& spec) {
  // Of the mean stage, as the paper counts: layers that do not divide are no part of its formula.
  return layer_activations(shape, spec) * as_double(shape.layers) * waiting_parts(spec, 0) /
         (spec.pipeline * spec.interleave);
}

std::vector<StageHolding> stage_holdings(const TransformerShape& shape, const SplitMemorySpec& spec) {
  check(shape, spec);
  const TransformerShape part = shard_to_hold(shape, spec);
  const double tokens = spec.micro_batch * as_double(part.seq_len), width = as_double(part.hidden);
  const double split = spec.sequence_parallel ? spec.tensor : 1;
  const Bytes layer = layer_activations(shape, spec);
  SplitMemorySpec kept = spec;
  kept.recompute = Recomputation::none;
  const Bytes again = layer_activations(shape, kept) - layer;  // 0 where nothing is computed again
  const double inner = as_double(part.experts > 0 ? part.top_k * part.moe_ffn : part.ffn);
  const bool sums = spec.tensor > 1 && spec.sequence_parallel;
  std::vector<StageHolding> out = dealt_layers(shape, part, spec);
  for (std::size_t i = 0; i < out.size(); ++i) {
    StageHolding& stage = out[i];
    const double waiting = waiting_parts(spec, static_cast<int>(i)) / spec.interleave;
    stage.activations = layer * stage.layers * waiting + again;
    if (i == 0 && shape.dropout) {  // a byte of the embedding's mask for each micro-batch that waits
      const bool all = spec.schedule == PipelineSchedule::gpipe;
      const double waits = spec.micro_batches > 0 && (all || spec.micro_batches < spec.pipeline)
                               ? spec.micro_batches
                               : spec.pipeline;
      stage.activations += waits * tokens * width / split * Bytes{1};
    }
    if (i + 1 == out.size()) stage.activations += output_activations(part, spec);
    stage.map_gradients = tokens * (2 * width / split + 3 * inner) * spec.element;
    if (!sums) continue;
    const Bytes whole = tokens * width * spec.element;
    stage.gather_buffers = spec.trainer.gather_buffers * whole;
    const bool more = spec.micro_batches != 1;  // the next micro-batch begins beside the one going back
    const double handed = 2 * stage.layers * (waiting + (more ? 1 : 0));
    stage.in_flight = std::min(std::min(spec.trainer.sums_in_flight, handed) * whole,
                               0.5 * (stage.activations + stage.map_gradients));
  }
  return out;
}

StageParameters most_parameters(const TransformerShape& shape, const SplitMemorySpec& spec) {
  StageParameters most;
  for (const StageHolding& stage : stage_holdings(shape, spec))
    if (stage.parameters.all > most.all) most = stage.parameters;
  return most;
}

}  // namespace rackcast
