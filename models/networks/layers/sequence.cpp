#include <array>
#include <string>
#include <vector>

#include "models/networks/layers/kinds.hpp"
#include "models/networks/layers/operators.hpp"
#include "sim/base/error.hpp"

namespace rackcast::layers {
namespace {

constexpr std::int64_t largest_table = 10'000'000'000;

void require_tokens(const LayerContext& context) {
  if (context.input.shape.kind != TensorShape::Kind::tokens) {
    throw Error{"needs a sequence, not " + context.input.shape.text()};
  }
}

void require_image(const LayerContext& context) {
  if (context.input.shape.kind != TensorShape::Kind::image) {
    throw Error{"needs an image, not " + context.input.shape.text()};
  }
}

Flow recurrent(LayerContext& context, std::int64_t gates) {
  LayerArguments& arguments = context.arguments;
  RecurrentSpec spec;
  spec.hidden = arguments.count(arguments.kind(), 1, 1'000'000);
  spec.gates = gates;
  spec.bidirectional = arguments.flag_or("bidirectional", false);
  spec.sum_directions = arguments.flag_or("sum", false);
  spec.shared_input = arguments.flag_or("share_input", false);
  spec.biases = arguments.count_or("biases", 2, 0, 2);
  spec.projection = arguments.count_or("projection", 0, 0, 1'000'000);
  return add_recurrent(context.network, context.name, arguments.kind(), context.input, spec);
}

Flow with_shape(Flow flow, const TensorShape& shape) {
  flow.shape = shape;
  return flow;
}

}  // namespace

Flow embedding(LayerContext& context) {
  const std::int64_t width = context.arguments.count("embedding", 1, 1'000'000);
  const std::int64_t vocab = context.arguments.count("vocab", 1, largest_table);
  const bool tied = context.arguments.flag_or("tied", false);
  return add_embedding(context.network, context.name, context.input, vocab, width, tied);
}

Flow position_embedding(LayerContext& context) {
  require_tokens(context);
  const std::int64_t given = context.arguments.count_or("position_embedding", 0, 0, 10'000'000);
  const std::int64_t rows = given ? given : context.input.shape.height;
  const double parameters = static_cast<double>(rows) * static_cast<double>(context.input.shape.channels);
  return add_map(context.network, context.name, "position_embedding", OperatorFamily::elementwise,
                 context.input, {}, parameters);
}

Flow class_token(LayerContext& context) {
  context.arguments.no_value();
  require_tokens(context);
  TensorShape out = context.input.shape;
  ++out.height;
  Operator op;
  op.name = context.name;
  op.kind = "class_token";
  op.parameters = static_cast<double>(out.channels);
  return context.network.add(std::move(op), context.input, out, {});
}

Flow take_token(LayerContext& context) {
  context.arguments.no_value();
  require_tokens(context);
  return with_shape(context.input, TensorShape::vector(context.input.shape.channels));
}

Flow attention(LayerContext& context) {
  LayerArguments& arguments = context.arguments;
  AttentionSpec spec;
  spec.heads = arguments.count("attention", 1, 100'000);
  spec.kv_heads = arguments.count_or("kv_heads", spec.heads, 1, 100'000);
  spec.head_dim = arguments.count_or("head_dim", 0, 0, 1'000'000);
  spec.extra_keys = arguments.count_or("cached", 0, 0, 10'000'000);
  spec.causal = arguments.flag_or("causal", false);
  spec.bias = arguments.flag_or("bias", true);
  spec.dropout = arguments.flag_or("dropout", true);
  spec.relative = arguments.flag_or("relative", false);
  const Json* memory = arguments.find("memory");
  const Flow from = memory ? context.saved(*memory) : context.input;
  return add_attention(context.network, context.name, context.input, from, spec);
}

Flow experts(LayerContext& context) {
  require_tokens(context);
  LayerArguments& arguments = context.arguments;
  MlpSpec spec{.width = arguments.count("ffn", 1, 10'000'000)};
  spec.held = arguments.count("experts", 1, 100'000);
  const std::int64_t top_k = arguments.count_or("top_k", 1, 1, spec.held);
  spec.gated = arguments.flag_or("gated", false);
  spec.bias = arguments.flag_or("bias", true);
  spec.activation = "relu";
  spec.used = used_experts(spec.held, top_k, spec.held, context.input.shape.height);
  const NetworkBuilder::Prefix prefix(context.network, context.name);
  const NetworkBuilder::Place place(context.network, LayerBlock::experts);
  add_router(context.network, context.input, spec.held);
  Flow chosen = context.input;
  chosen.shape.items = top_k;
  return with_shape(add_chosen_experts(context.network, chosen, spec), context.input.shape);
}

Flow additive_attention(LayerContext& context) {
  const std::int64_t hidden = context.arguments.count("additive_attention", 1, 1'000'000);
  const Flow memory = context.saved(context.arguments.require("memory"));
  return add_additive_attention(context.network, context.name, context.input, memory, hidden);
}

Flow rnn(LayerContext& context) {
  return recurrent(context, 1);
}
Flow gru(LayerContext& context) {
  return recurrent(context, 3);
}
Flow lstm(LayerContext& context) {
  return recurrent(context, 4);
}

Flow pairs(LayerContext& context) {
  const Flow other = context.saved(context.arguments.require("pairs"));
  require_tokens(context);
  const TensorShape &a = context.input.shape, &b = other.shape;
  if (b.kind != TensorShape::Kind::tokens || a.channels != b.channels) {
    throw Error{"needs two sequences of one width, not " + a.text() + " and " + b.text()};
  }
  if (static_cast<double>(a.height) * static_cast<double>(b.height) > 1e9)
    throw Error{"is limited to a billion pairs, not " + a.text() + " and " + b.text()};
  Operator op;
  op.name = context.name;
  op.kind = "pairs";
  op.fusable = true;
  return context.network.add(std::move(op), std::array{context.input, other},
                             TensorShape::tokens(a.height * b.height, a.channels), {});
}

Flow rows_to_tokens(LayerContext& context) {
  context.arguments.no_value();
  require_image(context);
  const TensorShape& in = context.input.shape;
  return with_shape(context.input, TensorShape::tokens(in.height, in.width * in.channels));
}

Flow patches_to_tokens(LayerContext& context) {
  context.arguments.no_value();
  require_image(context);
  const TensorShape& in = context.input.shape;
  return with_shape(context.input, TensorShape::tokens(in.height * in.width, in.channels));
}

namespace {

/// What NVIDIA's plan for DLRM copies to every GPU: tables of up to 8 MB (DP_SHARDING_THRESHOLD=0.008 in
/// mlcommons/training_results_v4.0, NVIDIA/benchmarks/dlrm_dcnv2), 15,625 rows of 128 floats. Reducing them
/// costs about what the exchange of their vectors does; larger ones are split.
constexpr double largest_copied_table = 8e6 / 4;

struct Tables {
  std::int64_t count = 0, lookups = 0;
  double rows = 0;
  double row_state = 0;
};

/// Look-ups in some of the tables, whose vectors follow `before`. The ids come from the sample.
Flow add_tables(LayerContext& context, const std::string& name, const Tables& tables, std::int64_t width,
                const Flow& before) {
  if (tables.count == 0) return before;
  Operator op;
  op.name = name;
  op.kind = "embedding_tables";
  op.family = OperatorFamily::embedding;
  op.shape.n = width;
  op.shape.k = static_cast<std::int64_t>(tables.rows);
  op.shape.rows = tables.count;
  op.shape.count = tables.lookups;
  op.parameters = tables.rows * static_cast<double>(width);
  op.row_state = tables.row_state;
  const std::int64_t in_front = before.producer == Flow::network_input ? 0 : before.shape.channels;
  return context.network.add(std::move(op), before, TensorShape::vector(in_front + tables.count * width), {});
}

/// What the optimizer keeps for each value of a row.
double row_state(LayerContext& context) {
  const std::string optimizer = context.arguments.word_or("optimizer", "sgd");
  if (optimizer == "sgd") return 0;
  if (optimizer == "adagrad") return 1;
  throw Error{"\"optimizer\" of tables is \"sgd\" or \"adagrad\", not \"" + optimizer + "\""};
}

}  // namespace

Flow embedding_tables(LayerContext& context) {
  const std::int64_t width = context.arguments.count("embedding_tables", 1, 100'000);
  const auto rows = context.arguments.counts("rows", 1, largest_table);
  if (rows.empty()) throw Error{"\"rows\" names no table"};
  std::vector<std::int64_t> lookups(rows.size(), 1);
  if (context.arguments.find("lookups") != nullptr)
    lookups = context.arguments.counts("lookups", 1, 1'000'000);
  if (lookups.size() != rows.size()) throw Error{"\"lookups\" needs one number for each table"};
  Tables split, copied;
  split.row_state = copied.row_state = row_state(context);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto elements = static_cast<double>(rows[i]) * static_cast<double>(width);
    Tables& part = elements > largest_copied_table ? split : copied;
    ++part.count;
    part.lookups += lookups[i];
    part.rows += static_cast<double>(rows[i]);
  }
  const Flow ids{TensorShape::vector(static_cast<std::int64_t>(rows.size())), Flow::network_input};
  return add_tables(context, context.name + ".copied", copied, width,
                    add_tables(context, context.name, split, width, ids));
}

Flow dot_interaction(LayerContext& context) {
  const std::int64_t width = context.arguments.count("dot_interaction", 1, 100'000);
  const std::int64_t features = context.input.shape.channels;
  if (context.input.shape.kind != TensorShape::Kind::vector || features % width != 0) {
    throw Error{"needs vectors of " + std::to_string(width) + " side by side, not " +
                context.input.shape.text()};
  }
  const std::int64_t n = features / width;
  if (n > 1'000'000) throw Error{"is limited to a million vectors, not " + std::to_string(n)};
  // One product per sample of an n x width matrix with itself, of which the lower triangle is used; DLRM,
  // arXiv 1906.00091, section 2.1.
  Operator op;
  op.name = context.name;
  op.kind = "dot_interaction";
  op.family = OperatorFamily::gemm;
  op.shape.rows = n;
  op.shape.n = n;
  op.shape.k = width;
  op.forward_flop = Flop{2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(width)};
  return context.network.add(std::move(op), context.input, TensorShape::vector(n * (n - 1) / 2),
                             {.input = true});
}

}  // namespace rackcast::layers
