#include "models/memory/split_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

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
  const double attention =
      2 * as_double(part.heads * part.head_dim) + 2 * as_double(part.kv_heads * part.head_dim);
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

/// Layers' worth of one micro-batch that wait on a GPU of the first or the last stage.
double waiting_layers(const TransformerShape& shape, const SplitMemorySpec& spec, bool first) {
  const double p = spec.pipeline, v = spec.interleave;
  double parts = v;
  if (spec.schedule == PipelineSchedule::gpipe)
    parts = std::max(p, spec.micro_batches);
  else if (first || spec.schedule == PipelineSchedule::zero_bubble)
    parts = v > 1 ? p * v + p - 1 : p;
  else if (v > 1)
    parts = (v - 1) * p + 1;
  if (spec.micro_batches > 0) parts = std::min(parts, spec.micro_batches * v);
  return as_double(shape.layers) * parts / (p * v);
}

/// The first stage of `stages` or the last, which has more, of a network of `layers` like the one of `one`.
StageParameters with_equal_layers(const Workload& one, std::int64_t layers, int stages) {
  double before = 0, behind = 0, layer = 0;
  bool seen = false;
  for (const Operator& op : one.operators) {
    const bool inside = op.place.layer > 0;
    seen = seen || inside;
    (inside ? layer : seen ? behind : before) += op.trained_parameters();
  }
  const double experts = expert_parameters(one);
  const auto stage = [&](double count, double besides) {
    return StageParameters{count * layer + besides, count * experts};
  };
  if (stages == 1) return stage(as_double(layers), before + behind);
  const StageParameters first = stage(as_double((layers + stages - 1) / stages), before);
  const StageParameters last = stage(as_double(layers / stages), behind);
  return first.all < last.all ? last : first;
}

/// Of the last stage, behind the layers.
Bytes output_activations(const TransformerShape& part, const SplitMemorySpec& spec) {
  const double tokens = spec.micro_batch * as_double(part.seq_len);
  const double reach = part.predicted > 0 ? as_double(part.predicted) / as_double(part.seq_len) : 1;
  const double norm = 2 * as_double(part.hidden) / (spec.sequence_parallel ? spec.tensor : 1);
  return tokens * norm * spec.element + tokens * reach * as_double(part.vocab) * Bytes{4};
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
  return layer_activations(shape, spec) * waiting_layers(shape, spec, true);
}

Bytes most_activations(const TransformerShape& shape, const SplitMemorySpec& spec) {
  const Bytes layer = layer_activations(shape, spec);
  Bytes again{0};
  if (spec.recompute != Recomputation::none) {
    SplitMemorySpec kept = spec;
    kept.recompute = Recomputation::none;
    again = layer_activations(shape, kept) - layer;
  }
  const TransformerShape part = shard_to_hold(shape, spec);
  Bytes first = layer * waiting_layers(shape, spec, true) + again;
  if (shape.dropout) {  // a byte of the embedding's mask for each micro-batch that waits
    const bool all = spec.schedule == PipelineSchedule::gpipe;
    const double waits = spec.micro_batches > 0 && (all || spec.micro_batches < spec.pipeline)
                             ? spec.micro_batches
                             : spec.pipeline;
    first += waits * spec.micro_batch * as_double(part.seq_len * part.hidden) /
             (spec.sequence_parallel ? spec.tensor : 1) * Bytes{1};
  }
  const Bytes output = output_activations(part, spec);
  if (spec.pipeline == 1) return first + output;
  return std::max(first, layer * waiting_layers(shape, spec, false) + again + output);
}

StageParameters most_parameters(const TransformerShape& shape, const SplitMemorySpec& spec) {
  check(shape, spec);
  const TransformerShape part = shard_to_hold(shape, spec);
  // Of equal layers one speaks for all; a network of thousands of operators need not be made.
  const bool equal = part.mamba_layers == 0 && part.dense_layers == 0 && !part.shared_layers;
  TransformerShape made = part;
  if (equal) made.layers = 1;
  StageParameters most;
  for (const SplitStage& stage : stages_of(transformer_workload(made), made, equal ? 1 : spec.pipeline)) {
    StageParameters own{stage.part.trained_parameters(), expert_parameters(stage.part)};
    if (equal) own = with_equal_layers(stage.part, part.layers, spec.pipeline);
    if (own.all > most.all) most = own;
  }
  return most;
}

}  // namespace rackcast
