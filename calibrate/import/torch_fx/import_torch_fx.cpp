/// The graph that torch.export makes of a PyTorch model, written down as JSON
/// (docs/guide/examples/torch_fx.py). Its operators become those of ONNX, which another importer turns into
/// layers; the sides that the file says of each result are checked against those that follow from its
/// operators.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "calibrate/import/importers.hpp"
#include "calibrate/import/onnx/graph_network.hpp"
#include "calibrate/import/onnx/onnx_patterns.hpp"
#include "calibrate/import/onnx/onnx_value.hpp"
#include "calibrate/import/torch_fx/fx_operators.hpp"
#include "sim/base/error.hpp"
#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

OnnxNode fx_node(const FxNode& node, const std::string& kind, std::vector<std::string> inputs,
                 std::string output, std::map<std::string, OnnxDims> lists,
                 const std::map<std::string, std::int64_t>& numbers) {
  OnnxNode out{.kind = kind,
               .name = node.name,
               .inputs = std::move(inputs),
               .outputs = {std::move(output)},
               .attributes = {}};
  if (!node.module.empty()) out.name += " (" + node.module + ")";
  for (auto& [name, list] : lists) out.attributes[name].numbers = std::move(list);
  for (const auto& [name, number] : numbers) out.attributes[name].number = number;
  return out;
}

/// FNV-1a, 64 bits; never 0. Weights of the same name are the same.
std::uint64_t fx_print(std::string_view name) {
  std::uint64_t hash = 1469598103934665603u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash | 1;
}

void add_placeholder(FxGraph& graph, const FxNode& node) {
  const FxTensor& tensor = node.output();
  const bool input = node.op == "placeholder" && node.kind == "USER_INPUT";
  if (node.op == "placeholder" && node.kind.empty())
    node.json.fail("a placeholder needs its kind", "\"USER_INPUT\", \"PARAMETER\" or \"BUFFER\"");
  if (!input) {
    OnnxConstant weights{.dims = tensor.dims, .numbers = nullptr, .whole = tensor.whole};
    weights.print = fx_print(node.same.empty() ? node.name : node.same);
    weights.trained = node.kind == "PARAMETER";
    graph.graph.constants[node.name] = std::move(weights);
    return;
  }
  if (tensor.dims.size() > 1 && tensor.dims.front() != 1)
    node.json.fail(fmt::format("the input {} has {} samples", in_quotes(node.name), tensor.dims.front()),
                   "export the program with one sample");
  for (const std::int64_t side : tensor.dims)
    if (side == 0) node.json.fail(fmt::format("the input {} has no elements", in_quotes(node.name)));
  graph.graph.inputs.push_back({.name = node.name, .dims = tensor.dims, .names = {}, .whole = tensor.whole});
}

[[noreturn]] void refuse_operators(const ImportSource& source, const std::map<std::string, int>& unknown) {
  constexpr std::size_t most = 40;
  std::string names;
  std::size_t count = 0;
  for (const auto& [name, times] : unknown)
    if (count++ < most) names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", name, times);
  if (unknown.size() > most) names += fmt::format(" and {} more", unknown.size() - most);
  throw Error{"operators without a layer, with how often they occur: " + names, Where{.file = source.name()},
              "program.run_decompositions() may write them in others; or write the network down (rackcast "
              "init network)"};
}

}  // namespace

void FxGraph::add(const FxNode& node, const std::string& kind, std::vector<std::string> inputs,
                  std::map<std::string, OnnxDims> lists, std::map<std::string, std::int64_t> numbers) {
  graph.nodes.push_back(fx_node(node, kind, std::move(inputs), node.name, std::move(lists), numbers));
  graph.nodes.back().states = node.output().dims;
}

std::string FxGraph::step(const FxNode& node, const std::string& kind, std::vector<std::string> inputs,
                          const std::optional<OnnxDims>& dims, std::map<std::string, OnnxDims> lists,
                          std::map<std::string, std::int64_t> numbers) {
  std::string name = fmt::format("{}/{}", node.name, ++steps_);
  graph.nodes.push_back(fx_node(node, kind, std::move(inputs), name, std::move(lists), numbers));
  graph.nodes.back().states = dims;
  return name;
}

std::string FxGraph::scalar() {
  std::string name = "/number";
  graph.constants[name] = {.dims = {}, .numbers = nullptr};
  return name;
}

std::string FxGraph::list(const OnnxDims& numbers) {
  std::string name = fmt::format("/{}", ++steps_);
  graph.constants[name] = {.dims = {static_cast<std::int64_t>(numbers.size())},
                           .numbers = small_numbers({numbers.begin(), numbers.end()}),
                           .whole = true};
  return name;
}

const OnnxDims& FxGraph::dims(const FxNode& node, const std::string& value) const {
  const FxNode* from = writer(value);
  if (!from) node.json.fail(fmt::format("reads {} before it is written", in_quotes(value)));
  return from->output().dims;
}

const FxNode* FxGraph::writer(const std::string& value) const {
  const auto at = nodes_.find(value);
  return at == nodes_.end() ? nullptr : at->second;
}

void import_torch_fx(const Catalog&, const ImportSource& source, ImportOutput& out) {
  const FxFile file = read_fx_file(source);
  FxGraph graph;
  std::map<std::string, int> unknown;
  for (const FxNode& node : file.nodes) {
    if (node.op == "call_function") {
      if (!add_fx_operator(graph, node)) ++unknown[printable(node.target.substr(0, 80))];
    } else if (node.op != "output") {
      add_placeholder(graph, node);
    }
    graph.note(node);
  }
  if (!unknown.empty()) refuse_operators(source, unknown);
  if (graph.graph.nodes.empty())
    throw Error{"this graph has no operators", Where{.file = source.name()}, "it may be a part of a file"};
  check_onnx_order(source, graph.graph);
  find_onnx_patterns(graph.graph);
  nlohmann::ordered_json network{{"title", "network"}, {"task", "network"}};
  out.version = file.torch.empty() ? "" : "PyTorch " + file.torch;
  network["source"] =
      "graph of torch.export" + (file.torch.empty() ? "" : ", PyTorch " + product_name(file.torch));
  write_graph_network(source, graph.graph, "PyTorch model", std::move(network), out);
}

}  // namespace rackcast
