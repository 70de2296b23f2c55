#include "calibrate/import/onnx/onnx_operators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace rackcast {
namespace {

using nlohmann::ordered_json;

/// A convolution of a pooled vector is a dense layer, if its window is one position wide.
bool is_dense(const OnnxPlace& at, const OnnxDims& kernel) {
  const auto is = [](std::int64_t n) {
    return [n](std::int64_t x) {
      return x == n;
    };
  };
  return at.layers.at_vector() && at.groups() == 1 && at.input(0).pad.empty() &&
         std::ranges::all_of(kernel, is(1)) && std::ranges::all_of(at.node.numbers("pads"), is(0));
}

OnnxValue write_map(const OnnxPlace& at, ordered_json layer, OnnxDims dims) {
  FlowSides sides = map_of(dims);
  return at.write(std::move(layer), std::move(sides), std::move(dims));
}

OnnxValue conv(const OnnxPlace& at) {
  const OnnxValue& value = at.enter_map();
  const OnnxDims weights = at.weights(1, value.dims.size());
  OnnxDims kernel{weights.begin() + 2, weights.end()};
  const std::int64_t filters = weights[0], groups = at.groups();
  const bool bias = at.has_bias(2);
  if (weights[1] * groups != value.dims[1])
    at.fail(fmt::format("weights of {} in {} groups do not fit {} channels", sides_text(weights), groups,
                        value.dims[1]));
  if (is_dense(at, kernel)) {
    OnnxDims dims{1, filters};
    dims.resize(value.dims.size(), 1);
    return onnx_layers::dense(at, 0, 1, filters, bias, std::move(dims));
  }
  if (at.layers.at_vector()) {
    if (value.dims.size() != 4) at.fail("a window over a vector has no layer");
    at.layers.write({{"reshape", {1, 1, value.dims[1]}}}, {1, 1, value.dims[1]});
  }
  const bool apart = groups > 1 && groups == value.dims[1] && filters % groups == 0;
  ordered_json layer = apart ? ordered_json{{"depthwise", 0}} : ordered_json{{"conv", filters}};
  OnnxDims out = take_window(at, std::move(kernel), layer);
  out[1] = filters;
  if (apart) {  // its main number is the kernel
    layer["depthwise"] = layer["kernel"];
    layer.erase("kernel");
    if (filters != groups) layer["multiplier"] = filters / groups;
  } else if (groups > 1) {
    layer["groups"] = groups;
  }
  if (!bias) layer["bias"] = false;
  return write_map(at, std::move(layer), std::move(out));
}

OnnxValue transposed_conv(const OnnxPlace& at) {
  const OnnxValue& value = at.enter_map();
  const OnnxDims weights = at.weights(1, value.dims.size());
  const std::int64_t groups = at.groups(), filters = weights[1] * groups;
  const std::size_t axes = value.dims.size() - 2;
  const bool bias = at.has_bias(2);
  if (at.layers.at_vector()) at.fail("a window over a vector has no layer");
  if (std::ranges::any_of(at.node.numbers("dilations"), [](std::int64_t n) { return n != 1; }))
    at.fail("a window with gaps has no layer");
  const OnnxDims stride = at.per_side("strides", axes, 1), pad = at.per_side("pads", 2 * axes, 0),
                 more = at.per_side("output_padding", axes, 0);
  if (!at.node.numbers("output_shape").empty() || at.node.word("auto_pad").starts_with("SAME"))
    at.fail("states its output", "export it with zeros (pads) instead");
  OnnxDims out{1, filters}, before;
  for (std::size_t i = 0; i < axes; ++i) {
    out.push_back(stride[i] * (value.dims[i + 2] - 1) + weights[i + 2] + more[i] - pad[i] - pad[i + axes]);
    if (pad[i] != pad[i + axes] || more[i] != more.front()) at.fail("its sides have other zeros");
    if (out.back() < 1) at.fail("its numbers describe no map");
    before.push_back(pad[i]);
  }
  ordered_json layer{{"transposed_conv", filters},
                     {"kernel", per_axis({weights.begin() + 2, weights.end()})}};
  if (!at.node.numbers("strides").empty()) layer["stride"] = per_axis(stride);
  if (!at.node.numbers("pads").empty()) layer["pad"] = per_axis(before);
  if (more.front() != 0) layer["output_pad"] = more.front();
  if (groups > 1) layer["groups"] = groups;
  if (!bias) layer["bias"] = false;
  return write_map(at, std::move(layer), std::move(out));
}

/// Of the mean or the largest: both read the map once.
OnnxValue global_pool(const OnnxPlace& at) {
  const OnnxValue& value = at.enter_map();
  if (at.layers.at_vector()) return value;  // one position
  OnnxDims dims{1, value.dims[1]};
  dims.resize(value.dims.size(), 1);
  return at.write("global_avg_pool", {value.dims[1]}, std::move(dims));
}

/// A window that sees the whole map at its one place.
bool covers_map(const OnnxPlace& at) {
  const OnnxDims& map = at.input(0).dims;
  const std::size_t axes = map.size() - 2;
  if (at.node.numbers("kernel_shape").empty() || at.node.number("ceil_mode", 0) != 0 ||
      !at.input(0).pad.empty() || at.node.word("auto_pad").starts_with("SAME"))
    return false;
  const OnnxDims kernel = at.per_side("kernel_shape", axes, 1), pad = at.per_side("pads", 2 * axes, 0);
  for (std::size_t i = 0; i < axes; ++i)
    if (kernel[i] != map[i + 2] + pad[i] + pad[i + axes]) return false;
  return true;
}

OnnxValue pool(const OnnxPlace& at) {
  at.enter_map();
  if (covers_map(at)) return global_pool(at);
  if (at.layers.at_vector()) at.fail("a window over a vector has no layer");
  ordered_json window = ordered_json::object();
  OnnxDims out = take_window(at, {}, window);
  ordered_json layer{{at.node.kind == "MaxPool" ? "max_pool" : "avg_pool", window["kernel"]}};
  // Windows lie side by side unless the layer says otherwise; ONNX moves them by one.
  layer["stride"] = window.contains("stride") ? window["stride"] : ordered_json(1);
  window.erase("kernel");
  window.erase("stride");
  layer.update(window);
  return write_map(at, std::move(layer), std::move(out));
}

/// A mean, sum or largest over some sides, which reads everything once.
OnnxValue reduce(const OnnxPlace& at) {
  const OnnxValue& value = at.flowing(0);
  const OnnxDims axes = at.numbers("axes", 1);
  const auto dims = reduced(value.dims, axes, at.node.number("keepdims", 1) != 0);
  if (!dims) at.fail("its axes are not sides of its input");
  std::set<std::size_t> over;
  for (const std::int64_t axis : axes) over.insert(*side_of(axis, value.dims.size()));
  const bool map = value.dims.size() > 3 && value.dims.size() < 6 && value.dims.front() == 1 &&
                   over.size() == value.dims.size() - 2 && !over.contains(0) && !over.contains(1);
  if (map) {
    OnnxValue out = global_pool(at);
    out.dims = *dims;
    return out;
  }
  const double all = elements_of(value.dims), left = elements_of(*dims);
  if (left < 1 || left > 1e9 || all / left > 1e9)
    at.fail("a mean over " + sides_text(value.dims) + " has no layer");
  if (all == left) {
    OnnxValue out = value;
    out.dims = *dims;
    return out;
  }
  const auto rows = static_cast<std::int64_t>(all / left), width = static_cast<std::int64_t>(left);
  if (!at.layers.go_to(value.flow, {rows, 1, width})) at.fail("its input is a value that is repeated");
  return at.write("global_avg_pool", {width}, *dims);
}

/// Layers that leave the shape as it is.
OnnxValue in_place(const OnnxPlace& at, const char* layer) {
  const OnnxValue& value = at.enter(0);
  return at.write(layer, at.layers.sides(at.layers.current()), value.dims);
}

/// Layers with the traffic of the operator, which is what they cost: Elu counts as a leaky relu, Softplus as
/// a sigmoid.
const char* activation(std::string_view kind) {
  static const std::map<std::string_view, const char*> layers{{"Relu", "relu"},
                                                              {"Clip", "relu6"},
                                                              {"LeakyRelu", "leaky_relu"},
                                                              {"PRelu", "leaky_relu"},
                                                              {"Elu", "leaky_relu"},
                                                              {"Selu", "leaky_relu"},
                                                              {"Celu", "leaky_relu"},
                                                              {"Sigmoid", "sigmoid"},
                                                              {"HardSigmoid", "sigmoid"},
                                                              {"Softplus", "sigmoid"},
                                                              {"Tanh", "tanh"},
                                                              {"HardSwish", "hard_swish"},
                                                              {"Gelu", "gelu"},
                                                              {"Softmax", "softmax"},
                                                              {"LogSoftmax", "softmax"},
                                                              {"Dropout", "dropout"},
                                                              {"LRN", "lrn"},
                                                              {"BatchNormalization", "batch_norm"},
                                                              {"QuickGelu", "swish"},
                                                              {"com.microsoft.QuickGelu", "swish"},
                                                              {"com.microsoft.Gelu", "gelu"},
                                                              {"com.microsoft.FastGelu", "gelu"},
                                                              {"com.microsoft.BiasGelu", "gelu"},
                                                              {"rackcast.Gelu", "gelu"},
                                                              {"rackcast.Swish", "swish"},
                                                              {"Mish", "swish"},
                                                              {"Erf", "tanh"},
                                                              {"Exp", "sigmoid"},
                                                              {"Log", "sigmoid"},
                                                              {"Sqrt", "sigmoid"},
                                                              {"Reciprocal", "sigmoid"},
                                                              {"Sin", "sigmoid"},
                                                              {"Cos", "sigmoid"},
                                                              {"Pow", "swish"},
                                                              {"Neg", "relu"},
                                                              {"Abs", "relu"},
                                                              {"GroupNormalization", "group_norm"}};
  const auto at = layers.find(kind);
  return at == layers.end() ? nullptr : at->second;
}

OnnxValue named_layer(const OnnxPlace& at) {
  if (at.node.kind == "PRelu") at.warnings.emplace_back("slopes of PRelu are left out");
  return in_place(at, activation(at.node.kind));
}

OnnxValue resize(const OnnxPlace& at) {
  const OnnxValue& value = at.enter_map();
  if (at.layers.at_vector()) at.fail("a vector does not grow");
  std::set<std::int64_t> factors;
  for (std::size_t i = 1; i < at.inputs.size(); ++i) {
    if (!at.has(i) || !at.input(i).numbers || at.input(i).numbers->size() != value.dims.size()) continue;
    const bool sizes = i == 3;  // Resize: region, scales, sizes; Upsample: scales
    for (std::size_t side = 1; side < value.dims.size(); ++side) {
      const double said = (*at.input(i).numbers)[side];
      const double factor = sizes ? said / static_cast<double>(value.dims[side]) : said;
      const bool fits = factor == std::floor(factor) && factor >= 1 && factor <= (side == 1 ? 1 : 64);
      if (!fits || side > 1) factors.insert(fits ? static_cast<std::int64_t>(factor) : 0);
    }
  }
  if (factors.size() != 1 || factors.contains(0))
    at.fail("a map grows by one whole factor on all sides, from 1 to 64", "other sizes have no layer");
  OnnxDims out = value.dims;
  for (std::size_t side = 2; side < out.size(); ++side) out[side] *= *factors.begin();
  return write_map(at, {{"upsample", *factors.begin()}}, std::move(out));
}

/// Noted on the value: the window behind it has the zeros.
OnnxValue pad(const OnnxPlace& at) {
  OnnxValue out = at.input(0);
  const OnnxDims pads = at.numbers("pads", 1);
  if (!pads.empty() && std::ranges::all_of(pads, [](std::int64_t n) { return n == 0; })) return out;
  const std::size_t sides = out.dims.size();
  bool fits = !out.constant && out.pad.empty() && sides > 2 && pads.size() == 2 * sides;
  for (std::size_t i = 0; fits && i < pads.size(); ++i)
    fits = pads[i] >= 0 && pads[i] <= (i % sides < 2 ? 0 : 1'000'000);
  if (!fits) at.fail("only the sides of a map get zeros around them");
  for (const std::size_t half : {std::size_t{0}, sides})
    out.pad.insert(out.pad.end(), pads.begin() + static_cast<std::ptrdiff_t>(half + 2),
                   pads.begin() + static_cast<std::ptrdiff_t>(half + sides));
  return out;
}

}  // namespace

OnnxMaker onnx_maker(std::string_view kind) {
  using namespace onnx_layers;
  static const std::map<std::string_view, OnnxMaker> makers{
      {"Conv", conv},
      {"ConvTranspose", transposed_conv},
      {"MaxPool", pool},
      {"AveragePool", pool},
      {"GlobalAveragePool", global_pool},
      {"GlobalMaxPool", global_pool},
      {"ReduceMean", reduce},
      {"ReduceSum", reduce},
      {"ReduceMax", reduce},
      {"Gemm", gemm},
      {"MatMul", matmul},
      {"Add", join},
      {"Sum", join},
      {"Sub", join},
      {"Mul", join},
      {"Div", join},
      {"Max", join},
      {"Min", join},
      {"Where", where},
      {"Concat", concat},
      {"Resize", resize},
      {"Upsample", resize},
      {"Pad", pad},
      {"Gather", gather},
      {"InstanceNormalization", instance_norm},
      {"LayerNormalization", layer_norm},
      {"RMSNormalization", layer_norm},
      {"SimplifiedLayerNormalization", layer_norm},
      {"com.microsoft.SimplifiedLayerNormalization", layer_norm},
      {"rackcast.LayerNorm", layer_norm},
      {"rackcast.RMSNorm", layer_norm},
      {"rackcast.DotAttention", dot_attention},
      {"com.microsoft.Attention", fused_attention},
      {"com.microsoft.MultiHeadAttention", multi_head_attention},
      {"com.microsoft.GroupQueryAttention", multi_head_attention},
      {"com.microsoft.SkipLayerNormalization", skip_norm},
      {"com.microsoft.SkipSimplifiedLayerNormalization", skip_norm}};
  if (const auto at = makers.find(kind); at != makers.end()) return at->second;
  return activation(kind) ? named_layer : nullptr;
}

}  // namespace rackcast
