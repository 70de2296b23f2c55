#pragma once
/// Scenarios and what `rackcast export launch` writes for them.
#include <string>

#include "scenarios/format/scenario.hpp"
#include "scenarios/launch/launch_text.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {

inline const Catalog& launch_catalog() {
  static const Catalog all = Catalog::builtin();
  return all;
}

inline std::string launched(const std::string& scenario, const std::string& target = {},
                            const std::string& workload = {}) {
  return launch_text(read_scenario_text(scenario, "s.json"), "s.json", launch_catalog(), target, workload,
                     {});
}

inline std::string not_launched(const std::string& scenario, const std::string& target = {}) {
  return error_text([&] { (void)launched(scenario, target); });
}

/// A training on nodes with eight GPUs each.
inline std::string training(const std::string& workload, const std::string& more = {}, int nodes = 4) {
  return R"({"name": "own", "data": {"samples": 1000000}, "workloads": [)" + workload +
         R"(], "cluster": {"node": "dgx_h100", "nodes": )" + std::to_string(nodes) + "}" + more + "}";
}

}  // namespace rackcast
