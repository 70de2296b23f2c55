#pragma once
/// Networks that tests import from texts of theirs.
#include <algorithm>
#include <map>
#include <string>

#include "calibrate/import/import.hpp"
#include "models/networks/workload.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast::imported {

using Sizes = std::map<std::string, std::int64_t>;

inline Json document(const std::string& text, const Sizes& sizes = {}, const std::string& kind = "onnx") {
  const ImportResult result =
      import_text(Catalog::builtin(), {.kind = kind, .path = "net", .program = "test", .sizes = sizes}, text);
  return parse_json(result.text, "import");
}
inline Workload network(const std::string& text, const Sizes& sizes = {}, const std::string& kind = "onnx") {
  return own_network(document(text, sizes, kind).require("network"), {});
}
inline std::string error_of(const std::string& text, const Sizes& sizes = {},
                            const std::string& kind = "onnx") {
  try {
    (void)document(text, sizes, kind);
  } catch (const Error& e) {
    return std::string{e.what()} + " / " + e.hint();
  }
  return "imported";
}
inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
inline double flops(const Workload& workload) {
  return workload.forward_flop().base();
}
inline int count_of(const Workload& workload, const std::string& kind) {
  return static_cast<int>(
      std::ranges::count_if(workload.operators, [&](const Operator& op) { return op.kind == kind; }));
}
inline bool warns(const Json& imported, const std::string& part) {
  const auto& warnings = imported.require("warnings").array();
  return std::ranges::any_of(warnings, [&](const Json& one) { return contains(one.string(), part); });
}

}  // namespace rackcast::imported
