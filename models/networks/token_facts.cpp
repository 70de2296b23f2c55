#include "models/networks/token_facts.hpp"

#include <algorithm>
#include <vector>

#include "models/networks/transformer.hpp"

namespace rackcast {
namespace {

double kv_of_a_token(const TransformerShape& shape) {
  if (shape.kv_lora_rank > 0) return static_cast<double>(shape.kv_lora_rank + shape.qk_rope_head_dim);
  const std::int64_t heads = shape.kv_heads > 0 ? shape.kv_heads : shape.heads;
  const std::int64_t width = shape.head_dim > 0 ? shape.head_dim : shape.hidden / shape.heads;
  return 2.0 * static_cast<double>(heads * width);
}

}  // namespace

double active_parameters(const Workload& workload) {
  if (!workload.transformer || workload.transformer->experts == 0) return workload.parameters();
  const TransformerShape& shape = *workload.transformer;
  const double chosen = static_cast<double>(shape.top_k) / static_cast<double>(shape.experts);
  double sum = 0;
  for (const Operator& op : workload.operators)
    sum += op.place.block == LayerBlock::experts ? op.parameters * chosen : op.parameters;
  return sum;
}

double kv_elements(const TransformerShape& shape, double tokens) {
  const std::vector<LayerPart> parts = hybrid_layers(shape);
  double kept = 0;  // tokens, over all layers
  for (std::int64_t i = 0; i < shape.layers; ++i) {
    if (!parts.empty() && parts[static_cast<std::size_t>(i)] != LayerPart::attention) continue;
    const auto window = static_cast<double>(attention_window(shape, i));
    kept += window > 0 ? std::min(window, tokens) : tokens;
  }
  return kept * kv_of_a_token(shape);
}

Bytes state_of_request(const TransformerShape& shape) {
  const auto inner = static_cast<double>(shape.mamba_heads * shape.mamba_head_dim);
  const auto state = static_cast<double>(shape.mamba_state), groups = static_cast<double>(shape.mamba_groups);
  const Bytes scanned{4 * inner * state}, convolved{2 * 3 * (inner + 2 * groups * state)};
  return static_cast<double>(shape.mamba_layers) * (scanned + convolved);
}

}  // namespace rackcast
