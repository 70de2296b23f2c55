// Transformers of vision from ONNX files, node by node as torch.onnx.export writes those of torchvision;
// weights have sides and no numbers. Counts of parameters are those of torchvision's documentation.
#include <doctest/doctest.h>

#include "tests/unit/calibrate/networks/imported_network.hpp"
#include "tests/unit/calibrate/networks/onnx_file.hpp"

namespace rackcast {

using namespace onnx_file;
using namespace imported;

namespace {

// ViT of torchvision (opset 17). nn.MultiheadAttention works on length x samples x width.

std::string vit_attention(GraphWriter& g, const std::string& x, std::int64_t width, std::int64_t heads) {
  const std::int64_t length = 197, head = width / heads;
  const std::string all = g.linear(g.transposed(x, {1, 0, 2}), width, 3 * width);
  const std::string apart = g.op("Unsqueeze", {g.reshaped(all, {length, 1, 3, width}), g.numbers({0})});
  const std::string parts = g.op("Squeeze", {g.transposed(apart, {3, 1, 2, 0, 4}), g.numbers({3})});
  std::vector<std::string> of;
  for (const std::int64_t i : {0, 1, 2}) {
    const std::string part =
        g.op("Gather", {parts, g.op("Constant", {}, whole("value_int", i))}, whole("axis", 0));
    const std::string turned = g.transposed(g.reshaped(part, {length, heads, head}), {1, 0, 2});
    of.push_back(g.reshaped(turned, {1, heads, length, head}));
  }
  const std::string key = g.transposed(of[1], {0, 1, 3, 2});
  const std::string scores =
      g.op("MatMul", {g.op("Mul", {of[0], g.fraction()}), g.op("Mul", {key, g.fraction()})});
  const std::string mixed = g.op("MatMul", {g.op("Softmax", {scores}, whole("axis", -1)), of[2]});
  const std::string rows = g.reshaped(g.transposed(mixed, {2, 0, 1, 3}), {length, width});
  const std::string out =
      g.op("Gemm", {rows, g.weights({width, width}), g.weights({width})}, whole("transB", 1));
  return g.transposed(g.reshaped(out, {length, 1, width}), {1, 0, 2});
}

std::string vit(std::int64_t layers, std::int64_t width, std::int64_t heads) {
  GraphWriter g;
  g.text += input("input", {0, 3, 224, 224}, 1, {"batch"});
  const std::string patches =
      g.op("Conv", {"input", g.weights({width, 3, 16, 16}), g.weights({width})}, list("strides", {16, 16}));
  const std::string samples = g.op("Gather", {g.op("Shape", {"input"}), g.numbers({0})}, whole("axis", 0));
  const std::string to = g.op("Concat", {samples, g.numbers({width}), g.numbers({196})}, whole("axis", 0));
  const std::string tokens = g.transposed(g.op("Reshape", {patches, to}), {0, 2, 1});
  const std::string wanted = g.op("Concat", {samples, g.numbers({-1}), g.numbers({-1})}, whole("axis", 0));
  const std::string ones =
      g.op("ConstantOfShape", {g.numbers({3})},
           bytes(5, bytes(1, "value") + bytes(5, number(1, 1) + number(2, 7) + number(7, 1))));
  const std::string minus = g.op("Mul", {ones, g.numbers({-1})});
  const std::string shape = g.op("Where", {g.op("Equal", {wanted, minus}), ones, wanted});
  const std::string first = g.op("Expand", {g.weights({1, 1, width}), shape});
  std::string x = g.op("Concat", {first, tokens}, whole("axis", 1));
  x = g.op("Add", {x, g.weights({1, 197, width})});
  for (std::int64_t i = 0; i < layers; ++i) {
    x = g.op("Add", {vit_attention(g, g.norm(x, width), width, heads), x});
    const std::string inner = g.gelu(g.linear(g.norm(x, width), width, 4 * width));
    x = g.op("Add", {x, g.linear(inner, 4 * width, width)});
  }
  const std::string token =
      g.op("Gather", {g.norm(x, width), g.op("Constant", {}, whole("value_int", 0))}, whole("axis", 1));
  g.op("Gemm", {token, g.weights({1000, width}), g.weights({1000})}, whole("transB", 1));
  return g.model();
}

}  // namespace

TEST_CASE(
    "ViT-B/16 of torchvision has 86,567,656 parameters and the arithmetic of the one that is described") {
  const Json imported = document(vit(12, 768, 12));
  const Workload workload = own_network(imported.require("network"), {});
  CHECK(workload.parameters() == 86'567'656);
  CHECK(flops(workload) == flops(load_workload("vit-b-16")));  // published: 17.56 G multiply-adds
  CHECK(flops(workload) / 2 == doctest::Approx(17.56e9).epsilon(0.001));
  CHECK(count_of(workload, "attention") == 12);
  CHECK(count_of(workload, "class_token") == 1);
  const auto& layers = imported.require("network").require("layers").array();
  CHECK(layers[0].require("conv").integer() == 768);
  CHECK(layers[1].string() == "patches_to_tokens");
}

namespace {

// Swin-T of torchvision (opset 17), on 1 x height x width x channels.

struct Square {
  std::int64_t side, width, heads;
};

/// torch.roll by `shift` along height and width.
std::string rolled(GraphWriter& g, std::string x, std::int64_t shift) {
  for (const std::int64_t axis : {1, 2}) {
    const std::string end = g.numbers({9223372036854775807}), cut = g.numbers({shift});
    x = g.op("Concat", {g.sliced(x, cut, end, axis), g.sliced(x, g.numbers({0}), cut, axis)},
             whole("axis", axis));
  }
  return x;
}

std::string windows(GraphWriter& g, std::string x, const Square& of, bool shifted) {
  const std::int64_t n = of.side / 7, head = of.width / of.heads;
  if (shifted) x = rolled(g, x, 3);
  x = g.reshaped(x, {1, n, 7, n, 7, of.width});
  x = g.reshaped(g.transposed(x, {0, 1, 3, 2, 4, 5}), {n * n, 49, of.width});
  const std::string all = g.reshaped(g.linear(x, of.width, 3 * of.width), {n * n, 49, 3, of.heads, head});
  const std::string parts = g.transposed(all, {2, 0, 3, 1, 4});
  std::vector<std::string> q;
  for (const std::int64_t i : {0, 1, 2})
    q.push_back(g.op("Gather", {parts, g.op("Constant", {}, whole("value_int", i))}, whole("axis", 0)));
  std::string scores = g.op("MatMul", {g.op("Mul", {q[0], g.fraction()}), g.transposed(q[1], {0, 1, 3, 2})});
  const std::string biases =
      g.op("Gather", {g.weights({169, of.heads}), g.numbers(Numbers(2401, 3))}, whole("axis", 0));
  const std::string by_head = g.transposed(g.reshaped(biases, {49, 49, of.heads}), {2, 0, 1});
  scores = g.op("Add", {scores, g.op("Unsqueeze", {by_head, g.numbers({0})})});
  if (shifted) {
    scores =
        g.op("Add", {g.reshaped(scores, {1, n * n, of.heads, 49, 49}), g.weights({1, n * n, 1, 49, 49})});
    scores = g.reshaped(scores, {n * n, of.heads, 49, 49});
  }
  std::string out = g.op("MatMul", {g.op("Softmax", {scores}, whole("axis", -1)), q[2]});
  out = g.linear(g.reshaped(g.transposed(out, {0, 2, 1, 3}), {n * n, 49, of.width}), of.width, of.width);
  out = g.transposed(g.reshaped(out, {1, n, n, 7, 7, of.width}), {0, 1, 3, 2, 4, 5});
  out = g.reshaped(out, {1, of.side, of.side, of.width});
  return shifted ? rolled(g, out, -3) : out;
}

std::string swin(const Square& first, const std::vector<int>& depths) {
  GraphWriter g;
  g.text += input("input", {1, 3, 224, 224});
  Square at = first;
  std::string x =
      g.op("Conv", {"input", g.weights({at.width, 3, 4, 4}), g.weights({at.width})}, list("strides", {4, 4}));
  x = g.norm(g.transposed(x, {0, 2, 3, 1}), at.width);
  for (std::size_t stage = 0; stage < depths.size(); ++stage) {
    if (stage > 0) {
      std::vector<std::string> parts;
      for (const Numbers& begin : {Numbers{0, 0}, Numbers{1, 0}, Numbers{0, 1}, Numbers{1, 1}}) {
        const std::string rows = g.op("Slice", {x, g.numbers({begin[0]}), g.numbers({9223372036854775807}),
                                                g.numbers({1}), g.numbers({2})});
        parts.push_back(g.op("Slice", {rows, g.numbers({begin[1]}), g.numbers({9223372036854775807}),
                                       g.numbers({2}), g.numbers({2})}));
      }
      x = g.norm(g.op("Concat", parts, whole("axis", -1)), 4 * at.width);
      x = g.linear(x, 4 * at.width, 2 * at.width, false);
      at = {at.side / 2, 2 * at.width, 2 * at.heads};
    }
    for (int i = 0; i < depths[stage]; ++i) {
      x = g.op("Add", {x, windows(g, g.norm(x, at.width), at, i % 2 == 1 && at.side > 7)});
      const std::string inner = g.gelu(g.linear(g.norm(x, at.width), at.width, 4 * at.width));
      x = g.op("Add", {x, g.linear(inner, 4 * at.width, at.width)});
    }
  }
  x = g.op("GlobalAveragePool", {g.transposed(g.norm(x, at.width), {0, 3, 1, 2})});
  g.op("Gemm", {g.op("Flatten", {x}, whole("axis", 1)), g.weights({1000, at.width}), g.weights({1000})},
       whole("transB", 1));
  return g.model();
}

}  // namespace

TEST_CASE("Swin-T of torchvision has 28,288,354 parameters and the arithmetic of the one that is described") {
  const Workload workload = network(swin({56, 96, 3}, {2, 2, 6, 2}));
  CHECK(workload.parameters() == 28'288'354);
  CHECK(flops(workload) == flops(load_workload("swin-tiny")));
  CHECK(count_of(workload, "attention") == 12);
}

namespace {

/// ConvNeXt-T of torchvision; norms as opset 16 has them.
std::string convnext() {
  GraphWriter g;
  g.text += input("input", {1, 3, 224, 224});
  const auto norm_of_map = [&](const std::string& x, std::int64_t width) {
    return g.transposed(g.old_norm(g.transposed(x, {0, 2, 3, 1}), width), {0, 3, 1, 2});
  };
  std::string x = g.op("Conv", {"input", g.weights({96, 3, 4, 4}), g.weights({96})}, list("strides", {4, 4}));
  x = norm_of_map(x, 96);
  std::int64_t width = 96;
  for (const int depth : {3, 3, 9, 3}) {
    for (int i = 0; i < depth; ++i) {
      std::string y = g.op("Conv", {x, g.weights({width, 1, 7, 7}), g.weights({width})},
                           list("pads", {3, 3, 3, 3}) + whole("group", width));
      y = g.old_norm(g.transposed(y, {0, 2, 3, 1}), width);
      y = g.linear(g.gelu(g.linear(y, width, 4 * width)), 4 * width, width);
      y = g.op("Mul", {g.weights({width, 1, 1}), g.transposed(y, {0, 3, 1, 2})});
      x = g.op("Add", {y, x});
    }
    if (width == 768) break;
    x = g.op("Conv", {norm_of_map(x, width), g.weights({2 * width, width, 2, 2}), g.weights({2 * width})},
             list("strides", {2, 2}));
    width *= 2;
  }
  x = norm_of_map(g.op("GlobalAveragePool", {x}), 768);
  g.op("Gemm", {g.op("Flatten", {x}, whole("axis", 1)), g.weights({1000, 768}), g.weights({1000})},
       whole("transB", 1));
  return g.model();
}

}  // namespace

TEST_CASE(
    "ConvNeXt-T of torchvision has 28,589,128 parameters and the arithmetic of the one that is described") {
  const Workload workload = network(convnext());
  CHECK(workload.parameters() == 28'589'128);
  CHECK(flops(workload) == flops(load_workload("convnext-tiny")));
  CHECK(count_of(workload, "channel_scale") == 18);
  CHECK(count_of(workload, "layer_norm") == 18 + 5);
}

}  // namespace rackcast
