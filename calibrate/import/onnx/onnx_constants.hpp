#pragma once
/// Values of an ONNX graph, and the operators whose results are known before the network runs: constants, and
/// what exporters compute from the shapes of tensors.
#include <optional>
#include <string_view>
#include <vector>

#include "calibrate/import/onnx/onnx_graph.hpp"

namespace rackcast {

struct OnnxValue {
  OnnxDims dims;             ///< of one sample: the first side of what layers compute is 1
  OnnxNumbers numbers = {};  ///< of a small constant
  bool constant = false;
  bool whole = false;  ///< its numbers are integers
  /// The layer that computes the value. Operators that only give another shape leave it as it is.
  int flow = -1;
  OnnxDims pad = {};  ///< zeros around a map, for the window that reads it: as its `pads`
};

double elements_of(const OnnxDims& dims);

/// ONNX's Reshape: in `target` 0 keeps a side, and -1 is what is left. Nothing where the elements do not fit.
std::optional<OnnxDims> reshaped(const OnnxDims& dims, OnnxDims target);
/// A side, counted from the end where it is negative; nothing where there is none.
std::optional<std::size_t> side_of(std::int64_t axis, std::size_t sides);
/// ONNX's Squeeze and Unsqueeze; without axes Squeeze takes all sides of one. Nothing where an axis does not
/// fit.
std::optional<OnnxDims> squeezed(const OnnxDims& dims, const OnnxDims& axes);
std::optional<OnnxDims> unsqueezed(const OnnxDims& dims, const OnnxDims& axes);
/// ONNX's Transpose; without an order the sides are reversed.
std::optional<OnnxDims> transposed(const OnnxDims& dims, const OnnxDims& order);
/// Whole numbers of an attribute, and of the input that stands for it in later versions.
OnnxDims numbers_of(const OnnxNode& node, const char* attribute, const OnnxValue* input);

/// Whether the operator may have a result that is known beforehand.
bool may_be_known(std::string_view kind);
/// The result of an operator that reads constants or shapes alone. `inputs` are in order, nullptr where one
/// is left out. Nothing where the result depends on the sample, or cannot be worked out here.
std::optional<OnnxValue> known_result(const OnnxNode& node, const std::vector<const OnnxValue*>& inputs);

}  // namespace rackcast
