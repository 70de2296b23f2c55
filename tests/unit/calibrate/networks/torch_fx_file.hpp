#pragma once
/// Writes the graph of a PyTorch model by hand, as docs/guide/examples/torch_fx.py writes it.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "calibrate/import/onnx/onnx_graph.hpp"

namespace rackcast::torch_fx_file {

using nlohmann::ordered_json;
using Dims = std::vector<std::int64_t>;

inline ordered_json at_node(const std::string& name) {
  return {{"node", name}};
}

/// Grows node by node; each gives the name of its result.
class FxWriter {
 public:
  std::string placeholder(const std::string& name, const Dims& dims, const std::string& kind = "USER_INPUT",
                          const std::string& type = "float32") {
    nodes.push_back({{"op", "placeholder"},
                     {"name", name},
                     {"kind", kind},
                     {"outputs", ordered_json::array({tensor(dims, type)})}});
    return name;
  }
  std::string weights(const Dims& dims, const std::string& kind = "PARAMETER") {
    return placeholder("p_" + std::to_string(nodes.size()), dims, kind);
  }
  /// `args`: names of values are written as such.
  std::string call(const std::string& target, const std::vector<ordered_json>& args, const Dims& dims,
                   const ordered_json& kwargs = ordered_json::object(), const std::string& type = "float32") {
    const std::string name = "node_" + std::to_string(nodes.size());
    nodes.push_back({{"op", "call_function"},
                     {"name", name},
                     {"target", target},
                     {"args", ordered_json(args)},
                     {"kwargs", kwargs},
                     {"module", "layer"},
                     {"outputs", ordered_json::array({tensor(dims, type)})}});
    return name;
  }
  std::string item(const std::string& of, int index, const Dims& dims) {
    return call("<built-in function getitem>", {at_node(of), index}, dims);
  }
  std::string linear(const std::string& x, const Dims& dims, std::int64_t inputs) {
    const std::string w = weights({dims.back(), inputs}), b = weights({dims.back()});
    return call("aten.linear.default", {at_node(x), at_node(w), at_node(b)}, dims);
  }
  std::string norm(const std::string& x, const Dims& dims) {
    const std::string w = weights({dims.back()}), b = weights({dims.back()});
    return call("aten.layer_norm.default", {at_node(x), {dims.back()}, at_node(w), at_node(b), 1e-6}, dims);
  }
  std::string view(const std::string& x, const Dims& dims) {
    return call("aten.view.default", {at_node(x), dims}, dims);
  }
  [[nodiscard]] std::string text() const {
    ordered_json all = nodes;
    all.push_back({{"op", "output"}, {"name", "output"}, {"outputs", ordered_json::array()}});
    return ordered_json{{"format", "rackcast-torch-fx"}, {"version", 1}, {"torch", "2.5.1"}, {"nodes", all}}
        .dump();
  }

  ordered_json nodes = ordered_json::array();

 private:
  static ordered_json tensor(const Dims& dims, const std::string& type) {
    return {{"shape", dims}, {"dtype", type}};
  }
};

}  // namespace rackcast::torch_fx_file
