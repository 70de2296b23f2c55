#pragma once
/// Operators that move elements and compute nothing: another shape, another order, a part, or a repetition.
/// Private to the importers of graphs.
#include <string_view>
#include <vector>

#include "calibrate/import/onnx/onnx_value.hpp"

namespace rackcast {

/// What such an operator makes of its first input, whatever kind of value that is. `inputs` are in order,
/// nullptr where one is left out. Nothing where it asks for what its input does not have, or depends on the
/// sample. `batch`: samples that the file was written for; 0: open.
std::optional<OnnxValue> onnx_view(const OnnxNode& node, const std::vector<const OnnxValue*>& inputs,
                                   std::int64_t batch);
bool is_onnx_view(std::string_view kind);

/// ONNX's Split: one value for each output of the operator. Nothing where the parts do not fit.
std::optional<std::vector<OnnxValue>> onnx_split(const OnnxNode& node,
                                                 const std::vector<const OnnxValue*>& inputs);

}  // namespace rackcast
