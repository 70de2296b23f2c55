#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "models/networks/layers/kinds.hpp"
#include "models/networks/layers/operators.hpp"
#include "sim/base/error.hpp"

namespace rackcast::layers {
namespace {

void require_plain_image(const LayerContext& context) {
  if (context.input.shape.kind != TensorShape::Kind::image)
    throw Error{"needs an image, not " + context.input.shape.text()};
}

std::int64_t rounded_up(std::int64_t length, std::int64_t unit) {
  return (length + unit - 1) / unit * unit;
}

}  // namespace

Flow channel_scale(LayerContext& context) {
  context.arguments.no_value();
  return add_map(context.network, context.name, "channel_scale", OperatorFamily::elementwise, context.input,
                 {.input = true}, static_cast<double>(context.input.shape.channels));
}

Flow squeeze_excite(LayerContext& context) {
  require_plain_image(context);
  const std::int64_t channels = context.input.shape.channels;
  const std::int64_t value = context.arguments.count("squeeze_excite", 1, 1'000'000);
  const std::int64_t of = context.arguments.count_or("of", 0, 0, 1'000'000);
  const std::int64_t hidden = of > 0 ? std::max<std::int64_t>(1, channels * value / of) : value;
  NetworkBuilder& network = context.network;
  const NetworkBuilder::Prefix prefix(network, context.name);

  Operator mean;
  mean.name = "mean";
  mean.kind = "global_avg_pool";
  mean.family = OperatorFamily::pool;
  mean.shape.r = context.input.shape.height;
  mean.shape.s = context.input.shape.width;
  Flow gate = network.add(std::move(mean), context.input, TensorShape::vector(channels), {});
  gate = add_linear(network, "down", "linear", gate, {.out = hidden});
  gate = add_activation(network, "relu", "relu", gate, false);
  gate = add_linear(network, "up", "linear", gate, {.out = channels});
  gate = add_activation(network, "sigmoid", "sigmoid", gate, false);

  Operator scale;
  scale.name = "scale";
  scale.kind = "multiply";
  scale.fusable = true;
  return network.add(std::move(scale), std::array{context.input, gate}, context.input.shape, {.input = true});
}

Flow last_channels(LayerContext& context) {
  const std::int64_t count = context.arguments.count("last_channels");
  if (count > context.input.shape.channels)
    throw Error{"cannot take " + std::to_string(count) + " channels of " + context.input.shape.text()};
  Flow out = context.input;
  out.shape.channels = count;
  return out;
}

Flow chain(LayerContext& context) {
  const Json& layers = context.arguments.require("chain");
  const std::int64_t times = context.arguments.count_or("times", 1, 1, 1000);
  std::vector<Flow> results{context.input};
  for (std::int64_t i = 1; i <= times; ++i) {
    const NetworkBuilder::Prefix prefix(context.network, context.name + "." + std::to_string(i));
    results.push_back(context.run(layers, results.back()));
  }
  // Every result but the last goes two ways.
  double forked = 0;
  for (const Flow& result : std::span{results}.first(results.size() - 1))
    forked += 3 * result.shape.elements();
  return add_concat(context.network, context.name, results, forked);
}

Flow space_to_depth(LayerContext& context) {
  require_plain_image(context);
  const std::int64_t side = context.arguments.count("space_to_depth", 2, 64);
  const TensorShape& in = context.input.shape;
  if (in.height % side != 0 || in.width % side != 0)
    throw Error{"cannot cut " + in.text() + " into squares of " + std::to_string(side)};
  Operator op;
  op.name = context.name;
  op.kind = "space_to_depth";
  return context.network.add(std::move(op), context.input,
                             TensorShape::image(in.height / side, in.width / side, in.channels * side * side),
                             {});
}

namespace {

/// A tensor written in another order; no fusion hides it.
Flow copied(NetworkBuilder& network, std::string name, const Flow& in, const TensorShape& out) {
  Operator op;
  op.name = std::move(name);
  op.kind = "copy";
  return network.add(std::move(op), in, out, {});
}

}  // namespace

// Liu et al., Swin Transformer, arXiv 2103.14030, section 3.2: attention within squares of the image. Squares
// that the edge cuts are padded. Each head learns a bias for each of the (2 window - 1)^2 distances. The
// authors' code (github.com/microsoft/Swin-Transformer, models/swin_transformer.py) writes the image in the
// order of its windows and back, and shifted ones are rolled before and after; the biases are added to scores
// that lie in memory.
Flow window_attention(LayerContext& context) {
  require_plain_image(context);
  LayerArguments& arguments = context.arguments;
  const std::int64_t heads = arguments.count("window_attention", 1, 100'000);
  const std::int64_t window = arguments.count("window", 1, 1000);
  const TensorShape image = context.input.shape;
  if (image.channels % heads != 0)
    throw Error{"window_attention needs its width " + std::to_string(image.channels) +
                " divisible by heads=" + std::to_string(heads)};
  const std::int64_t tokens = rounded_up(image.height, window) * rounded_up(image.width, window);
  const std::int64_t square = window * window, distances = 2 * window - 1;
  NetworkBuilder& network = context.network;
  const NetworkBuilder::Prefix prefix(network, context.name);

  const bool shifted = arguments.flag_or("shift", false);
  Flow from = context.input;
  if (shifted) from = copied(network, "roll", from, image);
  const Flow padded = copied(network, "windows", from, TensorShape::tokens(tokens, image.channels));
  const Flow projected = add_linear(network, "qkv", "attention", padded, {.out = 3 * image.channels});
  // Squares are like heads: each has its own scores.
  Operator op;
  op.name = "scores";
  op.kind = "attention";
  op.family = OperatorFamily::attention;
  op.shape.heads = heads * (tokens / square);
  op.shape.seq = op.shape.kv_seq = square;
  op.shape.head_dim = image.channels / heads;
  op.parameters = static_cast<double>(heads * distances * distances);
  const double scores = static_cast<double>(heads * tokens) * static_cast<double>(square);
  op.forward_flop = Flop{4 * scores * static_cast<double>(op.shape.head_dim)};
  const Flow mixed =
      network.add(std::move(op), projected, padded.shape, {.input = true, .extra = scores, .scores = scores});
  Flow biases = mixed;
  biases.shape.channels = heads * square;
  copied(network, "distances", biases, biases.shape);
  Flow out = add_linear(network, "out", "attention", mixed, {.out = image.channels});
  out = copied(network, "image", out, image);
  return shifted ? copied(network, "roll_back", out, image) : out;
}

}  // namespace rackcast::layers
