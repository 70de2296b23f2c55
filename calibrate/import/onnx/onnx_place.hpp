#pragma once
/// One operator of a graph on its way to layers, and what several operators need. Private to the importers of
/// graphs.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "calibrate/import/onnx/layer_writer.hpp"
#include "calibrate/import/onnx/onnx_value.hpp"

namespace rackcast {

struct OnnxPlace {
  const ImportSource& source;
  const OnnxNode& node;
  std::vector<const OnnxValue*> inputs;  ///< nullptr: left out
  std::int64_t batch = 0;                ///< samples that the file was written for; 0: open
  LayerWriter& layers;
  std::vector<std::string>& warnings;
  std::set<std::string>& counted;            ///< tables whose weights count in a layer before
  std::map<std::size_t, OnnxValue>& others;  ///< for results behind the first

  [[noreturn]] void fail(const std::string& message, const std::string& hint = {}) const;
  [[nodiscard]] bool has(std::size_t i) const { return i < inputs.size() && inputs[i] != nullptr; }
  [[nodiscard]] const OnnxValue& input(std::size_t i) const;
  /// What layers compute.
  [[nodiscard]] bool flows(std::size_t i) const { return has(i) && inputs[i]->flow >= 0; }
  [[nodiscard]] const OnnxValue& flowing(std::size_t i) const;
  /// A constant with so many sides, each above 0.
  [[nodiscard]] const OnnxDims& weights(std::size_t i, std::size_t sides) const;
  /// Whether the operator adds a constant of its own to the result.
  [[nodiscard]] bool has_bias(std::size_t i) const;
  /// Whole numbers of an attribute, or of the input that stands for it in later versions.
  [[nodiscard]] OnnxDims numbers(const char* attribute, std::size_t from_input) const;
  /// An attribute with one number for each side of a map (two for `pads`), from `otherwise` to a million.
  [[nodiscard]] OnnxDims per_side(const char* attribute, std::size_t count, std::int64_t otherwise) const;
  [[nodiscard]] std::int64_t groups() const;
  /// Whether a layer before has counted these weights; from now on one has.
  [[nodiscard]] bool counted_before(const OnnxValue& weights) const;

  /// The layers go on from the first input: an image, a volume, or the vector that a pooled one is.
  const OnnxValue& enter_map() const;
  /// From input `i` as rows of `width` features, or one vector.
  const OnnxValue& enter_rows(std::size_t i, std::int64_t width) const;
  /// From input `i` in the shape that it has, or as rows where it is a part of what a layer computes.
  const OnnxValue& enter(std::size_t i) const;
  /// Writes a layer, and says what its result is to the graph.
  [[nodiscard]] OnnxValue write(nlohmann::ordered_json layer, FlowSides sides, OnnxDims dims) const;
};

/// [height, width, channels] of 1 x channels x height x width, and the like of a volume.
FlowSides map_of(const OnnxDims& dims);
/// [rows, width], or [width] for one row.
FlowSides rows_of(double elements, std::int64_t width);
/// The shape in which a flow holds a value: its own, or rows as long as the last side where that is a part.
FlowSides held_by(const FlowSides& flow, const OnnxDims& dims);
/// One number where all are alike.
nlohmann::ordered_json per_axis(const OnnxDims& numbers);
/// Adds the attributes of a window to `layer` and gives the sides of the map behind it. `kernel`: its sides;
/// empty: as the attributes say.
OnnxDims take_window(const OnnxPlace& at, OnnxDims kernel, nlohmann::ordered_json& layer);

}  // namespace rackcast
