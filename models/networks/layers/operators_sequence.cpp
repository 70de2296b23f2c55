#include <algorithm>
#include <cmath>

#include "models/networks/layers/operators.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

void require_tokens(const std::string& kind, const TensorShape& in) {
  if (in.kind != TensorShape::Kind::tokens) {
    throw Error{kind + " needs a sequence, not " + in.text(),
                {},
                "turn an image into a sequence with \"rows_to_tokens\" or \"patches_to_tokens\""};
  }
}

/// Transformer-XL, arXiv 1901.02860, section 3.3: distances are embedded, projected, and scored against the
/// queries of every head; two vectors per head are learned.
void add_relative_scores(NetworkBuilder& network, const std::string& name, const Flow& query,
                         std::int64_t kv_length, const AttentionSpec& spec) {
  Flow distances = query;
  distances.shape.height = kv_length;
  const Flow positions = add_linear(network, name + ".positions", "attention", distances,
                                    {.out = spec.heads * spec.head_dim, .bias = false});
  Operator op;
  op.name = name + ".position_scores";
  op.kind = "attention";
  op.family = OperatorFamily::gemm;
  op.shape.rows = query.shape.height;
  op.shape.n = kv_length;
  op.shape.k = spec.head_dim;
  op.shape.count = spec.heads;
  op.parameters = 2.0 * static_cast<double>(spec.heads) * static_cast<double>(spec.head_dim);
  op.forward_flop = Flop{2.0 * static_cast<double>(spec.heads) * static_cast<double>(query.shape.height) *
                         static_cast<double>(kv_length) * static_cast<double>(spec.head_dim)};
  network.add(std::move(op), positions, TensorShape::tokens(query.shape.height, spec.heads * kv_length),
              {.input = true});
}

/// Normalises the first `width` features, each head on its own. All heads of queries share one set of
/// weights, and all heads of keys another.
Flow head_norm(NetworkBuilder& network, std::string name, Flow in, std::int64_t width, double weights) {
  in.shape.channels = width;
  return add_map(network, std::move(name), "rms_norm", OperatorFamily::norm, in, {.input = true}, weights);
}

/// Queries, keys and values, ready for the scores.
std::vector<Flow> project(NetworkBuilder& network, const std::string& name, const Flow& query,
                          const Flow& memory, const AttentionSpec& spec) {
  const std::int64_t q_width = spec.heads * spec.head_dim, k_width = spec.kv_heads * spec.head_dim;
  const bool bias = spec.bias || spec.qkv_bias;
  const auto weights = static_cast<double>(spec.head_dim);
  const auto values_of = [&](Flow flow) {
    flow.shape.channels = k_width;
    return flow;
  };
  if (query.producer == memory.producer && spec.extra_keys == 0) {
    const Flow all =
        add_linear(network, name + ".qkv", "attention", query, {.out = q_width + 2 * k_width, .bias = bias});
    if (!spec.qk_norm) return {all};
    return {head_norm(network, name + ".qk_norm", all, q_width + k_width, 2 * weights), values_of(all)};
  }
  Flow keys = memory;
  keys.shape.height += spec.extra_keys;
  const Flow q = add_linear(network, name + ".q", "attention", query, {.out = q_width, .bias = bias});
  const Flow kv = add_linear(network, name + ".kv", "attention", keys, {.out = 2 * k_width, .bias = bias});
  if (!spec.qk_norm) return {q, kv};
  return {head_norm(network, name + ".q_norm", q, q_width, weights),
          head_norm(network, name + ".k_norm", kv, k_width, weights), values_of(kv)};
}

}  // namespace

std::int64_t keys_in_window(std::int64_t queries, std::int64_t keys, std::int64_t window, bool causal) {
  if (window == 0 || window >= keys) return keys;
  if (!causal) return window;
  const auto w = static_cast<double>(window);
  return std::min<std::int64_t>(keys,
                                std::llround(2 * w - w * w / static_cast<double>(std::max(queries, window))));
}

Flow add_attention_core(NetworkBuilder& network, std::string name, const std::vector<Flow>& projected,
                        const TensorShape& query, std::int64_t all_keys, const AttentionSpec& spec) {
  const std::int64_t kv_length = keys_in_window(query.height, all_keys, spec.window, spec.causal);
  const std::int64_t v_dim = spec.v_head_dim ? spec.v_head_dim : spec.head_dim;
  Operator op;
  op.name = std::move(name);
  op.kind = "attention";
  op.family = OperatorFamily::attention;
  op.shape.heads = spec.heads;
  op.shape.seq = query.height;
  op.shape.kv_seq = kv_length;
  op.shape.head_dim = spec.head_dim;
  op.shape.v_head_dim = spec.v_head_dim;
  op.shape.causal = spec.causal;
  op.parameters = spec.score_parameters;
  const double scores =
      static_cast<double>(spec.heads) * static_cast<double>(query.height) * static_cast<double>(kv_length);
  op.forward_flop = Flop{2 * scores * static_cast<double>(spec.head_dim + v_dim)};
  const double kept = scores * (spec.dropout ? 2.5 : 1.0);
  return network.add(std::move(op), projected, TensorShape::tokens(query.height, spec.heads * v_dim),
                     {.input = true, .extra = kept, .scores = kept});
}

Flow add_additive_attention(NetworkBuilder& network, const std::string& name, const Flow& query,
                            const Flow& memory, std::int64_t hidden) {
  require_tokens("additive_attention", query.shape);
  require_tokens("additive_attention", memory.shape);
  const std::vector<Flow> projected{
      add_linear(network, name + ".query", "additive_attention", query, {.out = hidden, .bias = false}),
      add_linear(network, name + ".memory", "additive_attention", memory, {.out = hidden, .bias = false})};
  Operator op;
  op.name = name + ".scores";
  op.kind = "additive_attention";
  op.family = OperatorFamily::attention;
  op.shape.heads = 1;
  op.shape.seq = query.shape.height;
  op.shape.kv_seq = memory.shape.height;
  op.shape.head_dim = hidden;
  op.shape.v_head_dim = memory.shape.channels;
  op.parameters = static_cast<double>(hidden);
  const double scores = static_cast<double>(query.shape.height) * static_cast<double>(memory.shape.height);
  op.forward_flop = Flop{2 * scores * static_cast<double>(hidden + memory.shape.channels)};
  // tanh(query + memory) of every pair is what the gradient of the score vector needs.
  const double kept = scores * static_cast<double>(hidden + 1);
  return network.add(std::move(op), projected, query.shape.with_channels(memory.shape.channels),
                     {.input = true, .extra = kept, .scores = kept});
}

Flow add_attention(NetworkBuilder& network, const std::string& name, const Flow& query, const Flow& memory,
                   const AttentionSpec& given) {
  require_tokens("attention", query.shape);
  require_tokens("attention", memory.shape);
  AttentionSpec spec = given;
  if (spec.head_dim == 0) {
    if (query.shape.channels % spec.heads != 0) {
      throw Error{"attention needs its width " + std::to_string(query.shape.channels) +
                  " divisible by heads=" + std::to_string(spec.heads)};
    }
    spec.head_dim = query.shape.channels / spec.heads;
  }
  if (spec.heads % spec.kv_heads != 0) {
    throw Error{"attention needs heads=" + std::to_string(spec.heads) +
                " divisible by kv_heads=" + std::to_string(spec.kv_heads)};
  }
  const std::vector<Flow> projected = project(network, name, query, memory, spec);
  if (spec.relative) add_relative_scores(network, name, query, memory.shape.height + spec.extra_keys, spec);
  const Flow mixed = add_attention_core(network, name + ".scores", projected, query.shape,
                                        memory.shape.height + spec.extra_keys, spec);
  return add_linear(network, name + ".out", "attention", mixed,
                    {.out = query.shape.channels, .bias = spec.bias});
}

Flow add_recurrent(NetworkBuilder& network, const std::string& name, const std::string& kind, const Flow& in,
                   const RecurrentSpec& spec) {
  require_tokens(kind, in.shape);
  const std::int64_t directions = spec.bidirectional ? 2 : 1;
  const std::int64_t state = spec.projection ? spec.projection : spec.hidden;  // what is fed back
  const double steps = static_cast<double>(in.shape.height);
  const double cell = static_cast<double>(spec.gates) * static_cast<double>(spec.hidden);

  // The input product of all steps and both directions at once, as cuDNN does it. Directions that share it
  // read the same sums.
  const std::int64_t products = spec.shared_input ? 1 : directions;
  Operator input;
  input.name = name + ".input";
  input.kind = kind;
  input.family = OperatorFamily::gemm;
  input.shape.rows = in.shape.height;
  input.shape.n = products * spec.gates * spec.hidden;
  input.shape.k = in.shape.channels;
  const double input_weights = static_cast<double>(input.shape.n) * static_cast<double>(input.shape.k);
  input.parameters = input_weights + static_cast<double>(products * spec.biases) * cell;
  input.forward_flop = Flop{2 * steps * input_weights};
  const Flow gates = network.add(
      std::move(input), in, in.shape.with_channels(products * spec.gates * spec.hidden), {.input = true});

  std::vector<Flow> outputs;
  for (std::int64_t d = 0; d < directions; ++d) {
    Operator op;
    op.name = name + (directions == 1 ? ".recurrent" : d == 0 ? ".forward" : ".backward");
    op.kind = kind;
    op.family = OperatorFamily::rnn;
    op.shape.hidden = spec.hidden;
    op.shape.steps = in.shape.height;
    op.shape.gates = spec.gates;
    op.shape.k = state;
    op.parameters = cell * static_cast<double>(state);
    op.forward_flop = Flop{2 * steps * op.parameters};
    // Kept besides the output: every gate, and the cell state of an LSTM.
    const double kept = steps * (cell + (spec.gates == 4 ? static_cast<double>(spec.hidden) : 0.0));
    Flow slice = gates;
    slice.shape.channels = spec.gates * spec.hidden;
    Flow out = network.add(std::move(op), slice, in.shape.with_channels(spec.hidden),
                           {.output = true, .extra = kept});
    if (spec.projection) {
      out = add_linear(network, name + ".projection", kind, out, {.out = spec.projection, .bias = false});
    }
    outputs.push_back(out);
  }
  if (directions == 1) return outputs.front();
  return spec.sum_directions ? add_join(network, name + ".sum", "add", outputs)
                             : add_concat(network, name + ".concat", outputs);
}

}  // namespace rackcast
