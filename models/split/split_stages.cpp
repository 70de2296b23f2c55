#include "models/split/split_stages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/split/expert_parallel.hpp"
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

namespace {

/// Every GPU has the queries of its tokens, and meets the keys and values of all, or of the layer's window.
Workload with_whole_keys(Workload part, const TransformerShape& whole) {
  for (Operator& op : part.operators) {
    if (op.family != OperatorFamily::attention) continue;
    const std::int64_t window = attention_window(whole, op.place.layer - 1);
    op.shape.kv_seq = window > 0 ? std::min(window, whole.seq_len) : whole.seq_len;
  }
  return part;
}

double real(std::int64_t v) {
  return static_cast<double>(v);
}

bool has_equal_layers(const TransformerShape& shape) {
  return shape.experts == 0 && shape.kv_lora_rank == 0 && shape.mamba_layers == 0 &&
         shape.dense_layers == 0 && !shape.shared_layers;
}

std::vector<std::int64_t> equal_layers(std::int64_t layers, int stages) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(stages));
  for (std::int64_t layer = 0; layer < layers; ++layer)
    ++out[static_cast<std::size_t>(std::min<std::int64_t>(layer * stages / layers, stages - 1))];
  return out;
}

/// The work is that of products with weights, for each token. Each stage has a layer at least.
std::vector<std::int64_t> layers_by_cost(const TransformerShape& shape, int stages) {
  const double h = real(shape.hidden);
  const double head_dim = shape.head_dim > 0 ? real(shape.head_dim) : h / real(shape.heads);
  const double ffn = shape.ffn > 0 ? real(shape.ffn) : 4 * h;
  const double layer = 4 * real(shape.heads) * head_dim * h + (shape.gated_mlp ? 3 : 2) * ffn * h;
  const double all = real(shape.layers) * layer + real(shape.vocab) * h;
  constexpr double rounding = 1 - 1e-9;  // sums of whole numbers may meet a share exactly
  std::vector<std::int64_t> out(static_cast<std::size_t>(stages));
  std::size_t stage = 0;
  for (std::int64_t done = 1; done <= shape.layers; ++done) {
    ++out[stage];
    const double share = all * static_cast<double>(stage + 1) / stages;
    if (real(done) * layer >= share * rounding && stage + 1 < out.size()) ++stage;
  }
  return out;
}

}  // namespace

ShardOfAll shard_of_all(const TransformerShape& whole, const Mesh& mesh, const LowRankSpec& adapters) {
  ShardOfAll out;
  out.shape = whole;
  out.shape.seq_len = divided(whole.seq_len, mesh.context, "tokens");
  out.part = with_local_experts(shard_of(out.shape, mesh.tensor), mesh.tensor, mesh.expert);
  out.workload = with_adapters(with_whole_keys(transformer_workload(out.part), whole), adapters);
  return out;
}

std::vector<std::int64_t> layers_of_stages(const TransformerShape& shape, int count, StageCut cut) {
  return cut == StageCut::by_cost && has_equal_layers(shape) ? layers_by_cost(shape, count)
                                                             : equal_layers(shape.layers, count);
}

std::vector<SplitStage> stages_of(const Workload& whole, const TransformerShape& shape,
                                  const std::vector<std::int64_t>& layers) {
  if (static_cast<std::int64_t>(layers.size()) > shape.layers)
    throw Error{fmt::format("{} layers make no {} stages", shape.layers, layers.size())};
  std::vector<SplitStage> out(layers.size());
  out.front().first = out.back().last = true;
  std::vector<std::size_t> stage_of_layer;
  for (std::size_t stage = 0; stage < layers.size(); ++stage)
    stage_of_layer.insert(stage_of_layer.end(), static_cast<std::size_t>(layers[stage]), stage);
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
    SplitStage& stage = out[stage_of_layer[static_cast<std::size_t>(layer)]];
    ++stage.layers;
    if (has_experts(shape, layer)) ++stage.expert_layers;
  }
  // What is in front of the layers goes with the first stage, what is behind with the last.
  std::int64_t layer = 0;
  for (const Operator& op : whole.operators) {
    layer = std::max(layer, op.place.layer);
    const bool behind = layer == shape.layers && op.place.layer == 0;
    const std::size_t stage =
        behind ? out.size() - 1
               : stage_of_layer[static_cast<std::size_t>(std::max<std::int64_t>(layer, 1) - 1)];
    out[stage].part.operators.push_back(op);
  }
  return out;
}

}  // namespace rackcast
