#include "models/networks/layers/operators.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

std::array<std::int64_t, 3> extents(const TensorShape& shape) {
  return {shape.depth, shape.height, shape.width};
}

TensorShape with_extents(TensorShape shape, const std::array<std::int64_t, 3>& extent) {
  shape.depth = extent[0];
  shape.height = extent[1];
  shape.width = extent[2];
  return shape;
}

std::int64_t kernel_volume(const Window& window) {
  return window[0].kernel * window[1].kernel * window[2].kernel;
}

void require_channels(const std::string& kind, const TensorShape& in) {
  if (in.kind == TensorShape::Kind::vector) {
    throw Error{kind + " needs an image, a volume or a sequence, not a vector of " + in.text()};
  }
}

/// Fills the fields of an ordinary convolution from `in` to `out`, volumes and regions folded into the
/// height.
OperatorShape conv_shape(const TensorShape& in, const TensorShape& out, const ConvSpec& spec) {
  OperatorShape s;
  s.c = in.channels;
  s.n = out.channels;
  s.h = in.items * in.depth * in.height;
  s.w = in.width;
  s.oh = out.items * out.depth * out.height;
  s.ow = out.width;
  s.r = spec.window[0].kernel * spec.window[1].kernel;
  s.s = spec.window[2].kernel;
  s.stride_h = spec.window[1].stride;
  s.stride_w = spec.window[2].stride;
  s.groups = spec.groups;
  return s;
}

double conv_weights(std::int64_t in, std::int64_t out, const ConvSpec& spec) {
  const std::int64_t in_per_group = in / spec.groups;
  return static_cast<double>(in_per_group) * static_cast<double>(out) *
         static_cast<double>(kernel_volume(spec.window));
}

void require_groups(const std::string& kind, std::int64_t channels, std::int64_t out, std::int64_t groups) {
  if (channels % groups != 0) {
    throw Error{kind + " needs c=" + std::to_string(channels) +
                " divisible by groups=" + std::to_string(groups)};
  }
  if (out % groups != 0) {
    throw Error{kind + " needs its " + std::to_string(out) +
                " filters divisible by groups=" + std::to_string(groups)};
  }
}

}  // namespace

std::int64_t window_output(std::int64_t in, const WindowAxis& axis) {
  if (axis.same) return (in + axis.stride - 1) / axis.stride;
  const std::int64_t reach = axis.dilation * (axis.kernel - 1) + 1;
  const std::int64_t room = in + 2 * axis.pad - reach;
  if (room < 0) {
    throw Error{"a window of " + std::to_string(reach) + " does not fit into " + std::to_string(in) +
                " with pad " + std::to_string(axis.pad)};
  }
  std::int64_t out = (axis.ceil ? room + axis.stride - 1 : room) / axis.stride + 1;
  // Caffe and PyTorch: the last window of ceil mode must start inside the input or its left padding.
  if (axis.ceil && (out - 1) * axis.stride >= in + axis.pad) --out;
  return out;
}

Flow add_conv(NetworkBuilder& network, std::string name, std::string kind, const Flow& in,
              const ConvSpec& spec) {
  require_channels(kind, in.shape);
  require_groups(kind, in.shape.channels, spec.out, spec.groups);
  auto extent = extents(in.shape);
  for (std::size_t i = 0; i < extent.size(); ++i) extent[i] = window_output(extent[i], spec.window[i]);
  const TensorShape out = with_extents(in.shape, extent).with_channels(spec.out);

  Operator op;
  op.name = std::move(name);
  op.kind = std::move(kind);
  const bool depthwise = spec.groups > 1 && spec.groups == in.shape.channels;
  op.family = depthwise ? OperatorFamily::depthwise : OperatorFamily::conv;
  op.shape = conv_shape(in.shape, out, spec);
  const double weights = conv_weights(in.shape.channels, spec.out, spec);
  op.parameters = weights + (spec.bias ? static_cast<double>(spec.out) : 0.0);
  op.forward_flop = Flop{2 * weights * (out.elements() / static_cast<double>(out.channels))};
  return network.add(std::move(op), in, out, {.input = true});
}

Flow add_transposed_conv(NetworkBuilder& network, std::string name, const Flow& in, const ConvSpec& spec,
                         std::int64_t output_pad) {
  const std::string kind = "transposed_conv";
  require_channels(kind, in.shape);
  require_groups(kind, in.shape.channels, spec.out, spec.groups);
  auto extent = extents(in.shape);
  for (std::size_t i = 0; i < extent.size(); ++i) {
    const WindowAxis& axis = spec.window[i];
    const std::int64_t grown = axis.kernel > 1 || axis.stride > 1 ? output_pad : 0;
    extent[i] = axis.same ? extent[i] * axis.stride
                          : (extent[i] - 1) * axis.stride - 2 * axis.pad + axis.kernel + grown;
    if (extent[i] < 1) throw Error{"transposed_conv pads more than it produces"};
  }
  const TensorShape out = with_extents(in.shape, extent).with_channels(spec.out);
  if (out.elements() > NetworkBuilder::max_elements) throw Error{"transposed_conv produces too much"};

  Operator op;
  op.name = std::move(name);
  op.kind = kind;
  op.family = OperatorFamily::conv;
  op.shape = conv_shape(out, in.shape, spec);
  op.shape.transposed = true;
  const double weights = conv_weights(in.shape.channels, spec.out, spec);
  op.parameters = weights + (spec.bias ? static_cast<double>(spec.out) : 0.0);
  op.forward_flop = Flop{2 * weights * (in.shape.elements() / static_cast<double>(in.shape.channels))};
  return network.add(std::move(op), in, out, {.input = true});
}

}  // namespace rackcast
