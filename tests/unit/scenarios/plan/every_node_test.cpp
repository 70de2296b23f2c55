#include <doctest/doctest.h>

#include <string>

#include "scenarios/answer/planner.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/result/result.hpp"
#include "sim/json/reader.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/node_spec.hpp"

using namespace rackcast;

namespace {

Result simulated(const Catalog& catalog, const std::string& cluster) {
  const std::string text =
      R"({"name": "n", "data": {"samples": 100000, "bytes_per_sample": "110 kB"},
  "workloads": [{"model": "resnet50", "epochs": 1, "batch_per_gpu": 32}], "cluster": )" +
      cluster + "}";
  return simulate(read_scenario(parse_json(text, "node.json"), "node.json"), catalog);
}

}  // namespace

TEST_CASE("every node of the catalogue trains, alone and in a pair where it has ports") {
  const Catalog catalog = Catalog::builtin();
  int alone = 0, paired = 0;
  for (const std::string& id : catalog.ids("nodes")) {
    CAPTURE(id);
    const CatalogEntry& entry = catalog.find("nodes", id);
    const bool linked = entry.json.find("template") && entry.json.require("template").find("nvlink");
    const std::string gpu = linked ? R"(, "gpu": "v100_sxm2_16gb")" : R"(, "gpu": "t4")";
    const std::string node =
        R"({"node": ")" + id + '"' + (entry.json.find("template") ? gpu : "") + R"(, "nodes": )";
    const Result one = simulated(catalog, node + "1}");
    CHECK(one.prediction.time_to_train.value > 0);
    ++alone;
    try {
      const Result two = simulated(catalog, node + "2}");
      CHECK(two.prediction.time_to_train.value < one.prediction.time_to_train.value);
      ++paired;
    } catch (const Error& e) {
      CHECK(std::string{e.what()}.find("no network ports") != std::string::npos);
    }
  }
  CHECK(alone > 30);
  CHECK(paired > alone / 2);
}
