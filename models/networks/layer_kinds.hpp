#pragma once
/// The kinds of layer a workload file can name. A new kind is one function and one line of the table in
/// models/networks/layers/table.cpp.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/networks/layer_arguments.hpp"
#include "models/networks/network_builder.hpp"

namespace rackcast {

class WorkloadReader;

/// What a layer function works with.
struct LayerContext {
  NetworkBuilder& network;
  WorkloadReader& reader;
  LayerArguments& arguments;
  Flow input;
  std::string name;  ///< for its operator; the builder adds the prefix

  /// Expands a list of layers behind `from`.
  Flow run(const Json& layers, const Flow& from) const;
  /// Expands every list of a list of lists behind `from`; at least one.
  std::vector<Flow> run_branches(const Json& lists, const Flow& from) const;
  /// A value kept by "save"; Error with near matches.
  const Flow& saved(const Json& key) const;
};

struct LayerKind {
  std::string_view name, help;
  Flow (*make)(LayerContext&);  ///< reads its arguments, appends its operators, returns what flows on
};

std::span<const LayerKind> layer_kinds();

}  // namespace rackcast
