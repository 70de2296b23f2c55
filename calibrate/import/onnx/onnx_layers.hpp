#pragma once
/// Writes an ONNX graph down in the language of networks (models/README.md).
///
/// It takes networks of convolutions with one input, as torchvision, timm and the ONNX model zoo have them
/// for images and volumes. It leaves out sums and products with constants, because a compiler folds them into
/// the operator before, and operators that only give a tensor another shape.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "calibrate/import/onnx/onnx_graph.hpp"

namespace rackcast {

/// Fills `input` and `layers` of `network`. Throws Error, with the file and the operator, where an operator
/// has no layer (with the list of all such operators), where a shape does not fit, and where a side of the
/// input is open.
void write_onnx_layers(const ImportSource& source, const OnnxGraph& graph, nlohmann::ordered_json& network,
                       std::vector<std::string>& warnings);

}  // namespace rackcast
