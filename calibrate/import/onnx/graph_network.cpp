#include "calibrate/import/onnx/graph_network.hpp"

#include <fmt/format.h>

#include "calibrate/import/onnx/onnx_layers.hpp"
#include "models/networks/workload.hpp"
#include "sim/base/error.hpp"

namespace rackcast {

void write_graph_network(const ImportSource& source, const OnnxGraph& graph, const std::string& what,
                         nlohmann::ordered_json network, ImportOutput& out) {
  write_onnx_layers(source, graph, network, out.warnings);
  Workload workload;
  try {
    workload = read_workload(parse_json(network.dump(), source.name()), "network");
  } catch (const Error& e) {
    throw Error{"the operators of this model describe no network: " + e.message(),
                Where{.file = source.name()}, e.hint()};
  }
  const std::string size = fmt::format("{} parameters", count_in_words(workload.parameters()));
  network["title"] = what + ", " + size;
  out.body["network"] = network;
  out.summary = fmt::format("a network of {} operators with {}", workload.operators.size(), size);
}

}  // namespace rackcast
