#pragma once
/// Operators whose results need no layer: of constants, and of what exporters compute from the shapes of
/// tensors, from masks and from positions. Private to the importers of graphs.
#include <optional>
#include <string_view>
#include <vector>

#include "calibrate/import/onnx/onnx_value.hpp"

namespace rackcast {

/// Whether the operator may have a result that needs no layer.
bool may_be_known(std::string_view kind);
/// The result of an operator that reads constants, values aside, or shapes alone; it has numbers where they
/// are few and known. `inputs` are in order, nullptr where one is left out. Nothing where the operator reads
/// what layers compute, or cannot be worked out here. `batch`: samples that the file was written for; 0:
/// open.
std::optional<OnnxValue> known_result(const OnnxNode& node, const std::vector<const OnnxValue*>& inputs,
                                      std::int64_t batch);

}  // namespace rackcast
