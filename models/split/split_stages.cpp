#include "models/split/split_stages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.hpp"

namespace rackcast {

std::int64_t divided(std::int64_t count, std::int64_t ways, const char* what) {
  if (count % ways != 0) throw Error{fmt::format("{} {} cannot be cut over {} GPUs", count, what, ways)};
  return count / ways;
}

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

std::vector<SplitStage> stages_of(const Workload& whole, const TransformerShape& shape, int count) {
  const std::int64_t layers = shape.layers;
  if (count > layers) throw Error{fmt::format("{} layers make no {} stages", layers, count)};
  std::vector<SplitStage> out(static_cast<std::size_t>(count));
  out.front().first = out.back().last = true;
  const auto stage_of_layer = [&](std::int64_t layer) {
    return static_cast<std::size_t>(std::min<std::int64_t>((layer - 1) * count / layers, count - 1));
  };
  for (std::int64_t layer = 1; layer <= layers; ++layer) {
    ++out[stage_of_layer(layer)].layers;
    if (has_experts(shape, layer - 1)) ++out[stage_of_layer(layer)].expert_layers;
  }
  std::int64_t layer = 1;  // what is in front of the layers goes with the first, what is behind with the last
  for (const Operator& op : whole.operators) {
    layer = std::max(layer, op.place.layer);
    out[stage_of_layer(layer)].part.operators.push_back(op);
  }
  return out;
}

}  // namespace rackcast
