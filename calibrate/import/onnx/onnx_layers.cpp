#include "calibrate/import/onnx/onnx_layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "calibrate/import/onnx/onnx_constants.hpp"
#include "calibrate/import/onnx/onnx_operators.hpp"
#include "calibrate/import/onnx/onnx_views.hpp"
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

/// An input with all its sides: one sample, and the numbers that the user gives for names.
OnnxDims whole_sides(const ImportSource& source, const OnnxInput& input, std::int64_t batch) {
  OnnxDims out = input.dims;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::string name = i < input.names.size() ? input.names[i] : "";
    if (const auto given = name.empty() ? std::nullopt : source.size_of(name); given && out[i] == 0)
      out[i] = *given;
    else if (i == 0 && (out[i] == 0 || out[i] == batch))
      out[i] = 1;
    if (out[i] == 0)
      throw Error{fmt::format("side {} of the input {} is open", i + 1, in_quotes(input.name)) +
                      (name.empty() ? "" : fmt::format(": {}", in_quotes(name))),
                  Where{.file = source.name()},
                  name.empty() ? "export the model with a fixed size; only the number of samples may be open"
                               : fmt::format("give it a number: --size {}=128", printable(name))};
  }
  return out;
}

/// Numbers that the user gives are for names of this file.
void check_sizes(const ImportSource& source, const OnnxGraph& graph) {
  std::set<std::string> known;
  for (const OnnxInput& input : graph.inputs)
    for (const std::string& name : input.names)
      if (!name.empty()) known.insert(name);
  for (const auto& [name, size] : source.sizes())
    if (!known.contains(name)) {
      std::string names;
      for (const std::string& one : known) names += (names.empty() ? "" : ", ") + printable(one);
      throw Error{fmt::format("no open side of this model is called {}", in_quotes(name)),
                  Where{.file = source.name()},
                  names.empty() ? "its inputs have no open sides with names" : "its open sides: " + names};
    }
}

/// Of ids, masks and positions, which are tokens; of an image, a volume, frames or a vector.
std::pair<ordered_json, FlowSides> form_of(const ImportSource& source, const OnnxInput& input,
                                           const OnnxDims& d) {
  if (elements_of(d) > 1e12)
    throw Error{fmt::format("the input {} has {} elements", in_quotes(input.name), elements_of(d)),
                Where{.file = source.name()}, "more than 10^12 are a mistake"};
  const auto elements = static_cast<std::int64_t>(elements_of(d));
  if (input.whole) return {{{"tokens", elements}}, {elements, 1}};
  if (d.size() == 4) return {{{"image", {d[2], d[3], d[1]}}}, {d[2], d[3], d[1]}};
  if (d.size() == 5) return {{{"volume", {d[2], d[3], d[4], d[1]}}}, {d[2], d[3], d[4], d[1]}};
  if (d.size() == 3) return {{{"frames", {d[0] * d[1], d[2]}}}, {d[0] * d[1], d[2]}};
  if (d.size() < 3) return {{{"features", elements}}, {elements}};
  throw Error{fmt::format("the input {} has {} sides", in_quotes(input.name), d.size()),
              Where{.file = source.name()}, "images have 4, volumes 5, sequences 3 or 2, vectors 2"};
}

std::string list_of(const std::map<std::string, int>& names) {
  constexpr std::size_t most = 20;
  std::string out;
  std::size_t count = 0;
  for (const auto& [name, times] : names)
    if (count++ < most)
      out += (out.empty() ? "" : ", ") + name + (times > 1 ? fmt::format(" ({})", times) : "");
  return names.size() > most ? fmt::format("{} and {} more", out, names.size() - most) : out;
}

bool is_embedding(const OnnxNode& node, const std::vector<const OnnxValue*>& inputs) {
  return node.kind == "Gather" && inputs.size() > 1 && inputs[0] && inputs[1] && inputs[0]->constant &&
         !inputs[0]->whole && inputs[0]->weights > 1 && inputs[1]->aside >= 0;
}

/// Operator by operator, in the order of the file.
class Walk {
 public:
  Walk(const ImportSource& source, const OnnxGraph& graph, LayerWriter& layers,
       std::vector<std::string>& warnings)
      : source_{source}, layers_{layers}, warnings_{warnings} {
    for (const auto& [name, constant] : graph.constants) {
      OnnxValue& value = values_[name];
      value = {.dims = constant.dims, .numbers = constant.numbers, .constant = true, .whole = constant.whole};
      if (constant.whole || !constant.trained || elements_of(constant.dims) <= 1) continue;
      value.weights = elements_of(constant.dims);
      value.table = constant.print == 0 ? name : fmt::format("{:016x}", constant.print);
    }
    batch_ = graph.inputs.front().dims.empty() ? 0 : graph.inputs.front().dims.front();
    for (const OnnxInput& input : graph.inputs) {
      OnnxValue& value = values_[input.name];
      value = {.dims = whole_sides(source, input, batch_), .whole = input.whole};
      auto [form, sides] = form_of(source, input, value.dims);
      (input.whole ? value.aside : value.flow) = layers.add_input(std::move(form), std::move(sides));
    }
  }

  void read(const OnnxNode& node) {
    std::map<std::size_t, OnnxValue> others;
    OnnxPlace place{source_, node, {}, batch_, layers_, warnings_, counted_, others};
    bool missing = false;  // behind an operator without a layer
    for (const std::string& name : node.inputs) {
      const auto at = values_.find(name);
      place.inputs.push_back(name.empty() || at == values_.end() ? nullptr : &at->second);
      if (name.empty() || at != values_.end()) continue;
      missing = true;
      if (seconds_.contains(name))
        place.fail("reads the second result of an operator", "only first ones have a layer");
      ++unwritten_[in_quotes(name)];
    }
    for (std::size_t i = 1; i < node.outputs.size(); ++i) seconds_.insert(node.outputs[i]);
    const OnnxMaker make = onnx_maker(node.kind);
    if (make == nullptr && !may_be_known(node.kind)) ++unknown_[printable(node.kind.substr(0, 80))];
    if (missing || (make == nullptr && !may_be_known(node.kind))) return;
    check_pad(place);
    note_shared(node);
    if (node.kind == "Split")
      split(place);
    else
      keep(place, node.outputs.front(), result_of(place, make));
    for (auto& [i, value] : others)
      if (i < node.outputs.size()) keep(place, node.outputs[i], std::move(value));
  }

  void finish() const {
    if (!unknown_.empty())
      throw Error{
          "operators without a layer: " + list_of(unknown_), Where{.file = source_.name()},
          "write such a network down (rackcast init network), or give a transformer by its config.json "
          "(rackcast import hf-config)"};
    if (!unwritten_.empty())
      throw Error{"values that nothing writes: " + list_of(unwritten_), Where{.file = source_.name()},
                  "the file may be a part of a model"};
  }

 private:
  OnnxValue result_of(const OnnxPlace& place, OnnxMaker make) {
    const OnnxNode& node = place.node;
    if (is_embedding(node, place.inputs)) return make(place);
    if (auto known = known_result(node, place.inputs, batch_)) return *known;
    const bool view = is_onnx_view(node.kind);
    if (view && place.flows(0)) {
      if (auto out = onnx_view(node, place.inputs, batch_)) return *out;
      place.fail(sides_text(place.input(0).dims) + " do not become the shape that it asks for",
                 batch_ > 1 ? "export the model with one sample, or with an open number of them" : "");
    }
    if (make == nullptr || view)
      place.fail("its result depends on the sample, or on values that are not known");
    return make(place);
  }

  void split(const OnnxPlace& place) {
    auto parts = onnx_split(place.node, place.inputs);
    if (!parts) place.fail("its parts do not fit its input");
    for (std::size_t i = 0; i < parts->size(); ++i)
      keep(place, place.node.outputs[i], std::move((*parts)[i]));
  }

  void keep(const OnnxPlace& place, const std::string& name, OnnxValue value) {
    const std::int64_t least = value.flow >= 0 ? 1 : 0;
    if (value.dims.size() > most_onnx_sides ||
        std::ranges::any_of(value.dims, [&](std::int64_t n) { return n < least || n > longest_onnx_side; }))
      place.fail("its result would be " + sides_text(value.dims));
    const auto& states = place.node.states;
    if (states && *states != value.dims && name == place.node.outputs.front())
      place.fail(
          fmt::format("its result is {}, but the file says {}", sides_text(value.dims), sides_text(*states)));
    values_[name] = std::move(value);
  }

  /// The language counts the weights of every layer.
  void note_shared(const OnnxNode& node) {
    if (node.kind != "Conv" && node.kind != "ConvTranspose") return;
    if (node.inputs.size() > 1 && !weights_.insert(node.inputs[1]).second)
      warnings_.emplace_back("weights that several operators read count once for each of them");
  }

  const ImportSource& source_;
  LayerWriter& layers_;
  std::vector<std::string>& warnings_;
  std::map<std::string, OnnxValue, std::less<>> values_;
  std::map<std::string, int> unknown_, unwritten_;
  std::set<std::string> seconds_, weights_, counted_;
  std::int64_t batch_ = 0;
};

}  // namespace

void write_onnx_layers(const ImportSource& source, const OnnxGraph& graph, ordered_json& network,
                       std::vector<std::string>& warnings) {
  if (graph.inputs.empty())
    throw Error{"the model has no input", Where{.file = source.name()}, "the file may be a part of a model"};
  check_sizes(source, graph);
  LayerWriter layers;
  Walk walk{source, graph, layers, warnings};
  for (const OnnxNode& node : graph.nodes) walk.read(node);
  walk.finish();
  network["input"] = layers.input();
  network["layers"] = layers.layers();
  if (network["layers"].empty())
    throw Error{"the model computes nothing from its input", Where{.file = source.name()}};
}

}  // namespace rackcast
