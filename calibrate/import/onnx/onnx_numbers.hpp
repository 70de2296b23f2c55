#pragma once
/// Operators that work element by element, on small constants. Private to the importers of graphs.
#include <string_view>
#include <vector>

#include "calibrate/import/onnx/onnx_value.hpp"

namespace rackcast {

/// Whether the operator works element by element, or has the sides of its first input.
bool is_elementwise(std::string_view kind);
/// The numbers of such an operator, for a result of `dims`. Null where an input has none or they are many.
OnnxNumbers elementwise_numbers(const OnnxNode& node, const std::vector<const OnnxValue*>& inputs,
                                const OnnxDims& dims);
/// Whether its result is made of integers or truth values.
bool elementwise_whole(const OnnxNode& node, const std::vector<const OnnxValue*>& inputs);

}  // namespace rackcast
