#include <nlohmann/json.hpp>

#include "calibrate/import/importers.hpp"
#include "calibrate/import/onnx/graph_network.hpp"
#include "calibrate/import/onnx/onnx_patterns.hpp"

namespace rackcast {

using nlohmann::ordered_json;

void import_onnx(const Catalog&, const ImportSource& source, ImportOutput& out) {
  OnnxGraph graph = read_onnx(source);
  ordered_json network{{"title", "network"}, {"task", "network"}};
  network["source"] =
      "ONNX model" + (trimmed(graph.producer).empty() ? "" : ", written by " + product_name(graph.producer));
  find_onnx_patterns(graph);
  write_graph_network(source, graph, "ONNX model", std::move(network), out);
  out.version = graph.producer;
}

}  // namespace rackcast
