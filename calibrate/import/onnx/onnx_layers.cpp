#include "calibrate/import/onnx/onnx_layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "calibrate/import/onnx/onnx_operators.hpp"
#include "sim/base/error.hpp"
#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

using nlohmann::ordered_json;

/// Zeros around a map belong to the window that reads it.
void check_pad(const OnnxPlace& at) {
  const std::string& kind = at.node.kind;
  const bool window = kind == "Conv" || kind == "MaxPool" || kind == "AveragePool" || kind == "Pad";
  for (const OnnxValue* value : at.inputs)
    if (value && !value->pad.empty() && !window) at.fail("zeros around its input have no layer");
}

/// Height, width, channels, as the language has them.
ordered_json input_of(const ImportSource& source, const OnnxInput& input) {
  for (std::size_t i = 1; i < input.dims.size(); ++i)
    if (input.dims[i] == 0)
      throw Error{fmt::format("side {} of the input {} is open", i + 1, in_quotes(input.name)),
                  Where{.file = source.name()},
                  "export the model with a fixed size; only the number of samples may be open"};
  const OnnxDims& d = input.dims;
  if (d.size() == 4) return {{"image", {d[2], d[3], d[1]}}};
  if (d.size() == 5) return {{"volume", {d[2], d[3], d[4], d[1]}}};
  if (d.size() == 2) return {{"features", d[1]}};
  throw Error{fmt::format("the input {} has {} sides", in_quotes(input.name), d.size()),
              Where{.file = source.name()},
              "images have 4, volumes 5, vectors 2; a transformer is imported by its config.json"};
}

std::string list_of(const std::set<std::string>& names) {
  constexpr std::size_t most = 20;
  std::string out;
  std::size_t count = 0;
  for (const std::string& name : names)
    if (count++ < most) out += (out.empty() ? "" : ", ") + name;
  return names.size() > most ? fmt::format("{} and {} more", out, names.size() - most) : out;
}

/// Operator by operator, in the order of the file.
class Walk {
 public:
  Walk(const ImportSource& source, const OnnxGraph& graph, LayerWriter& layers,
       std::vector<std::string>& warnings)
      : source_{source}, layers_{layers}, warnings_{warnings} {
    for (const auto& [name, constant] : graph.constants)
      values_[name] = {
          .dims = constant.dims, .numbers = constant.numbers, .constant = true, .whole = constant.whole};
    const OnnxInput& input = graph.inputs.front();
    batch_ = input.dims.front();
    OnnxDims dims = input.dims;
    dims.front() = 1;
    values_[input.name] = {.dims = std::move(dims), .flow = 0};
  }

  void read(const OnnxNode& node) {
    OnnxPlace place{source_, node, {}, batch_, layers_, warnings_};
    bool missing = false;  // behind an operator without a layer
    for (const std::string& name : node.inputs) {
      const auto at = values_.find(name);
      place.inputs.push_back(name.empty() || at == values_.end() ? nullptr : &at->second);
      if (name.empty() || at != values_.end()) continue;
      missing = true;
      if (seconds_.contains(name))
        place.fail("reads the second result of an operator", "only first ones have a layer");
      unwritten_.insert(in_quotes(name));
    }
    for (std::size_t i = 1; i < node.outputs.size(); ++i) seconds_.insert(node.outputs[i]);
    const OnnxMaker make = onnx_maker(node.kind);
    if (make == nullptr && !may_be_known(node.kind)) unknown_.insert(printable(node.kind.substr(0, 80)));
    if (missing) return;
    check_pad(place);
    note_shared(node);
    std::optional<OnnxValue> result = known_result(node, place.inputs);
    if (!result && make == nullptr) {
      unknown_.insert(printable(node.kind.substr(0, 80)));
      return;
    }
    if (!result) result = make(place);
    if (result->dims.size() > 16 || std::ranges::any_of(result->dims, [&](std::int64_t n) {
          return n < (result->constant ? 0 : 1) || n > 1'000'000'000;
        }))
      place.fail("its result would be " + sides_text(result->dims));
    values_[node.outputs.front()] = std::move(*result);
  }

  void finish() const {
    if (!unknown_.empty())
      throw Error{"operators without a layer: " + list_of(unknown_), Where{.file = source_.name()},
                  "networks of convolutions are imported; write the others down (rackcast init network)"};
    if (!unwritten_.empty())
      throw Error{"values that nothing writes: " + list_of(unwritten_), Where{.file = source_.name()},
                  "the file may be a part of a model"};
  }

 private:
  /// The language counts the weights of every layer.
  void note_shared(const OnnxNode& node) {
    if (node.kind != "Conv" && node.kind != "Gemm" && node.kind != "MatMul" && node.kind != "ConvTranspose")
      return;
    if (node.inputs.size() > 1 && !weights_.insert(node.inputs[1]).second)
      warnings_.emplace_back("weights that several operators read count once for each of them");
  }

  const ImportSource& source_;
  LayerWriter& layers_;
  std::vector<std::string>& warnings_;
  std::map<std::string, OnnxValue, std::less<>> values_;
  std::set<std::string> unknown_, unwritten_, seconds_, weights_;
  std::int64_t batch_ = 0;
};

}  // namespace

void write_onnx_layers(const ImportSource& source, const OnnxGraph& graph, ordered_json& network,
                       std::vector<std::string>& warnings) {
  if (graph.inputs.size() != 1)
    throw Error{fmt::format("the model has {} inputs", graph.inputs.size()), Where{.file = source.name()},
                "networks of one image, volume or vector are imported"};
  network["input"] = input_of(source, graph.inputs.front());
  OnnxDims dims = graph.inputs.front().dims;
  dims.front() = 1;
  LayerWriter layers{std::move(dims)};
  Walk walk{source, graph, layers, warnings};
  for (const OnnxNode& node : graph.nodes) walk.read(node);
  walk.finish();
  network["layers"] = layers.layers();
  if (network["layers"].empty())
    throw Error{"the model computes nothing from its input", Where{.file = source.name()}};
}

}  // namespace rackcast
