#pragma once
/// What a file of torch.export's graph says: its operators in order, with the sides of what they read and
/// write. Private to the importer of such files; docs/reference/imports.md describes the format.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/import/import_source.hpp"
#include "calibrate/import/onnx/onnx_graph.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

struct FxTensor {
  OnnxDims dims;
  bool whole = false;  ///< integers or truth values
};

struct FxNode {
  Json json;  ///< for places
  std::string op = {}, name = {}, target = {};
  std::string kind = {};    ///< of a placeholder: "USER_INPUT", "PARAMETER", "BUFFER", ...
  std::string same = {};    ///< the placeholder before it that holds the same weights; may be empty
  std::string module = {};  ///< "layer1.0.conv1"; may be empty
  std::vector<std::optional<FxTensor>> outputs = {};  ///< nothing: no tensor

  /// "conv2d" of "aten.conv2d.default"; empty where this is no operator of aten.
  [[nodiscard]] std::string_view operation() const;
  [[nodiscard]] bool is_getitem() const;
  /// The first output. Throws Error where that is no tensor.
  [[nodiscard]] const FxTensor& output() const;

  /// An argument by its place or its name; nullptr where it is left out or null.
  [[nodiscard]] const Json* find(std::size_t place, std::string_view name = {}) const;
  [[nodiscard]] const Json& require(std::size_t place, std::string_view name = {}) const;
  /// The name of the value that an argument is; empty where it is left out or is a number.
  [[nodiscard]] std::string value(std::size_t place, std::string_view name = {}) const;
  [[nodiscard]] std::string needed(std::size_t place, std::string_view name = {}) const;
  /// Whole numbers, of one number or of a list; empty where the argument is left out.
  [[nodiscard]] OnnxDims numbers(std::size_t place, std::string_view name = {}) const;
  [[nodiscard]] std::int64_t number(std::size_t place, std::string_view name, std::int64_t otherwise) const;
  [[nodiscard]] bool flag(std::size_t place, std::string_view name, bool otherwise) const;
};

struct FxFile {
  std::string torch;  ///< version of PyTorch
  std::vector<FxNode> nodes;
};

/// The name of a value that another node has written; empty where `argument` is none.
std::string fx_value_of(const Json& argument);

/// Throws Error at the place where the file is not as described.
FxFile read_fx_file(const ImportSource& source);

}  // namespace rackcast
