#pragma once
/// Writes a graph of ONNX's operators down in the language of networks (models/README.md).
///
/// A flow of the language is so many elements in some shape; the order in memory counts for nothing. So
/// transpositions, cuts and repetitions are no layers: a value keeps its sides as ONNX has them, and the flow
/// that holds it. A layer that needs other sides than the flow has puts "reshape" or "part" in front. Masks,
/// positions and what is computed from shapes need no layers. Sums and products with constants become the
/// bias or scale of the layer before, learned positions, or the scale of channels; other ones are left out
/// with a warning, because a compiler folds them into the operator before.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "calibrate/import/onnx/onnx_graph.hpp"

namespace rackcast {

/// Fills `input` and `layers` of `network`. Throws Error, with the file and the operator, where an operator
/// has no layer (with the list of all such operators), where a shape does not fit or is not the one that the
/// file states, and where a side of an input is open and the user gives no number for its name.
void write_onnx_layers(const ImportSource& source, const OnnxGraph& graph, nlohmann::ordered_json& network,
                       std::vector<std::string>& warnings);

}  // namespace rackcast
