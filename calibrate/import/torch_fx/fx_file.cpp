#include "calibrate/import/torch_fx/fx_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "calibrate/import/onnx/onnx_value.hpp"
#include "sim/base/error.hpp"
#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

constexpr std::string_view fx_script = "docs/guide/examples/torch_fx.py writes such a file";
constexpr std::int64_t largest_argument = 1'000'000'000'000;

FxTensor tensor_of(const Json& json) {
  FxTensor out;
  const Json& shape = json.require("shape");
  if (shape.array().size() > most_onnx_sides)
    shape.fail(fmt::format("has more than {} sides", most_onnx_sides));
  for (const Json& side : shape.array()) {
    if (side.kind() == JsonKind::string)
      side.fail(fmt::format("a side is open: {}", in_quotes(side.string())),
                "export the program without dynamic_shapes, with arguments of the size to be run");
    const std::int64_t length = side.integer();
    if (length < 0 || length > longest_onnx_side) side.fail("a side must be from 0 to 10^9");
    out.dims.push_back(length);
  }
  const std::string& type = json.require("dtype").string();
  out.whole = type.find("float") == std::string::npos && !type.starts_with("complex");
  return out;
}

FxNode node_of(const Json& json) {
  if (json.kind() != JsonKind::object) json.fail("a node is an object", std::string{fx_script});
  FxNode out{.json = json, .op = json.require("op").string(), .name = json.require("name").string()};
  if (out.name.empty()) json.require("name").fail("a node needs a name");
  static constexpr std::string_view known[] = {"placeholder", "get_attr", "call_function", "output"};
  if (std::ranges::count(known, std::string_view{out.op}) == 0)
    json.require("op").fail(fmt::format("no node is a {}", in_quotes(out.op)),
                            "torch.export makes placeholder, get_attr, call_function and output; "
                            "torch.fx.symbolic_trace makes others, which are not read");
  const auto word = [&](std::string_view key) {
    const Json* value = json.find(key);
    return value && !value->is_null() ? value->string() : std::string{};
  };
  if (out.op == "call_function") out.target = json.require("target").string();
  out.kind = word("kind");
  out.same = word("same");
  out.module = word("module");
  if (out.op == "output") return out;
  for (const Json& output : json.require("outputs").array())
    out.outputs.push_back(output.is_null() ? std::nullopt : std::optional{tensor_of(output)});
  return out;
}

}  // namespace

std::string fx_value_of(const Json& argument) {
  const Json* node = argument.kind() == JsonKind::object ? argument.find("node") : nullptr;
  return node ? node->string() : std::string{};
}

std::string_view FxNode::operation() const {
  std::string_view out = target;
  if (!out.starts_with("aten.")) return {};
  out.remove_prefix(5);
  out = out.substr(0, out.find('.'));
  if (out.ends_with('_') && !out.starts_with('_')) out.remove_suffix(1);  // in place: relu_
  return out;
}

bool FxNode::is_getitem() const {
  return target.find("getitem") != std::string::npos;
}

const FxTensor& FxNode::output() const {
  if (outputs.empty() || !outputs.front()) json.fail("its first result is no tensor with a shape");
  return *outputs.front();
}

const Json* FxNode::find(std::size_t place, std::string_view key) const {
  const Json* args = json.find("args");
  const Json* found = args && place < args->array().size() ? &args->array()[place] : nullptr;
  if (const Json* named = json.find("kwargs"); !found && named && !key.empty()) found = named->find(key);
  return found && !found->is_null() ? found : nullptr;
}

const Json& FxNode::require(std::size_t place, std::string_view key) const {
  if (const Json* found = find(place, key)) return *found;
  json.fail(fmt::format("argument {} is missing", place + 1));
}

std::string FxNode::value(std::size_t place, std::string_view key) const {
  const Json* found = find(place, key);
  return found ? fx_value_of(*found) : std::string{};
}

std::string FxNode::needed(std::size_t place, std::string_view key) const {
  const Json& found = require(place, key);
  std::string out = fx_value_of(found);
  if (out.empty()) found.fail("expected the value of another node: {\"node\": NAME}");
  return out;
}

OnnxDims FxNode::numbers(std::size_t place, std::string_view key) const {
  const Json* found = find(place, key);
  OnnxDims out;
  const auto add = [&](const Json& one) {
    out.push_back(std::clamp(one.integer(), -largest_argument, largest_argument));
  };
  if (found && found->kind() == JsonKind::array) {
    for (const Json& one : found->array()) add(one);
  } else if (found) {
    add(*found);
  }
  return out;
}

std::int64_t FxNode::number(std::size_t place, std::string_view key, std::int64_t otherwise) const {
  const OnnxDims out = numbers(place, key);
  return out.size() == 1 ? out.front() : otherwise;
}

bool FxNode::flag(std::size_t place, std::string_view key, bool otherwise) const {
  const Json* found = find(place, key);
  return found ? found->boolean() : otherwise;
}

FxFile read_fx_file(const ImportSource& source) {
  constexpr std::size_t most_nodes = 20'000;
  const Json json = parse_json(std::string{source.text()}, source.name());
  if (json.kind() != JsonKind::object) json.fail("a graph of PyTorch is an object", std::string{fx_script});
  const Json& format = json.require("format");
  if (format.string() != "rackcast-torch-fx")
    format.fail(fmt::format("this is {}, not \"rackcast-torch-fx\"", in_quotes(format.string())),
                std::string{fx_script});
  if (const Json& version = json.require("version"); version.integer() != 1)
    version.fail("this build reads version 1 of the format");
  FxFile out;
  if (const Json* torch = json.find("torch")) out.torch = torch->string();
  const Json& nodes = json.require("nodes");
  if (nodes.array().size() > most_nodes) nodes.fail(fmt::format("more than {} nodes", most_nodes));
  std::set<std::string> names;
  for (const Json& node : nodes.array()) {
    out.nodes.push_back(node_of(node));
    if (!names.insert(out.nodes.back().name).second)
      node.require("name").fail(fmt::format("two nodes are called {}", in_quotes(out.nodes.back().name)));
  }
  return out;
}

}  // namespace rackcast
