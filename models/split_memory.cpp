#include "models/split_memory.hpp"

#include <algorithm>

#include "models/split_training.hpp"
#include "sim/error.hpp"

namespace rackcast {
namespace {

void check(const TransformerShape& shape, const SplitMemorySpec& spec) {
  if (spec.tensor < 1 || spec.pipeline < 1 || spec.interleave < 1 || !(spec.micro_batch > 0))
    throw Error{"a split has one GPU, one stage, one part and a micro-batch at least"};
  if (spec.pipeline > shape.layers) throw Error{"more stages than layers"};
  if (shape.experts > 0 || shape.kv_lora_rank > 0 || shape.mamba_layers > 0)
    throw Error{"memory of experts, latent attention or state-space layers split over GPUs has no model"};
}

}  // namespace

Bytes layer_activations(const TransformerShape& shape, const SplitMemorySpec& spec) {
  check(shape, spec);
  const TransformerShape part = shard_of(shape, spec.tensor);
  const auto d = [](std::int64_t v) {
    return static_cast<double>(v);
  };
  const double tokens = spec.micro_batch * d(shape.seq_len), h = d(shape.hidden);
  const double split = spec.sequence_parallel ? spec.tensor : 1;
  if (spec.recompute == Recomputation::full) return Bytes{2 * h * tokens / split};
  const double whole = (4 * 2 + 2 * 1) * h / split;
  const double width = d(part.heads * part.head_dim);
  const double attention = 2 * (2 * width + 2 * d(part.kv_heads * part.head_dim));
  const double mlp = (shape.gated_mlp ? 4 : 2) * 2 * d(part.ffn);
  const double scores = spec.recompute == Recomputation::selective ? 0 : 5 * d(part.heads * shape.seq_len);
  return Bytes{tokens * (whole + attention + mlp + scores)};
}

Bytes first_stage_activations(const TransformerShape& shape, const SplitMemorySpec& spec) {
  const double p = spec.pipeline;
  const double waiting = spec.interleave > 1 ? 1 + (p - 1) / (p * spec.interleave) : 1;
  return layer_activations(shape, spec) * (static_cast<double>(shape.layers) * waiting);
}

Bytes first_stage_states(const TransformerShape& shape, const SplitMemorySpec& spec) {
  check(shape, spec);
  TransformerShape part = shard_of(shape, spec.tensor);
  part.layers = (shape.layers + spec.pipeline - 1) / spec.pipeline;
  double parameters = 0;
  for (const Operator& op : transformer_workload(part).operators)
    if (spec.pipeline == 1 || op.name != "vocabulary") parameters += op.parameters;
  constexpr double bytes = 2 + 4 + 4 + 8;
  return Bytes{bytes * parameters};
}

}  // namespace rackcast
