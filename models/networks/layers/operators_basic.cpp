#include <cmath>

#include "models/networks/layers/operators.hpp"
#include "sim/base/error.hpp"

namespace rackcast {

Flow add_linear(NetworkBuilder& network, std::string name, std::string kind, const Flow& in,
                const LinearSpec& spec) {
  Flow from = in;
  if (in.shape.is_spatial()) {
    const double features = in.shape.elements() / static_cast<double>(in.shape.items);
    if (features > static_cast<double>(NetworkBuilder::max_dimension)) {
      throw Error{kind + " would flatten " + in.shape.text() + " into too long a vector"};
    }
    from.shape = TensorShape::vector(static_cast<std::int64_t>(features));
    from.shape.items = in.shape.items;
  }
  const double k = static_cast<double>(from.shape.channels);
  const double n = static_cast<double>(spec.out);
  const double copies = static_cast<double>(spec.copies);
  const double rows = static_cast<double>(from.shape.positions()) * spec.active;  // of each copy

  Operator op;
  op.name = std::move(name);
  op.kind = std::move(kind);
  op.family = OperatorFamily::gemm;
  const std::int64_t used = spec.used > 0 ? spec.used : spec.copies;
  op.shape.rows = std::max<std::int64_t>(1, std::llround(rows * copies / static_cast<double>(used)));
  op.shape.n = spec.out;
  op.shape.k = from.shape.channels;
  op.shape.count = used;
  const double stored = spec.stored ? static_cast<double>(spec.stored) : n;
  op.parameters = copies * ((spec.tied ? 0.0 : stored * k) + (spec.bias ? stored : 0.0));
  op.forward_flop = Flop{2 * copies * rows * n * k};
  op.keeps_16_bits = spec.keeps_16_bits;
  op.biased = spec.bias;
  return network.add(std::move(op), from, from.shape.with_channels(spec.out), {.input = true});
}

Flow add_map(NetworkBuilder& network, std::string name, std::string kind, OperatorFamily family,
             const Flow& in, Kept kept, double parameters) {
  Operator op;
  op.name = std::move(name);
  op.kind = std::move(kind);
  op.family = family;
  op.parameters = parameters;
  op.fusable = family == OperatorFamily::elementwise;
  return network.add(std::move(op), in, in.shape, kept);
}

Flow add_dropout(NetworkBuilder& network, std::string name, const Flow& in) {
  return add_map(network, std::move(name), "dropout", OperatorFamily::elementwise, in,
                 {.extra = in.shape.elements() / 2});
}

Flow add_activation(NetworkBuilder& network, std::string name, std::string kind, const Flow& in,
                    bool keeps_input) {
  return add_map(network, std::move(name), std::move(kind), OperatorFamily::elementwise, in,
                 {.input = keeps_input, .output = !keeps_input});
}

Flow add_join(NetworkBuilder& network, std::string name, const std::string& kind,
              const std::vector<Flow>& inputs) {
  for (const Flow& in : inputs) {
    const bool each = in.shape == TensorShape::vector(inputs.front().shape.channels);
    if (!each && !(in.shape == inputs.front().shape)) {
      throw Error{kind + " needs equal shapes, but its branches end in " + inputs.front().shape.text() +
                  " and " + in.shape.text()};
    }
  }
  Operator op;
  op.name = std::move(name);
  op.kind = kind;
  op.fusable = true;
  return network.add(std::move(op), inputs, inputs.front().shape, {.input = kind == "multiply"});
}

Flow add_concat(NetworkBuilder& network, std::string name, const std::vector<Flow>& inputs, double forked) {
  TensorShape out = inputs.front().shape;
  double channels = 0;
  for (const Flow& in : inputs) {
    if (!(in.shape.with_channels(1) == out.with_channels(1))) {
      throw Error{"concat needs branches of one size, but they end in " + inputs.front().shape.text() +
                  " and " + in.shape.text()};
    }
    channels += static_cast<double>(in.shape.channels);
  }
  if (channels > static_cast<double>(NetworkBuilder::max_dimension))
    throw Error{"concat makes too many channels"};
  Operator op;
  op.name = std::move(name);
  op.kind = "concat";
  op.shape.forked = forked;
  return network.add(std::move(op), inputs, out.with_channels(static_cast<std::int64_t>(channels)), {});
}

Flow add_embedding(NetworkBuilder& network, std::string name, const Flow& in, std::int64_t vocab,
                   std::int64_t width, bool tied) {
  if (in.shape.kind != TensorShape::Kind::tokens) {
    throw Error{"embedding needs a sequence of tokens, not " + in.shape.text()};
  }
  Operator op;
  op.name = std::move(name);
  op.kind = "embedding";
  op.family = OperatorFamily::embedding;
  op.shape.n = width;
  op.shape.k = vocab;
  op.shape.rows = in.shape.positions();
  op.parameters = tied ? 0.0 : static_cast<double>(vocab) * static_cast<double>(width);
  return network.add(std::move(op), in, in.shape.with_channels(width), {});
}

}  // namespace rackcast
