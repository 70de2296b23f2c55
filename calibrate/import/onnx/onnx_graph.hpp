#pragma once
/// What an ONNX file says of a network: its operators in order, and the constants that they read. Weights
/// keep their dimensions alone.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/import/import_source.hpp"

namespace rackcast {

using OnnxDims = std::vector<std::int64_t>;

/// Numbers of a small constant; null: not known. Shared, because exporters copy them from name to name.
using OnnxNumbers = std::shared_ptr<const std::vector<double>>;
/// Numbers of larger constants are weights: nobody reads them.
inline constexpr std::size_t most_onnx_numbers = 4096;
/// Null where there are more than anybody reads.
OnnxNumbers small_numbers(std::vector<double> numbers);

/// A tensor that is known before the network runs.
struct OnnxConstant {
  OnnxDims dims;
  OnnxNumbers numbers;
  bool whole = false;  ///< its numbers are integers
  /// Of a large matrix, the same for its transposition: some of its numbers. 0: not known.
  std::uint64_t print = 0;
  bool trained = true;  ///< false: numbers that the model keeps, but does not learn
};

struct OnnxAttribute {
  std::int64_t number = 0;
  double fraction = 0;
  std::string word;
  OnnxDims numbers;
  std::vector<double> fractions;
  std::optional<OnnxConstant> tensor;
};

struct OnnxNode {
  std::string kind;                  ///< "Conv"; of other domains than ONNX's own with the domain in front
  std::string name;                  ///< may be empty
  std::vector<std::string> inputs;   ///< "": left out
  std::vector<std::string> outputs;  ///< at least one
  std::map<std::string, OnnxAttribute, std::less<>> attributes;
  std::optional<OnnxDims> states = {};  ///< sides of the first result, where the file says them

  [[nodiscard]] std::int64_t number(std::string_view attribute, std::int64_t otherwise) const;
  [[nodiscard]] OnnxDims numbers(std::string_view attribute) const;
  [[nodiscard]] std::string_view word(std::string_view attribute) const;
  /// "Conv \"layer1.0\"", as safe text.
  [[nodiscard]] std::string title() const;
};

struct OnnxInput {
  std::string name;
  OnnxDims dims;                        ///< 0: open
  std::vector<std::string> names = {};  ///< of open sides; "": without a name
  bool whole = false;                   ///< integers or truth values: ids, masks, positions
};

struct OnnxGraph {
  std::string producer;
  std::vector<OnnxNode> nodes;  ///< each behind those that it reads
  std::map<std::string, OnnxConstant, std::less<>> constants;
  std::vector<OnnxInput> inputs;  ///< without constants
};

/// Throws Error, with the file, where two operators write one value, or one reads a value before it is
/// written.
void check_onnx_order(const ImportSource& source, const OnnxGraph& graph);

/// Throws Error, with the file, where this is no ONNX model or one without operators.
OnnxGraph read_onnx(const ImportSource& source);

}  // namespace rackcast
