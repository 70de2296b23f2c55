#pragma once
/// One operator of an ONNX graph on its way to layers, and what several operators need. Private to the ONNX
/// importer.
#include <string>
#include <vector>

#include "calibrate/import/onnx/layer_writer.hpp"

namespace rackcast {

struct OnnxPlace {
  const ImportSource& source;
  const OnnxNode& node;
  std::vector<const OnnxValue*> inputs;  ///< nullptr: left out
  std::int64_t batch = 0;                ///< samples that the file was written for; 0: open
  LayerWriter& layers;
  std::vector<std::string>& warnings;

  [[noreturn]] void fail(const std::string& message, const std::string& hint = {}) const;
  [[nodiscard]] bool has(std::size_t i) const { return i < inputs.size() && inputs[i] != nullptr; }
  [[nodiscard]] const OnnxValue& input(std::size_t i) const;
  /// A constant with so many sides, each above 0.
  [[nodiscard]] const OnnxDims& weights(std::size_t i, std::size_t sides) const;
  /// Whether the operator adds a constant of its own to the result.
  [[nodiscard]] bool has_bias(std::size_t i) const;
  /// Whole numbers of an attribute, or of the input that stands for it in later versions.
  [[nodiscard]] OnnxDims numbers(const char* attribute, std::size_t from_input) const;
  /// An attribute with one number for each side of a map (two for `pads`), from `otherwise` to a million.
  [[nodiscard]] OnnxDims per_side(const char* attribute, std::size_t count, std::int64_t otherwise) const;
  [[nodiscard]] std::int64_t groups() const;
  /// The value that flows; the layers go on from it.
  const OnnxValue& enter() const;
  /// The same for an image or a volume.
  const OnnxValue& enter_map() const;
};

/// "1 x 64 x 56 x 56"
std::string sides_text(const OnnxDims& dims);
/// One number where all are alike.
nlohmann::ordered_json per_axis(const OnnxDims& numbers);
/// Adds the attributes of a window to `layer` and gives the sides of the map behind it. `kernel`: its sides;
/// empty: as the attributes say.
OnnxDims take_window(const OnnxPlace& at, OnnxDims kernel, nlohmann::ordered_json& layer);
/// Operators that give a tensor another shape and nothing else.
OnnxValue another_shape(const OnnxPlace& at);

}  // namespace rackcast
