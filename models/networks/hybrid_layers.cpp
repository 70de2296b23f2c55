#include <algorithm>
#include <array>

#include "models/networks/transformer.hpp"

namespace rackcast {

std::vector<LayerPart> hybrid_layers(const TransformerShape& shape) {
  if (shape.mamba_layers == 0) return {};
  const std::array<std::int64_t, 3> wanted{shape.mamba_layers, shape.attention_layers,
                                           shape.layers - shape.mamba_layers - shape.attention_layers};
  std::array<std::int64_t, 3> given{};
  std::vector<LayerPart> out;
  for (std::int64_t i = 1; i <= shape.layers; ++i) {
    std::size_t next = 0;
    for (std::size_t part = 1; part < wanted.size(); ++part)
      if (wanted[part] * i - given[part] * shape.layers > wanted[next] * i - given[next] * shape.layers)
        next = part;
    ++given[next];
    out.push_back(static_cast<LayerPart>(next));
  }
  return out;
}

bool has_experts(const TransformerShape& shape, std::int64_t layer) {
  if (shape.experts == 0) return false;
  if (shape.mamba_layers == 0) {
    const std::int64_t every = std::max<std::int64_t>(1, shape.expert_every);
    return layer >= shape.dense_layers && (layer - shape.dense_layers) % every == 0;
  }
  return hybrid_layers(shape).at(static_cast<std::size_t>(layer)) == LayerPart::mlp;
}

std::int64_t attention_window(const TransformerShape& shape, std::int64_t layer) {
  const std::int64_t every = shape.full_attention_every;
  return every > 0 && (layer + 1) % every == 0 ? 0 : shape.window;
}

}  // namespace rackcast
