#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "calibrate/import/importers.hpp"
#include "calibrate/import/onnx/onnx_layers.hpp"
#include "models/networks/workload.hpp"
#include "sim/base/error.hpp"

namespace rackcast {

using nlohmann::ordered_json;

void import_onnx(const Catalog&, const ImportSource& source, ImportOutput& out) {
  const OnnxGraph graph = read_onnx(source);
  ordered_json network{{"title", "network"}, {"task", "network"}};
  network["source"] =
      "ONNX model" + (trimmed(graph.producer).empty() ? "" : ", written by " + product_name(graph.producer));
  write_onnx_layers(source, graph, network, out.warnings);
  Workload workload;
  try {
    workload = read_workload(parse_json(network.dump(), source.name()), "network");
  } catch (const Error& e) {
    throw Error{"the operators of this model describe no network: " + e.message(),
                Where{.file = source.name()}, e.hint()};
  }
  const std::string size = fmt::format("{} parameters", count_in_words(workload.parameters()));
  network["title"] = "ONNX model, " + size;
  out.version = graph.producer;
  out.body["network"] = network;
  out.summary = fmt::format("a network of {} operators with {}", workload.operators.size(), size);
}

}  // namespace rackcast
