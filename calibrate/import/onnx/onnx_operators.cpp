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

OnnxValue linear(const OnnxPlace& at, std::int64_t outputs, bool bias, std::size_t sides) {
  ordered_json layer{{"linear", outputs}};
  if (!bias) layer["bias"] = false;
  OnnxDims dims{1, outputs};
  dims.resize(sides, 1);
  return at.layers.write(std::move(layer), std::move(dims), true);
}

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

OnnxValue conv(const OnnxPlace& at) {
  const OnnxValue& value = at.enter_map();
  const OnnxDims weights = at.weights(1, value.dims.size());
  OnnxDims kernel{weights.begin() + 2, weights.end()};
  const std::int64_t filters = weights[0], groups = at.groups();
  const bool bias = at.has_bias(2);
  if (weights[1] * groups != value.dims[1])
    at.fail(fmt::format("weights of {} in {} groups do not fit {} channels", sides_text(weights), groups,
                        value.dims[1]));
  if (is_dense(at, kernel)) return linear(at, filters, bias, value.dims.size());
  if (at.layers.at_vector()) {
    if (value.dims.size() != 4) at.fail("a window over a vector has no layer");
    at.layers.write({{"reshape", {1, 1, value.dims[1]}}}, value.dims, false);
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
  return at.layers.write(std::move(layer), std::move(out), false);
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
  return at.layers.write(std::move(layer), std::move(out), false);
}

/// Of the mean or the largest: both read the map once.
OnnxValue global_pool(const OnnxPlace& at) {
  const OnnxValue& value = at.enter_map();
  if (at.layers.at_vector()) return value;  // one position
  OnnxDims dims{1, value.dims[1]};
  dims.resize(value.dims.size(), 1);
  return at.layers.write("global_avg_pool", std::move(dims), true);
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
  return at.layers.write(std::move(layer), std::move(out), false);
}

OnnxValue mean(const OnnxPlace& at) {
  const OnnxValue& value = at.input(0);
  std::set<std::size_t> over;
  for (const std::int64_t axis : at.numbers("axes", 1)) {
    const auto side = side_of(axis, value.dims.size());
    if (!side) at.fail("its axes are not sides of its input");
    over.insert(*side);
  }
  if (value.dims.size() < 4 || over.size() != value.dims.size() - 2 || over.contains(0) || over.contains(1))
    at.fail("a mean over other sides than those of a map has no layer");
  OnnxValue out = global_pool(at);
  if (at.node.number("keepdims", 1) == 0) out.dims.resize(2);
  return out;
}

OnnxValue gemm(const OnnxPlace& at) {
  const OnnxValue& value = at.enter();
  const OnnxDims weights = at.weights(1, 2);
  const bool turned = at.node.number("transB", 0) != 0;
  const std::int64_t inputs = turned ? weights[1] : weights[0], outputs = turned ? weights[0] : weights[1];
  if (at.node.number("transA", 0) != 0 || !at.layers.at_vector() ||
      elements_of(value.dims) != static_cast<double>(inputs))
    at.fail(fmt::format("weights of {} do not fit {}", sides_text(weights), sides_text(value.dims)));
  return linear(at, outputs, at.has_bias(2), 2);
}

OnnxValue matmul(const OnnxPlace& at) {
  if (!at.input(0).constant && at.has(1) && !at.input(1).constant)
    at.fail("a matrix product of two values has no layer",
            "give a transformer by its config.json (rackcast import hf-config), or write its numbers down");
  return gemm(at);
}

/// Layers that leave the shape as it is.
OnnxValue in_place(const OnnxPlace& at, const char* layer) {
  const OnnxValue& value = at.enter();
  return at.layers.write(layer, value.dims, at.layers.at_vector());
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
                                                              {"InstanceNormalization", "instance_norm"},
                                                              {"GroupNormalization", "group_norm"}};
  const auto at = layers.find(kind);
  return at == layers.end() ? nullptr : at->second;
}

OnnxValue named_layer(const OnnxPlace& at) {
  if (at.node.kind == "PRelu") at.warnings.emplace_back("slopes of PRelu are left out");
  return in_place(at, activation(at.node.kind));
}

/// With a constant: a bias of the layer before, or a scale that a compiler folds into it.
OnnxValue with_constant(const OnnxPlace& at, const OnnxValue& value) {
  ordered_json* before = at.layers.last_layer(value);
  bool bias = at.node.kind == "Add" && value.dims.size() > 1 && before && before->is_object() &&
              before->contains("bias");
  for (const OnnxValue* other : at.inputs)
    if (other && other->constant)
      bias = bias && elements_of(other->dims) == static_cast<double>(value.dims[1]);
  if (bias)
    before->erase("bias");
  else
    at.warnings.emplace_back("sums and products with constants are left out");
  return value;
}

/// The largest first: a product may scale the channels of a map by a vector.
std::vector<const OnnxValue*> joined(const OnnxPlace& at, bool product) {
  std::vector<const OnnxValue*> out;
  for (const OnnxValue* value : at.inputs)
    if (value && !value->constant) out.push_back(value);
  if (out.empty()) at.fail("reads no value of the network");
  std::ranges::stable_sort(out, [](const OnnxValue* a, const OnnxValue* b) {
    return elements_of(a->dims) > elements_of(b->dims);
  });
  const OnnxDims& largest = out.front()->dims;
  for (const OnnxValue* value : out) {
    const bool scales = product && value->dims.size() > 1 && largest.size() > 1 &&
                        at.layers.is_vector(*value) && value->dims[1] == largest[1];
    if (value->dims.size() < 2 || (value->dims != largest && !scales))
      at.fail(fmt::format("its inputs are {} and {}", sides_text(largest), sides_text(value->dims)));
  }
  return out;
}

OnnxValue join(const OnnxPlace& at) {
  const bool product = at.node.kind == "Mul" || at.node.kind == "Div";
  const std::vector<const OnnxValue*> values = joined(at, product);
  const bool constants = std::ranges::any_of(at.inputs, [](const OnnxValue* v) { return v && v->constant; });
  if (values.size() == 1) return constants ? with_constant(at, *values.front()) : *values.front();
  if (constants) at.warnings.emplace_back("sums and products with constants are left out");
  ordered_json lists;
  if (!at.layers.branches(values, lists)) at.fail("the shape of an input is not that of any layer before");
  const OnnxValue& largest = *values.front();
  const bool vector = at.layers.is_vector(largest) || largest.dims.size() == 2;
  return at.layers.write({{product ? "multiply" : "add", lists}}, largest.dims, vector);
}

OnnxValue concat(const OnnxPlace& at) {
  std::vector<const OnnxValue*> values;
  std::int64_t channels = 0;
  bool vector = true;
  for (std::size_t i = 0; i < at.inputs.size(); ++i) {
    const OnnxValue& value = at.input(i);
    if (value.constant) at.fail("reads a constant where a value of the network belongs");
    if (value.dims.size() < 2) at.fail("reads a value without channels");
    values.push_back(&value);
    vector = vector && (at.layers.is_vector(value) || value.dims.size() == 2);
    channels += value.dims[1];
  }
  if (values.empty()) at.fail("reads no value of the network");
  if (const auto side = side_of(at.node.number("axis", 1), values.front()->dims.size()); !side || *side != 1)
    at.fail("only channels are stacked");
  ordered_json lists;
  if (!at.layers.branches(values, lists)) at.fail("the shape of an input is not that of any layer before");
  OnnxDims dims = values.front()->dims;
  dims[1] = channels;
  return at.layers.write({{"concat", lists}}, std::move(dims), vector);
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
  return at.layers.write({{"upsample", *factors.begin()}}, std::move(out), false);
}

/// Noted on the value: the window behind it has the zeros.
OnnxValue pad(const OnnxPlace& at) {
  OnnxValue out = at.input(0);
  const OnnxDims pads = at.numbers("pads", 1);
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
  static const std::map<std::string_view, OnnxMaker> makers{{"Conv", conv},
                                                            {"ConvTranspose", transposed_conv},
                                                            {"MaxPool", pool},
                                                            {"AveragePool", pool},
                                                            {"GlobalAveragePool", global_pool},
                                                            {"GlobalMaxPool", global_pool},
                                                            {"ReduceMean", mean},
                                                            {"Gemm", gemm},
                                                            {"MatMul", matmul},
                                                            {"Add", join},
                                                            {"Sum", join},
                                                            {"Sub", join},
                                                            {"Mul", join},
                                                            {"Div", join},
                                                            {"Concat", concat},
                                                            {"Resize", resize},
                                                            {"Upsample", resize},
                                                            {"Pad", pad},
                                                            {"Reshape", another_shape},
                                                            {"Flatten", another_shape},
                                                            {"Transpose", another_shape},
                                                            {"Squeeze", another_shape},
                                                            {"Unsqueeze", another_shape},
                                                            {"Identity", another_shape},
                                                            {"Cast", another_shape}};
  if (const auto at = makers.find(kind); at != makers.end()) return at->second;
  return activation(kind) ? named_layer : nullptr;
}

}  // namespace rackcast
