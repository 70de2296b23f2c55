#pragma once
/// The document of a network that is described by a graph of operators. Private to the importers of graphs.
#include <nlohmann/json.hpp>
#include <string>

#include "calibrate/import/importers.hpp"
#include "calibrate/import/onnx/onnx_graph.hpp"

namespace rackcast {

/// Completes `network` (with its title, task and source) by the layers of `graph`, and fills `out`. `what`:
/// the kind of file, for people. Throws Error as write_onnx_layers(), and where the layers make no network.
void write_graph_network(const ImportSource& source, const OnnxGraph& graph, const std::string& what,
                         nlohmann::ordered_json network, ImportOutput& out);

}  // namespace rackcast
