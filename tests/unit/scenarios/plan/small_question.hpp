/// A question that the tests of the planner share.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "scenarios/format/scenario.hpp"
#include "sim/json/reader.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {

inline const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

/// A small question with a site that prices everything.
inline const std::string kSmall = R"({
  "name": "small",
  "data": {"samples": 80000000, "bytes_per_sample": "0.113 MB"},
  "workloads": [
    {"model": "resnet50", "epochs": 90, "batch_per_gpu": 64, "precision": "mixed",
     "framework": {"name": "tensorflow", "version": "NGC 18.08"}},
    {"model": "inception-v3", "epochs": 40, "batch_per_gpu": 64, "precision": "mixed"}
  ],
  "workloads_run": "each-on-its-own",
  "cluster": {"node": "dgx1v_16gb"},
  "goal": {"deadline": "5 days", "max_nodes": 6},
  "site": {"prices": {"date": "2018-06-30", "staff": "60000 USD/year"}},
  "search": {"node": ["dgx1v_16gb", "dgx2", "dgx1_p100"], "batch_per_gpu": [32, 64]}
})";

inline Scenario small(const std::vector<std::pair<std::string, std::string>>& sets = {}) {
  Json json = parse_json(kSmall, "small.json");
  for (const auto& [path, value] : sets) json = json.with(path, parse_json_or_string(value, path));
  return read_scenario(json, "small.json");
}

}  // namespace rackcast
