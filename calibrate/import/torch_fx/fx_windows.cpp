#include <fmt/format.h>

#include <algorithm>

#include "calibrate/import/onnx/onnx_value.hpp"
#include "calibrate/import/torch_fx/fx_operators.hpp"

namespace rackcast {
namespace {

/// A number for each side of a window; one stands for all.
OnnxDims per_side(const FxNode& node, std::size_t place, const char* name, std::size_t sides,
                  std::int64_t otherwise) {
  OnnxDims out = node.numbers(place, name);
  if (out.size() == 1) out.resize(sides, out.front());
  return out.empty() ? OnnxDims(sides, otherwise) : out;
}

OnnxDims on_both_ends(const OnnxDims& pads) {
  OnnxDims out = pads;
  out.insert(out.end(), pads.begin(), pads.end());
  return out;
}

/// Sides of a map, without samples and channels.
std::size_t map_sides(FxGraph& graph, const FxNode& node) {
  const std::size_t sides = graph.dims(node, node.needed(0, "input")).size();
  if (sides < 3) node.json.fail("its input has no sides to move a window along");
  return sides - 2;
}

struct Window {
  OnnxDims stride, padding, dilation, output_padding;
  std::int64_t groups = 1;
  bool transposed = false;
};

/// A window along a sequence is one of an image with one row.
void add_window(FxGraph& graph, const FxNode& node, Window window) {
  std::string value = node.needed(0, "input"), weights = node.needed(1, "weight");
  const bool sequence = graph.dims(node, value).size() == 3;
  if (sequence) {
    OnnxDims x = graph.dims(node, value), w = graph.dims(node, weights);
    if (w.size() != 3) node.json.fail("its weights are " + sides_text(w));
    x.insert(x.begin() + 2, 1);
    w.insert(w.begin() + 2, 1);
    value = graph.step(node, "rackcast.View", {value}, x, {{"dims", x}});
    weights = graph.step(node, "rackcast.View", {weights}, w, {{"dims", w}});
    for (OnnxDims* numbers : {&window.stride, &window.dilation}) numbers->insert(numbers->begin(), 1);
    for (OnnxDims* numbers : {&window.padding, &window.output_padding}) numbers->insert(numbers->begin(), 0);
  }
  std::map<std::string, OnnxDims> lists{
      {"strides", window.stride}, {"pads", on_both_ends(window.padding)}, {"dilations", window.dilation}};
  if (window.transposed) lists["output_padding"] = window.output_padding;
  const char* kind = window.transposed ? "ConvTranspose" : "Conv";
  std::vector<std::string> inputs = fx_with_bias({value, weights}, node.value(2, "bias"));
  if (!sequence) {
    graph.add(node, kind, std::move(inputs), std::move(lists), {{"group", window.groups}});
    return;
  }
  const std::string out =
      graph.step(node, kind, std::move(inputs), std::nullopt, std::move(lists), {{"group", window.groups}});
  graph.add(node, "rackcast.View", {out}, {{"dims", node.output().dims}});
}

}  // namespace

std::vector<std::string> fx_with_bias(std::vector<std::string> inputs, std::string bias) {
  if (!bias.empty()) inputs.push_back(std::move(bias));
  return inputs;
}

void add_fx_convolution(FxGraph& graph, const FxNode& node) {
  const std::size_t sides = map_sides(graph, node);
  if (const Json* padding = node.find(4, "padding"); padding && padding->kind() == JsonKind::string) {
    if (padding->string() != "valid" && padding->string() != "same") padding->fail("is no padding");
    if (padding->string() == "same" && per_side(node, 3, "stride", sides, 1) == OnnxDims(sides, 1)) {
      const OnnxDims weights = graph.dims(node, node.needed(1, "weight"));
      Window window{OnnxDims(sides, 1),
                    {},
                    per_side(node, 5, "dilation", sides, 1),
                    OnnxDims(sides, 0),
                    node.number(6, "groups", 1)};
      if (weights.size() != sides + 2) node.json.fail("its weights are " + sides_text(weights));
      for (std::size_t i = 0; i < sides; ++i) {
        const std::int64_t dilation =
            i < window.dilation.size() ? std::clamp<std::int64_t>(window.dilation[i], 1, 1000) : 1;
        const std::int64_t reach = dilation * (std::clamp<std::int64_t>(weights[i + 2], 1, 1'000'000) - 1);
        if (reach % 2 != 0)
          padding->fail("puts other zeros on its two sides", "use an odd kernel, or state the zeros");
        window.padding.push_back(reach / 2);
      }
      return add_window(graph, node, std::move(window));
    }
    if (padding->string() == "same") padding->fail("has no steps in PyTorch");
    return add_window(
        graph, node,
        {per_side(node, 3, "stride", sides, 1), OnnxDims(sides, 0), per_side(node, 5, "dilation", sides, 1),
         OnnxDims(sides, 0), node.number(6, "groups", 1)});
  }
  Window window{per_side(node, 3, "stride", sides, 1), per_side(node, 4, "padding", sides, 0),
                per_side(node, 5, "dilation", sides, 1), OnnxDims(sides, 0)};
  if (node.operation() == "convolution") {
    window.transposed = node.flag(6, "transposed", false);
    window.output_padding = per_side(node, 7, "output_padding", sides, 0);
    window.groups = node.number(8, "groups", 1);
  } else if (node.operation().starts_with("conv_transpose")) {
    window.transposed = true;
    window.output_padding = per_side(node, 5, "output_padding", sides, 0);
    window.groups = node.number(6, "groups", 1);
    window.dilation = per_side(node, 7, "dilation", sides, 1);
  } else {
    window.groups = node.number(6, "groups", 1);
  }
  add_window(graph, node, std::move(window));
}

void add_fx_pool(FxGraph& graph, const FxNode& node) {
  const std::size_t sides = map_sides(graph, node);
  const bool largest = node.operation().starts_with("max");
  const OnnxDims kernel = per_side(node, 1, "kernel_size", sides, 1);
  const OnnxDims stride = node.numbers(2, "stride").empty() ? kernel : per_side(node, 2, "stride", sides, 1);
  std::map<std::string, OnnxDims> lists{{"kernel_shape", kernel},
                                        {"strides", stride},
                                        {"pads", on_both_ends(per_side(node, 3, "padding", sides, 0))}};
  if (largest) lists["dilations"] = per_side(node, 4, "dilation", sides, 1);
  const bool ceil = node.flag(largest ? 5 : 4, "ceil_mode", false);
  graph.add(node, largest ? "MaxPool" : "AveragePool", {node.needed(0, "input")}, std::move(lists),
            {{"ceil_mode", ceil ? 1 : 0}});
}

void add_fx_adaptive_pool(FxGraph& graph, const FxNode& node) {
  const OnnxDims in = graph.dims(node, node.needed(0, "input"));
  const OnnxDims& out = node.output().dims;
  if (in.size() < 3 || out.size() != in.size()) node.json.fail("its result is " + sides_text(out));
  OnnxDims kernel;
  for (std::size_t i = 2; i < in.size(); ++i) {
    if (out[i] < 1 || in[i] % out[i] != 0)
      node.json.fail(fmt::format("a map of {} does not divide into {}", sides_text(in), sides_text(out)),
                     "windows of equal size have a layer");
    kernel.push_back(in[i] / out[i]);
  }
  const bool largest = node.operation().find("max") != std::string_view::npos;
  graph.add(node, largest ? "MaxPool" : "AveragePool", {node.needed(0, "input")},
            {{"kernel_shape", kernel}, {"strides", kernel}});
}

}  // namespace rackcast
