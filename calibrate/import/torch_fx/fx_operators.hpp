#pragma once
/// The operators of aten, in those of ONNX. Private to the importer of torch.export's graphs.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/import/torch_fx/fx_file.hpp"

namespace rackcast {

/// Grows a graph of ONNX's operators while it goes through one of aten.
class FxGraph {
 public:
  /// Adds an operator whose result is that of `node`, with the sides that the file says.
  void add(const FxNode& node, const std::string& kind, std::vector<std::string> inputs,
           std::map<std::string, OnnxDims> lists = {}, std::map<std::string, std::int64_t> numbers = {});
  /// The same for a step on the way; gives its name. Empty `dims`: as the operator makes them.
  std::string step(const FxNode& node, const std::string& kind, std::vector<std::string> inputs,
                   const std::optional<OnnxDims>& dims, std::map<std::string, OnnxDims> lists = {},
                   std::map<std::string, std::int64_t> numbers = {});
  /// A number whose value does not matter.
  std::string scalar();
  /// A list of whole numbers, for operators that read one.
  std::string list(const OnnxDims& numbers);
  /// The sides of a value that the file has said before. Throws Error, at `node`, where there is none.
  [[nodiscard]] const OnnxDims& dims(const FxNode& node, const std::string& value) const;
  /// The node that writes a value; nullptr where there is none before.
  [[nodiscard]] const FxNode* writer(const std::string& value) const;
  void note(const FxNode& node) { nodes_[node.name] = &node; }

  OnnxGraph graph;

 private:
  std::map<std::string, const FxNode*, std::less<>> nodes_;
  int steps_ = 0;
};

/// The inputs of an operator, and its bias where that is not "".
std::vector<std::string> fx_with_bias(std::vector<std::string> inputs, std::string bias);

// fx_windows.cpp: windows along the sides of a map, or of a sequence.
void add_fx_convolution(FxGraph& graph, const FxNode& node);
void add_fx_pool(FxGraph& graph, const FxNode& node);
/// To one position, or by windows of equal size.
void add_fx_adaptive_pool(FxGraph& graph, const FxNode& node);

/// Adds an operator of aten to `graph`. False where there is none of this name.
bool add_fx_operator(FxGraph& graph, const FxNode& node);

}  // namespace rackcast
