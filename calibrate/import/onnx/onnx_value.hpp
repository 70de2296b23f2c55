#pragma once
/// Values of an ONNX graph and their sides. Private to the importers of graphs.
#include <optional>
#include <string>
#include <vector>

#include "calibrate/import/onnx/onnx_graph.hpp"

namespace rackcast {

/// A value is one of three: a constant; what layers compute (`flow`); or what follows from an input without
/// any layer (`aside`), such as a mask, positions, and ids on their way to a table. Only sides matter of the
/// last.
struct OnnxValue {
  OnnxDims dims;             ///< of one sample
  OnnxNumbers numbers = {};  ///< of a small constant
  bool constant = false;
  bool whole = false;  ///< its numbers are integers
  /// The layer that computes the value. Operators that only give another shape, or take a part, leave it as
  /// it is.
  int flow = -1;
  OnnxDims pad = {};         ///< zeros around a map, for the window that reads it: as its `pads`
  int aside = -1;            ///< the flow of the input that the value follows from
  double weights = 0;        ///< trained numbers behind a constant: all of the table that it was taken from
  std::string table = {};    ///< and the name of that table in the file
  std::int64_t repeats = 1;  ///< each element stands so often: what Expand makes of keys for several heads
};

double elements_of(const OnnxDims& dims);
/// "1 x 64 x 56 x 56"
std::string sides_text(const OnnxDims& dims);

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
/// The sides of a sum of both: sides of one grow. Nothing where they do not fit.
std::optional<OnnxDims> broadcast(const OnnxDims& a, const OnnxDims& b);
/// Without the sides `axes` (all where there are none), or with one in their place. Nothing where an axis
/// does not fit.
std::optional<OnnxDims> reduced(const OnnxDims& dims, const OnnxDims& axes, bool keep);
/// Sides of a matrix product, with broadcast sides in front. Nothing where they do not fit.
std::optional<OnnxDims> multiplied(const OnnxDims& a, const OnnxDims& b);
/// Whole numbers of an attribute, and of the input that stands for it in later versions.
OnnxDims numbers_of(const OnnxNode& node, const char* attribute, const OnnxValue* input);

constexpr std::size_t most_onnx_sides = 16;
constexpr std::int64_t longest_onnx_side = 1'000'000'000;

}  // namespace rackcast
