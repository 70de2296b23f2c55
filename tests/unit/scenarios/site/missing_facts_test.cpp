// A fact that nobody states is no advantage: it is assumed with a warning and a wide interval, or asked for.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/sentences/reason_sentences.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/result/result.hpp"
#include "sim/json/reader.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "tests/unit/sim/temporary_folder.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;
using nlohmann::json;

namespace {

/// A catalogue whose node `id` lacks `facts`.
class Forgetful {
 public:
  Forgetful(const std::string& id, const std::vector<std::string>& facts) {
    std::ifstream in{std::string{RACKCAST_SOURCE_DIR} + "/topologies/data/nodes/" + id + ".json"};
    json node = json::parse(in);
    for (const std::string& fact : facts) REQUIRE(node["facts"].erase(fact) == 1);
    std::filesystem::create_directories(folder_ / "nodes");
    std::ofstream{folder_ / ("nodes/" + id + ".json")} << node;
  }
  [[nodiscard]] Catalog catalog() const { return Catalog::builtin(folder_.path()); }

 private:
  TemporaryFolder folder_;
};

Result run(const Catalog& catalog, const std::string& cluster, const std::string& storage,
           const std::string& model) {
  const std::string text = R"({"name": "x", "data": {"samples": 1281167, "bytes_per_sample": "0.1 MB"},
    "storage": {"array": ")" +
                           storage + R"("}, "workloads": [{"model": ")" + model +
                           R"(", "epochs": 1, "batch_per_gpu": 64}], "cluster": )" + cluster + "}";
  return simulate(read_scenario(parse_json(text, "x.json"), "x.json"), catalog, nullptr, {});
}

bool warns(const Result& result, const std::string& of) {
  for (const doc::Reason& warning : result.warnings)
    if (reports::reason_text(warning).find(of) != std::string::npos) return true;
  return false;
}

double width(const Estimate& e) {
  return e.high / e.low;
}

}  // namespace

TEST_CASE("issue 23, item 10: a node that does not state its CPU cores is not faster than one that does") {
  const std::string cluster = R"({"node": "dgx1_p100", "nodes": 1})";
  const Result known = run(Catalog::builtin(), cluster, "nvme_gen3", "alexnet");
  const Forgetful forgetful{"dgx1_p100", {"cpu_cores_total"}};
  const Result unknown = run(forgetful.catalog(), cluster, "nvme_gen3", "alexnet");
  CHECK(unknown.prediction.time_to_train.value >= known.prediction.time_to_train.value);
  CHECK(warns(unknown, "CPU cores"));
  CHECK(!warns(known, "CPU cores"));
  CHECK(width(unknown.prediction.time_to_train) > width(known.prediction.time_to_train));
}

TEST_CASE(
    "issue 23, item 10: a node that does not state where its GPUs are on PCIe is not faster than one that "
    "does") {
  const std::string cluster = R"({"node": "svail_titanx8", "nodes": 1})";
  const Result known = run(Catalog::builtin(), cluster, "none", "vgg16");
  const Forgetful no_tree{"svail_titanx8", {"pcie_tree"}};
  const Result unknown = run(no_tree.catalog(), cluster, "none", "vgg16");
  CHECK(unknown.prediction.time_to_train.value >= known.prediction.time_to_train.value);
  CHECK(warns(unknown, "pcie_tree"));
  CHECK(!warns(known, "pcie_tree"));
  CHECK(width(unknown.prediction.time_to_train) > width(known.prediction.time_to_train));
  CHECK(unknown.prediction.time_to_train.low <= known.prediction.time_to_train.high);
  const Forgetful nothing{"svail_titanx8", {"pcie_tree", "cpu_sockets", "inter_socket_link"}};
  const Result less = run(nothing.catalog(), cluster, "none", "vgg16");
  CHECK(less.prediction.time_to_train.value >= known.prediction.time_to_train.value);
  CHECK(warns(less, "cpu_sockets"));
}

TEST_CASE(
    "issue 23, item 10: a node without a network port is asked for one before it reads from storage "
    "elsewhere") {
  const Forgetful forgetful{"dgx1_p100", {"nics_compute"}};
  const std::string text = error_text([&] {
    (void)run(forgetful.catalog(), R"({"node": "dgx1_p100", "nodes": 1})", "nfs_10gbe", "alexnet");
  });
  CHECK(text.find("no known network port to read nfs_10gbe through") != std::string::npos);
  CHECK(text.find("\"link\"") != std::string::npos);
  const Result named =
      run(forgetful.catalog(), R"({"node": "dgx1_p100", "nodes": 1, "fabric": {"link": "gbe10"}})",
          "nfs_10gbe", "alexnet");
  CHECK(named.prediction.time_to_train.value > 0);
}
