#pragma once
/// Collects the layers of a network in the order in which they are written. Private to the ONNX importer.
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "calibrate/import/onnx/onnx_constants.hpp"

namespace rackcast {

/// A layer goes on from the one before it. A value that is read elsewhere gets a name ("save"), and layers go
/// back to it by that name ("use"). Each written layer makes a flow. Flows are numbered; 0 is the network's
/// input.
class LayerWriter {
 public:
  explicit LayerWriter(OnnxDims input) : dims_{std::move(input)} {}

  /// Writes `layer` behind the current flow and goes on from its result, of dimensions `dims`. `vector`: the
  /// layer makes a vector, whatever sides of one the file adds to it.
  OnnxValue write(nlohmann::ordered_json layer, OnnxDims dims, bool vector);
  /// Goes on from `value`; flattens a map where the value is a vector. False where its dimensions are not
  /// those of what the layers compute.
  bool go_to(const OnnxValue& value);
  /// Lists of layers, one for each value, for a layer that joins them. False as for go_to().
  bool branches(const std::vector<const OnnxValue*>& values, nlohmann::ordered_json& lists);
  /// Whether the flow of `value`, or the current one, is one vector for each sample, not a map.
  [[nodiscard]] bool is_vector(const OnnxValue& value) const { return dims_[index(value.flow)].size() == 2; }
  [[nodiscard]] bool at_vector() const { return dims_[index(current_)].size() == 2; }
  /// The layer that computes `value`, where nothing was written behind it; else nullptr.
  nlohmann::ordered_json* last_layer(const OnnxValue& value);

  [[nodiscard]] nlohmann::ordered_json layers() const;

 private:
  struct Written {
    nlohmann::ordered_json layer;
    int flow = -1;  ///< the number of its result; -1: it goes back to another one
  };
  static std::size_t index(int flow) { return static_cast<std::size_t>(flow); }
  static std::string name(int flow) { return flow == 0 ? "input" : "value" + std::to_string(flow); }

  std::vector<OnnxDims> dims_;  ///< of each flow
  std::vector<Written> written_;
  std::set<int> named_;
  int current_ = 0;
};

}  // namespace rackcast
