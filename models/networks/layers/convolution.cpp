#include <algorithm>
#include <cmath>

#include "models/networks/layers/kinds.hpp"
#include "models/networks/layers/operators.hpp"
#include "sim/base/error.hpp"

namespace rackcast::layers {
namespace {

constexpr std::int64_t largest_window = 100'000;

/// Axes of the window that a file writes down, as indices into depth, height, width.
std::vector<std::size_t> axes_of(const TensorShape& shape) {
  switch (shape.kind) {
    case TensorShape::Kind::image:
      return {1, 2};
    case TensorShape::Kind::volume:
      return {0, 1, 2};
    case TensorShape::Kind::tokens:
      return {1};
    case TensorShape::Kind::vector:
      break;
  }
  throw Error{"needs an image, a volume or a sequence, not a vector of " + shape.text()};
}

Window read_window(LayerContext& context, std::string_view kernel_key, bool pooling) {
  LayerArguments& arguments = context.arguments;
  const auto axes = axes_of(context.input.shape);
  arguments.require(kernel_key);
  const auto kernel = arguments.per_axis_or(kernel_key, axes.size(), 1, 1, largest_window);
  // Pooling windows lie side by side unless the file says otherwise.
  const auto stride = arguments.find("stride") || !pooling
                          ? arguments.per_axis_or("stride", axes.size(), 1, 1, largest_window)
                          : kernel;
  const auto dilation = arguments.per_axis_or("dilation", axes.size(), 1, 1, largest_window);
  const bool ceil = pooling && arguments.flag_or("ceil", false);
  const Json* pad = arguments.find("pad");
  const bool word = pad && pad->kind() == JsonKind::string;
  if (word && pad->string() != "same" && pad->string() != "valid") {
    pad->fail("\"pad\" is a number per side, \"same\" or \"valid\", not \"" + pad->string() + "\"");
  }
  const auto pads = word ? std::vector<std::int64_t>(axes.size(), 0)
                         : arguments.per_axis_or("pad", axes.size(), 0, 0, largest_window);
  Window window;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    window[axes[i]] = {.kernel = kernel[i],
                       .stride = stride[i],
                       .pad = pads[i],
                       .dilation = dilation[i],
                       .same = word && pad->string() == "same",
                       .ceil = ceil};
  }
  return window;
}

Flow pool(LayerContext& context, bool keeps) {
  const Window window = read_window(context, context.arguments.kind(), true);
  TensorShape out = context.input.shape;
  out.depth = window_output(out.depth, window[0]);
  out.height = window_output(out.height, window[1]);
  out.width = window_output(out.width, window[2]);
  Operator op;
  op.name = context.name;
  op.kind = context.arguments.kind();
  op.family = OperatorFamily::pool;
  op.shape.r = window[0].kernel * window[1].kernel;
  op.shape.s = window[2].kernel;
  op.shape.stride_h = window[1].stride;
  op.shape.stride_w = window[2].stride;
  return context.network.add(std::move(op), context.input, out, {.input = keeps, .output = keeps});
}

void require_image(const LayerContext& context) {
  if (!context.input.shape.is_spatial()) {
    throw Error{"needs an image or a volume, not " + context.input.shape.text()};
  }
}

/// A convolution, or with "dense" the same product as the published code writes it: a dense layer on each
/// pixel of an image whose channels lie together, so no library of convolutions has a part in it.
Flow conv_or_dense(LayerContext& context, const ConvSpec& spec) {
  if (!context.arguments.flag_or("dense", false))
    return add_conv(context.network, context.name, "conv", context.input, spec);
  const TensorShape& in = context.input.shape;
  const bool one_pixel = std::ranges::all_of(
      spec.window, [](const WindowAxis& axis) { return axis.kernel == 1 && axis.stride == 1; });
  if (!one_pixel || spec.groups != 1 || in.kind != TensorShape::Kind::image)
    throw Error{"\"dense\" needs an image, \"kernel\": 1, no stride and no groups"};
  Flow pixels = context.input;
  pixels.shape = TensorShape::tokens(in.height * in.width, in.channels);
  pixels.shape.items = in.items;
  Flow out =
      add_linear(context.network, context.name, "linear", pixels, {.out = spec.out, .bias = spec.bias});
  out.shape = in.with_channels(spec.out);
  return out;
}

}  // namespace

Flow conv(LayerContext& context) {
  LayerArguments& arguments = context.arguments;
  ConvSpec spec;
  spec.out = arguments.count("conv");
  spec.window = read_window(context, "kernel", false);
  spec.groups = arguments.count_or("groups", 1, 1);
  spec.bias = arguments.flag_or("bias", true);
  return conv_or_dense(context, spec);
}

Flow widen(LayerContext& context) {
  LayerArguments& arguments = context.arguments;
  ConvSpec spec;
  spec.out = arguments.count("widen", 1, 64) * context.input.shape.channels;
  spec.window = read_window(context, "kernel", false);
  spec.bias = arguments.flag_or("bias", true);
  return conv_or_dense(context, spec);
}

Flow depthwise(LayerContext& context) {
  LayerArguments& arguments = context.arguments;
  ConvSpec spec;
  spec.window = read_window(context, "depthwise", false);
  spec.groups = context.input.shape.channels;
  const std::int64_t multiplier = arguments.count_or("multiplier", 1, 1, 1024);
  spec.out = spec.groups * multiplier;
  spec.bias = arguments.flag_or("bias", true);
  return add_conv(context.network, context.name, "depthwise", context.input, spec);
}

Flow transposed_conv(LayerContext& context) {
  LayerArguments& arguments = context.arguments;
  ConvSpec spec;
  spec.out = arguments.count("transposed_conv");
  spec.window = read_window(context, "kernel", false);
  spec.groups = arguments.count_or("groups", 1, 1);
  spec.bias = arguments.flag_or("bias", true);
  const std::int64_t output_pad = arguments.count_or("output_pad", 0, 0, 1000);
  return add_transposed_conv(context.network, context.name, context.input, spec, output_pad);
}

// cuDNN's max-pooling gradient reads input and output again; PyTorch keeps indices instead.
Flow max_pool(LayerContext& context) {
  return pool(context, true);
}
Flow avg_pool(LayerContext& context) {
  return pool(context, false);
}

Flow global_avg_pool(LayerContext& context) {
  context.arguments.no_value();
  require_image(context);
  TensorShape out = TensorShape::vector(context.input.shape.channels);
  out.items = context.input.shape.items;
  Operator op;
  op.name = context.name;
  op.kind = "global_avg_pool";
  op.family = OperatorFamily::pool;
  op.shape.r = context.input.shape.depth * context.input.shape.height;
  op.shape.s = context.input.shape.width;
  return context.network.add(std::move(op), context.input, out, {});
}

Flow upsample(LayerContext& context) {
  require_image(context);
  LayerArguments& arguments = context.arguments;
  TensorShape out = context.input.shape;
  const Json& value = arguments.require("upsample");
  if (value.kind() == JsonKind::string) {  // as large as a saved value
    const TensorShape& like = context.saved(value).shape;
    out.depth = like.depth;
    out.height = like.height;
    out.width = like.width;
  } else {
    const std::int64_t factor = arguments.count("upsample", 1, 64);
    if (out.kind == TensorShape::Kind::volume) out.depth *= factor;
    out.height *= factor;
    out.width *= factor;
  }
  Operator op;
  op.name = context.name;
  op.kind = "upsample";
  return context.network.add(std::move(op), context.input, out, {});
}

Flow crop(LayerContext& context) {
  require_image(context);
  const TensorShape& like = context.saved(context.arguments.require("crop")).shape;
  Flow out = context.input;
  if (like.depth > out.shape.depth || like.height > out.shape.height || like.width > out.shape.width) {
    throw Error{"cannot cut " + out.shape.text() + " to the size of " + like.text()};
  }
  out.shape.depth = like.depth;
  out.shape.height = like.height;
  out.shape.width = like.width;
  return out;
}

Flow roi_align(LayerContext& context) {
  require_image(context);
  LayerArguments& arguments = context.arguments;
  const std::int64_t side = arguments.count("roi_align", 1, 1000);
  TensorShape out = TensorShape::image(side, side, context.input.shape.channels);
  out.items = arguments.count("regions", 1, 1'000'000);
  Operator op;
  op.name = context.name;
  op.kind = "roi_align";
  op.family = OperatorFamily::pool;
  // Every output element samples 2 x 2 points; Mask R-CNN, arXiv 1703.06870, section 3.
  op.shape.r = 2;
  op.shape.s = 2;
  return context.network.add(std::move(op), context.input, out, {});
}

}  // namespace rackcast::layers
