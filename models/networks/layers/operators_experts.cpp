#include <algorithm>
#include <cmath>

#include "models/networks/layers/operators.hpp"

namespace rackcast {

Flow add_mlp(NetworkBuilder& network, const std::string& name, const Flow& in, const MlpSpec& spec) {
  const auto product = [&](const std::string& part, const Flow& from, std::int64_t out) {
    LinearSpec linear{.out = out, .bias = spec.bias};
    linear.copies = spec.held;
    linear.used = spec.used;
    linear.active = 1.0 / static_cast<double>(spec.held);
    return add_linear(network, name + part, "linear", from, linear);
  };
  Flow inner = product(".up", in, spec.width);
  if (spec.gated) {
    const Flow gate =
        add_activation(network, name + ".silu", "swish", product(".gate", in, spec.width), true);
    inner = add_join(network, name + ".multiply", "multiply", {inner, gate});
  } else {
    inner = add_activation(network, name + "." + spec.activation, spec.activation, inner, true);
  }
  return product(".down", inner, in.shape.channels);
}

void add_router(NetworkBuilder& network, const Flow& in, std::int64_t experts) {
  LinearSpec router{.out = experts, .bias = false};
  router.keeps_16_bits = true;
  const Flow scores = add_linear(network, "router", "linear", in, router);
  add_map(network, "router.softmax", "softmax", OperatorFamily::softmax, scores, {.output = true});
}

Flow add_chosen_experts(NetworkBuilder& network, const Flow& chosen, const MlpSpec& spec) {
  Flow out = add_map(network, "experts.gather", "gather", OperatorFamily::embedding, chosen, {});
  out = add_mlp(network, "experts", out, spec);
  return add_map(network, "experts.combine", "gather", OperatorFamily::embedding, out, {});
}

std::int64_t used_experts(std::int64_t experts, std::int64_t top_k, std::int64_t held, std::int64_t tokens) {
  const auto all = static_cast<double>(experts), own = static_cast<double>(held);
  const double missed =
      std::pow(1 - static_cast<double>(top_k) / all, static_cast<double>(tokens) * all / own);
  return std::clamp<std::int64_t>(std::llround(own * (1 - missed)), 1, held);
}

}  // namespace rackcast
