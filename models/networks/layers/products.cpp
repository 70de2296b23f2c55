#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "models/networks/layers/kinds.hpp"
#include "models/networks/layers/operators.hpp"
#include "sim/base/error.hpp"

namespace rackcast::layers {
namespace {

/// Tokens of each of several sequences that lie one behind the other.
std::int64_t length_of_each(const TensorShape& all, std::int64_t sequences) {
  if (all.kind != TensorShape::Kind::tokens) throw Error{"needs a sequence, not " + all.text()};
  if (all.height % sequences != 0)
    throw Error{"cannot cut " + all.text() + " into " + std::to_string(sequences) + " sequences"};
  return all.height / sequences;
}

void require_width(const char* what, const TensorShape& shape, std::int64_t width) {
  if (shape.channels != width)
    throw Error{std::string{"needs "} + what + " of " + std::to_string(width) + " features, not " +
                shape.text()};
}

}  // namespace

/// The product of the current value and a saved one, `count` times: (m x k) (k x n). A value with the
/// elements of one product serves all of them.
Flow matmul(LayerContext& context) {
  const Flow other = context.saved(context.arguments.require("matmul"));
  const auto sizes = context.arguments.counts("sizes", 1, 1'000'000'000);
  if (sizes.size() != 4) throw Error{"\"sizes\" are [count, rows, inner, columns]"};
  const auto size = [&](std::size_t i) {
    return static_cast<double>(sizes[i]);
  };
  const auto fits = [&](const Flow& flow, double elements) {
    return flow.shape.elements() == elements || flow.shape.elements() == elements * size(0);
  };
  if (!fits(context.input, size(1) * size(2)) || !fits(other, size(2) * size(3)))
    throw Error{"\"sizes\" fit neither " + context.input.shape.text() + " nor " + other.shape.text()};
  if (size(0) * size(1) > static_cast<double>(NetworkBuilder::max_dimension))
    throw Error{"makes too many rows"};
  Operator op;
  op.name = context.name;
  op.kind = "matmul";
  op.family = OperatorFamily::gemm;
  op.shape.count = sizes[0];
  op.shape.rows = sizes[1];
  op.shape.k = sizes[2];
  op.shape.n = sizes[3];
  op.forward_flop = Flop{2 * size(0) * size(1) * size(2) * size(3)};
  return context.network.add(std::move(op), std::array{context.input, other},
                             TensorShape::tokens(sizes[0] * sizes[1], sizes[3]), {.input = true});
}

/// softmax(QK^T)V of queries, keys and values that other layers have projected.
Flow dot_attention(LayerContext& context) {
  LayerArguments& arguments = context.arguments;
  AttentionSpec spec;
  spec.heads = arguments.count("dot_attention", 1, 100'000);
  spec.kv_heads = arguments.count_or("kv_heads", spec.heads, 1, 100'000);
  spec.head_dim = arguments.count("head_dim", 1, 1'000'000);
  spec.v_head_dim = arguments.count_or("v_head_dim", 0, 0, 1'000'000);
  spec.causal = arguments.flag_or("causal", false);
  spec.dropout = arguments.flag_or("dropout", false);
  spec.score_parameters = static_cast<double>(arguments.count_or("biases", 0, 0, 1'000'000'000));
  const std::int64_t sequences = arguments.count_or("sequences", 1, 1, 1'000'000);
  const Json *keys = arguments.find("keys"), *values = arguments.find("values");
  if ((keys == nullptr) != (values == nullptr)) throw Error{"needs both \"keys\" and \"values\", or neither"};

  const std::int64_t v_dim = spec.v_head_dim ? spec.v_head_dim : spec.head_dim;
  const std::int64_t q_width = spec.heads * spec.head_dim, k_width = spec.kv_heads * spec.head_dim,
                     v_width = spec.kv_heads * v_dim;
  std::vector<Flow> projected{context.input};
  if (keys == nullptr) {
    require_width("queries, keys and values", context.input.shape, q_width + k_width + v_width);
  } else {
    require_width("queries", context.input.shape, q_width);
    projected.push_back(context.saved(*keys));
    if (keys->string() == values->string()) {
      require_width("keys and values", projected.back().shape, k_width + v_width);
    } else {
      require_width("keys", projected.back().shape, k_width);
      projected.push_back(context.saved(*values));
      require_width("values", projected.back().shape, v_width);
    }
  }
  const std::int64_t queries = length_of_each(context.input.shape, sequences),
                     length = length_of_each(projected[projected.size() > 1 ? 1 : 0].shape, sequences);
  if (length_of_each(projected.back().shape, sequences) != length)
    throw Error{"needs as many values as keys, not " + projected.back().shape.text()};
  // Sequences are like heads: each has its own scores.
  spec.heads *= sequences;
  Flow out = add_attention_core(context.network, context.name, projected,
                                TensorShape::tokens(queries, q_width), length, spec);
  out.shape = TensorShape::tokens(context.input.shape.height, spec.heads / sequences * v_dim);
  return out;
}

}  // namespace rackcast::layers
