#include <algorithm>

#include "models/networks/layers/kinds.hpp"
#include "models/networks/layers/operators.hpp"
#include "sim/base/error.hpp"

namespace rackcast::layers {
namespace {

double channels(const LayerContext& context) {
  return static_cast<double>(context.input.shape.channels);
}

Flow norm(LayerContext& context, double parameters, Kept kept) {
  return add_map(context.network, context.name, context.arguments.kind(), OperatorFamily::norm, context.input,
                 kept, parameters);
}

/// [features], [length, features], [height, width, channels] or [depth, height, width, channels].
TensorShape stated_shape(LayerContext& context, std::string_view key) {
  const auto n = context.arguments.counts(key, 1, NetworkBuilder::max_dimension);
  switch (n.size()) {
    case 1:
      return TensorShape::vector(n[0]);
    case 2:
      return TensorShape::tokens(n[0], n[1]);
    case 3:
      return TensorShape::image(n[0], n[1], n[2]);
    case 4:
      return TensorShape::volume(n[0], n[1], n[2], n[3]);
    default:
      throw Error{"needs [features], [length, features] or [height, width, channels]"};
  }
}

}  // namespace

Flow linear(LayerContext& context) {
  LinearSpec spec;
  spec.out = context.arguments.count("linear");
  if (const std::int64_t sampled = context.arguments.count_or("sampled", 0)) {
    spec.stored = spec.out;
    spec.out = std::min(sampled, spec.out);
  }
  spec.bias = context.arguments.flag_or("bias", true);
  spec.tied = context.arguments.flag_or("tied", false);
  return add_linear(context.network, context.name, "linear", context.input, spec);
}

Flow flatten(LayerContext& context) {
  context.arguments.no_value();
  Flow out = context.input;
  out.shape = TensorShape::vector(context.input.shape.positions() / context.input.shape.items *
                                  context.input.shape.channels);
  out.shape.items = context.input.shape.items;
  return out;
}

Flow reshape(LayerContext& context) {
  Flow out = context.input;
  out.shape = stated_shape(context, "reshape");
  if (out.shape.elements() != context.input.shape.elements()) {
    throw Error{"cannot turn " + context.input.shape.text() + " into " + out.shape.text()};
  }
  return out;
}

Flow part(LayerContext& context) {
  Flow out = context.input;
  out.shape = stated_shape(context, "part");
  if (out.shape.elements() > context.input.shape.elements())
    throw Error{out.shape.text() + " is no part of " + context.input.shape.text()};
  return out;
}

Flow softmax(LayerContext& context) {
  context.arguments.no_value();
  return add_map(context.network, context.name, "softmax", OperatorFamily::softmax, context.input,
                 {.output = true});
}

Flow dropout(LayerContext& context) {
  context.arguments.no_value();
  return add_dropout(context.network, context.name, context.input);
}

Flow batch_norm(LayerContext& context) {
  context.arguments.no_value();
  const bool scale = context.arguments.flag_or("scale", true);
  const bool center = context.arguments.flag_or("center", true);
  // With constant statistics it is a scale and an offset per channel; its input is needed for nothing.
  if (context.arguments.flag_or("frozen", false))
    return add_map(context.network, context.name, "frozen_norm", OperatorFamily::elementwise, context.input,
                   {});
  return norm(context, channels(context) * ((scale ? 1 : 0) + (center ? 1 : 0)), {.input = true});
}

Flow channel_norm(LayerContext& context) {
  context.arguments.no_value();
  const bool scale = context.arguments.flag_or("scale", true);
  const bool center = context.arguments.flag_or("center", true);
  return norm(context, channels(context) * ((scale ? 1 : 0) + (center ? 1 : 0)), {.input = true});
}

Flow rms_norm(LayerContext& context) {
  context.arguments.no_value();
  const bool scale = context.arguments.flag_or("scale", true);
  return norm(context, scale ? channels(context) : 0, {.input = true});
}

Flow lrn(LayerContext& context) {
  context.arguments.no_value();
  return norm(context, 0, {.input = true, .output = true});
}

Flow output_activation(LayerContext& context) {
  context.arguments.no_value();
  return add_activation(context.network, context.name, context.arguments.kind(), context.input, false);
}

Flow input_activation(LayerContext& context) {
  context.arguments.no_value();
  return add_activation(context.network, context.name, context.arguments.kind(), context.input, true);
}

}  // namespace rackcast::layers
