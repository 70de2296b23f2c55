#include "calibrate/import/torch_fx/fx_operators.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "calibrate/import/onnx/onnx_value.hpp"
#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

using FxMaker = void (*)(FxGraph&, const FxNode&);

void add_linear(FxGraph& graph, const FxNode& node) {
  const std::string weights = node.needed(1, "weight"), bias = node.value(2, "bias");
  OnnxDims turned = graph.dims(node, weights);
  if (turned.size() != 2) node.json.fail("its weights are " + sides_text(turned));
  std::swap(turned[0], turned[1]);
  const std::string matrix = graph.step(node, "Transpose", {weights}, turned, {{"perm", {1, 0}}});
  if (bias.empty()) return graph.add(node, "MatMul", {node.needed(0, "input"), matrix});
  const std::string product =
      graph.step(node, "MatMul", {node.needed(0, "input"), matrix}, node.output().dims);
  graph.add(node, "Add", {product, bias});
}

void add_product(FxGraph& graph, const FxNode& node) {
  graph.add(node, "MatMul", {node.needed(0, "input"), node.needed(1, "other")});
}

/// bias + a b.
void add_product_and_sum(FxGraph& graph, const FxNode& node) {
  const std::string product =
      graph.step(node, "MatMul", {node.needed(1), node.needed(2)}, node.output().dims);
  graph.add(node, "Add", {product, node.needed(0)});
}

void add_layer_norm(FxGraph& graph, const FxNode& node) {
  const std::string value = node.needed(0, "input");
  const auto sides = static_cast<std::int64_t>(graph.dims(node, value).size()),
             over = static_cast<std::int64_t>(node.numbers(1, "normalized_shape").size());
  const bool rms = node.operation() == "rms_norm";
  std::vector<std::string> inputs = fx_with_bias({value}, node.value(2, "weight"));
  if (inputs.size() == 2 && !rms) inputs = fx_with_bias(std::move(inputs), node.value(3, "bias"));
  graph.add(node, rms ? "RMSNormalization" : "LayerNormalization", std::move(inputs), {},
            {{"axis", over < 1 || over > sides ? -1 : sides - over}});
}

/// Norms of maps and activations, which read more than their layers say.
void add_in_place(FxGraph& graph, const FxNode& node, const char* kind) {
  graph.add(node, kind, {node.needed(0, "input")});
}

void add_power(FxGraph& graph, const FxNode& node) {
  graph.add(node, "Pow", {node.needed(0, "input"), graph.scalar()});
}

void add_inverse_root(FxGraph& graph, const FxNode& node) {
  const std::string root = graph.step(node, "Sqrt", {node.needed(0, "input")}, node.output().dims);
  graph.add(node, "Reciprocal", {root});
}

void add_attention(FxGraph& graph, const FxNode& node) {
  const bool efficient = node.operation().find("efficient") != std::string_view::npos;
  const bool plain = node.operation() == "scaled_dot_product_attention";
  const std::size_t causal = efficient || plain ? 5 : 4;
  std::vector<std::string> inputs{node.needed(0, "query"), node.needed(1, "key"), node.needed(2, "value")};
  if (plain || efficient)
    inputs = fx_with_bias(std::move(inputs), node.value(3, plain ? "attn_mask" : "attn_bias"));
  const Json* dropout = node.find(plain || efficient ? (plain ? 4 : 5) : 3, "dropout_p");
  const bool drops = dropout && dropout->kind() == JsonKind::number && dropout->number() > 0;
  graph.add(node, "rackcast.DotAttention", std::move(inputs), {},
            {{"causal", node.flag(efficient ? 6 : causal, "is_causal", false) ? 1 : 0},
             {"dropout", drops ? 1 : 0},
             {"grouped", plain && node.flag(7, "enable_gqa", false) ? 1 : 0}});
}

void add_embedding(FxGraph& graph, const FxNode& node) {
  graph.add(node, "Gather", {node.needed(0, "weight"), node.needed(1, "indices")}, {}, {{"axis", 0}});
}

/// Of two values, or of one and a number.
void add_pair(FxGraph& graph, const FxNode& node, const char* kind) {
  const std::string a = node.needed(0, "input"), b = node.value(1, "other");
  graph.add(node, kind, {a, b.empty() ? graph.scalar() : b});
}

void add_mask(FxGraph& graph, const FxNode& node) {
  if (node.operation() == "masked_fill")
    return graph.add(node, "Where", {node.needed(1, "mask"), node.needed(0, "input")});
  graph.add(node, "Where", {node.needed(0, "condition"), node.needed(1, "input"), node.needed(2, "other")});
}

void add_reduction(FxGraph& graph, const FxNode& node) {
  const OnnxDims axes = node.numbers(1, "dim");
  graph.add(node, "ReduceMean", {node.needed(0, "input")}, {{"axes", axes}},
            {{"keepdims", node.flag(2, "keepdim", false) ? 1 : 0}});
}

void add_concat(FxGraph& graph, const FxNode& node) {
  const bool stack = node.operation() == "stack";
  const Json& tensors = node.require(0, "tensors");
  const std::int64_t axis = node.number(1, "dim", 0);
  std::vector<std::string> inputs;
  for (const Json& one : tensors.array()) {
    std::string name = fx_value_of(one);
    if (name.empty()) one.fail("expected the value of another node: {\"node\": NAME}");
    if (stack) {
      const auto dims = unsqueezed(graph.dims(node, name), {axis});
      if (!dims) node.json.fail("its axis is not a side of its result");
      name = graph.step(node, "rackcast.View", {name}, *dims, {{"dims", *dims}});
    }
    inputs.push_back(std::move(name));
  }
  graph.add(node, "Concat", std::move(inputs), {}, {{"axis", axis}});
}

/// The sides stand in the file: whatever moves elements is the same here.
void add_view(FxGraph& graph, const FxNode& node) {
  const std::string value = node.needed(0, "input");
  static constexpr std::string_view copies[] = {"contiguous", "clone",  "to",      "_to_copy",
                                                "alias",      "detach", "type_as", "lift_fresh_copy"};
  if (std::ranges::count(copies, node.operation()) > 0) return graph.add(node, "Identity", {value});
  graph.add(node, "rackcast.View", {value}, {{"dims", node.output().dims}});
}

void add_resize(FxGraph& graph, const FxNode& node) {
  graph.add(node, "Resize", {node.needed(0, "input"), "", "", graph.list(node.output().dims)});
}

/// PyTorch counts zeros from the last side, in front and behind.
void add_zeros(FxGraph& graph, const FxNode& node) {
  const OnnxDims said = node.numbers(1, "pad");
  const std::size_t sides = graph.dims(node, node.needed(0, "input")).size();
  if (said.size() % 2 != 0 || said.size() > 2 * sides) node.json.fail("its zeros are not two for each side");
  OnnxDims pads(2 * sides, 0);
  for (std::size_t i = 0; i < said.size() / 2; ++i) {
    pads[sides - 1 - i] = said[2 * i];
    pads[2 * sides - 1 - i] = said[2 * i + 1];
  }
  graph.add(node, "Pad", {node.needed(0, "input")}, {{"pads", pads}});
}

/// Numbers that follow from nothing: ranges, zeros, masks.
void add_constant(FxGraph& graph, const FxNode& node) {
  graph.add(node, "rackcast.Constant", {}, {{"dims", node.output().dims}},
            {{"whole", node.output().whole ? 1 : 0}});
}

/// Element by element on masks and positions; values of the network have no such layer.
void add_aside(FxGraph& graph, const FxNode& node) {
  std::vector<std::string> inputs;
  for (std::size_t i = 0; i < 3; ++i)
    if (std::string value = node.value(i); !value.empty()) inputs.push_back(std::move(value));
  if (inputs.empty()) node.json.fail("reads no value");
  graph.add(node, "rackcast.Aside", std::move(inputs), {{"dims", node.output().dims}},
            {{"whole", node.output().whole ? 1 : 0}});
}

struct InPlace {
  std::string_view aten;
  const char* onnx;
};
constexpr InPlace in_place[] = {{"relu", "Relu"},
                                {"relu6", "Clip"},
                                {"hardtanh", "Clip"},
                                {"clamp", "Clip"},
                                {"clamp_min", "Relu"},
                                {"leaky_relu", "LeakyRelu"},
                                {"prelu", "LeakyRelu"},
                                {"elu", "Elu"},
                                {"selu", "Selu"},
                                {"celu", "Celu"},
                                {"gelu", "Gelu"},
                                {"silu", "rackcast.Swish"},
                                {"mish", "Mish"},
                                {"sigmoid", "Sigmoid"},
                                {"hardsigmoid", "HardSigmoid"},
                                {"hardswish", "HardSwish"},
                                {"softplus", "Softplus"},
                                {"tanh", "Tanh"},
                                {"erf", "Erf"},
                                {"exp", "Exp"},
                                {"log", "Log"},
                                {"sqrt", "Sqrt"},
                                {"reciprocal", "Reciprocal"},
                                {"sin", "Sin"},
                                {"cos", "Cos"},
                                {"neg", "Neg"},
                                {"abs", "Abs"},
                                {"softmax", "Softmax"},
                                {"_softmax", "Softmax"},
                                {"_safe_softmax", "Softmax"},
                                {"log_softmax", "LogSoftmax"},
                                {"_log_softmax", "LogSoftmax"},
                                {"batch_norm", "BatchNormalization"},
                                {"native_batch_norm", "BatchNormalization"},
                                {"_native_batch_norm_legit", "BatchNormalization"},
                                {"_native_batch_norm_legit_no_training", "BatchNormalization"},
                                {"cudnn_batch_norm", "BatchNormalization"},
                                {"group_norm", "GroupNormalization"},
                                {"native_group_norm", "GroupNormalization"}};

struct Pair {
  std::string_view aten;
  const char* onnx;
};
constexpr Pair pairs[] = {{"add", "Add"}, {"sub", "Sub"},     {"rsub", "Sub"},   {"mul", "Mul"},
                          {"div", "Div"}, {"maximum", "Max"}, {"minimum", "Min"}};

constexpr std::string_view views[] = {"view",
                                      "reshape",
                                      "_unsafe_view",
                                      "flatten",
                                      "permute",
                                      "transpose",
                                      "t",
                                      "squeeze",
                                      "unsqueeze",
                                      "expand",
                                      "slice",
                                      "select",
                                      "contiguous",
                                      "clone",
                                      "to",
                                      "_to_copy",
                                      "alias",
                                      "detach",
                                      "repeat",
                                      "narrow",
                                      "unflatten",
                                      "movedim",
                                      "expand_as",
                                      "view_as",
                                      "type_as",
                                      "roll",
                                      "pixel_shuffle",
                                      "pixel_unshuffle",
                                      "index",
                                      "index_select",
                                      "lift_fresh_copy",
                                      "numpy_T",
                                      "swapaxes",
                                      "repeat_interleave",
                                      "flip"};
constexpr std::string_view creations[] = {
    "arange",    "full",          "zeros",     "ones",     "empty",    "full_like", "zeros_like",
    "ones_like", "scalar_tensor", "new_zeros", "new_ones", "new_full", "eye",       "linspace"};
constexpr std::string_view asides[] = {
    "eq",           "ne",         "lt",          "le",          "gt",         "ge",
    "logical_and",  "logical_or", "logical_not", "bitwise_and", "bitwise_or", "bitwise_not",
    "tril",         "triu",       "cumsum",      "argmax",      "any",        "all",
    "floor_divide", "remainder",  "isinf",       "isnan",       "__and__",    "__or__"};

FxMaker own_maker(std::string_view operation) {
  static const std::map<std::string_view, FxMaker> makers{
      {"conv1d", add_fx_convolution},
      {"conv2d", add_fx_convolution},
      {"conv3d", add_fx_convolution},
      {"convolution", add_fx_convolution},
      {"conv_transpose1d", add_fx_convolution},
      {"conv_transpose2d", add_fx_convolution},
      {"conv_transpose3d", add_fx_convolution},
      {"max_pool1d", add_fx_pool},
      {"max_pool2d", add_fx_pool},
      {"max_pool3d", add_fx_pool},
      {"max_pool2d_with_indices", add_fx_pool},
      {"avg_pool1d", add_fx_pool},
      {"avg_pool2d", add_fx_pool},
      {"avg_pool3d", add_fx_pool},
      {"adaptive_avg_pool2d", add_fx_adaptive_pool},
      {"_adaptive_avg_pool2d", add_fx_adaptive_pool},
      {"adaptive_avg_pool3d", add_fx_adaptive_pool},
      {"adaptive_max_pool2d", add_fx_adaptive_pool},
      {"linear", add_linear},
      {"matmul", add_product},
      {"mm", add_product},
      {"bmm", add_product},
      {"addmm", add_product_and_sum},
      {"baddbmm", add_product_and_sum},
      {"layer_norm", add_layer_norm},
      {"native_layer_norm", add_layer_norm},
      {"rms_norm", add_layer_norm},
      {"scaled_dot_product_attention", add_attention},
      {"_scaled_dot_product_flash_attention", add_attention},
      {"_scaled_dot_product_flash_attention_for_cpu", add_attention},
      {"_scaled_dot_product_efficient_attention", add_attention},
      {"embedding", add_embedding},
      {"pow", add_power},
      {"rsqrt", add_inverse_root},
      {"where", add_mask},
      {"masked_fill", add_mask},
      {"mean", add_reduction},
      {"sum", add_reduction},
      {"amax", add_reduction},
      {"cat", add_concat},
      {"concat", add_concat},
      {"stack", add_concat},
      {"upsample_nearest2d", add_resize},
      {"upsample_bilinear2d", add_resize},
      {"constant_pad_nd", add_zeros},
      {"pad", add_zeros}};
  const auto at = makers.find(operation);
  return at == makers.end() ? nullptr : at->second;
}

/// Results with several tensors, each a part of the input.
bool cuts(std::string_view operation) {
  return operation == "split" || operation == "split_with_sizes" || operation == "chunk" ||
         operation == "unbind" || operation == "tensor_split";
}

/// One of several results.
bool add_item(FxGraph& graph, const FxNode& node) {
  const std::string from = node.needed(0);
  const FxNode* writer = graph.writer(from);
  if (!writer) node.json.fail(fmt::format("reads {} before it is written", in_quotes(from)));
  if (cuts(writer->operation())) {
    graph.add(node, "rackcast.View", {writer->needed(0, "input")}, {{"dims", node.output().dims}});
  } else if (node.number(1, "index", 0) == 0) {
    graph.add(node, "Identity", {from});
  }
  return true;  // the others are kept for the backward pass
}

}  // namespace

bool add_fx_operator(FxGraph& graph, const FxNode& node) {
  if (node.is_getitem()) return add_item(graph, node);
  const std::string_view operation = node.operation();
  if (cuts(operation) || operation.starts_with("_assert") || operation.starts_with("sym_constrain"))
    return true;
  if (operation == "dropout" || operation == "feature_dropout" || operation == "native_dropout") {
    const bool trains = operation == "native_dropout" || node.flag(2, "train", false);
    graph.add(node, trains ? "Dropout" : "Identity", {node.needed(0, "input")});
    return true;
  }
  if (const FxMaker make = own_maker(operation)) {
    make(graph, node);
    return true;
  }
  for (const InPlace& one : in_place)
    if (one.aten == operation) {
      add_in_place(graph, node, one.onnx);
      return true;
    }
  for (const Pair& one : pairs)
    if (one.aten == operation) {
      add_pair(graph, node, one.onnx);
      return true;
    }
  const auto among = [operation](const auto& names) {
    return std::ranges::count(names, operation) > 0;
  };
  if (among(views))
    add_view(graph, node);
  else if (among(creations))
    add_constant(graph, node);
  else if (among(asides))
    add_aside(graph, node);
  else
    return false;
  return true;
}

}  // namespace rackcast
