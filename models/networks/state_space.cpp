#include "models/networks/state_space.hpp"

#include <algorithm>
#include <array>

#include "models/networks/layers/operators.hpp"

namespace rackcast {
namespace {

struct Product {
  std::string_view name;
  std::int64_t rows, n, k, count;
};

Flow add_product(NetworkBuilder& network, const Product& p, const Flow& from, const TensorShape& out) {
  Operator op;
  op.name = "mamba." + std::string{p.name};
  op.kind = scan_kind;
  op.family = OperatorFamily::gemm;
  op.shape.rows = p.rows;
  op.shape.n = p.n;
  op.shape.k = p.k;
  op.shape.count = p.count;
  op.forward_flop = Flop{2.0 * static_cast<double>(p.rows) * static_cast<double>(p.n) *
                         static_cast<double>(p.k) * static_cast<double>(p.count)};
  op.keeps_16_bits = true;
  return network.add(std::move(op), from, out, {});
}

/// A convolution of each channel over four tokens, with a bias; the same kernel applies the activation.
Flow add_convolution(NetworkBuilder& network, const Flow& from) {
  Operator op;
  op.name = "mamba.conv";
  op.kind = "depthwise";
  op.family = OperatorFamily::depthwise;
  op.parameters = 5 * static_cast<double>(from.shape.channels);
  return network.add(std::move(op), from, from.shape, {.input = true});
}

}  // namespace

Flow add_state_space(NetworkBuilder& network, const Flow& x, const StateSpaceSpec& s) {
  const std::int64_t inner = s.heads * s.head_dim, shared = s.groups * s.state;
  const std::int64_t q = std::min(s.chunk, x.shape.height), chunks = (x.shape.height + q - 1) / q;
  const Flow projected =
      add_linear(network, "mamba.in", "linear", x, {.out = 2 * (inner + shared) + s.heads, .bias = false});
  Flow mixed = projected, gate = projected;
  mixed.shape.channels = inner + 2 * shared;
  gate.shape.channels = inner;
  mixed = add_convolution(network, mixed);
  const TensorShape out = x.shape.with_channels(inner);
  add_product(network, {"scores", q, q, s.state, s.groups * chunks}, mixed,
              x.shape.with_channels(s.groups * q));
  Flow y = add_product(network, {"inner", q, s.head_dim, q, s.heads * chunks}, mixed, out);
  // Two of the elements below are one of fp32.
  const TensorShape states = TensorShape::tokens(chunks, 2 * inner * s.state);
  Flow state = add_product(network, {"states", s.head_dim, s.state, q, s.heads * chunks}, mixed, states);
  state = add_map(network, "mamba.pass", std::string{state_kind}, OperatorFamily::elementwise, state, {});
  add_product(network, {"outer", q, s.head_dim, s.state, s.heads * chunks}, state, out);
  y = add_join(network, "mamba.gate", "multiply", {y, gate});
  y = add_map(network, "mamba.norm", "rms_norm", OperatorFamily::norm, y, {.input = true},
              static_cast<double>(inner));
  return add_linear(network, "mamba.out", "linear", y, {.out = x.shape.channels, .bias = false});
}

}  // namespace rackcast
