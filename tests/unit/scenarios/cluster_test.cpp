#include <doctest/doctest.h>

#include <string>

#include "scenarios/answer/planner.hpp"
#include "scenarios/format/scenario.hpp"
#include "sim/base/error.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

Scenario scenario_with(const std::string& cluster) {
  return read_scenario(parse_json(R"({"name": "test", "data": {"samples": 1000000},
      "workloads": [{"model": "resnet50"}], "cluster": )" +
                                      cluster + "}",
                                  "test.json"),
                       "test.json");
}

std::string message_of(const std::string& cluster) {
  try {
    check_names(scenario_with(cluster), catalog());
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a named cluster brings its node, its number of nodes and its network") {
  const Scenario s = resolve_clusters(scenario_with(R"({"named": "pfn_mn1"})"), catalog());
  CHECK(s.cluster.node == "pfn_mn1");
  CHECK(s.cluster.nodes == 128);
  CHECK(s.cluster.fabric.choice.leaf_switch == "sx6036");
  CHECK(s.cluster.fabric.links_per_node == 2);
}

TEST_CASE("what the scenario says lies over a named cluster") {
  const Scenario s = resolve_clusters(
      scenario_with(
          R"({"named": "pfn_mn1", "nodes": 4, "fabric": {"links_per_node": 1, "rails": "by_rail"}})"),
      catalog());
  CHECK(s.cluster.nodes == 4);
  CHECK(s.cluster.fabric.links_per_node == 1);
  CHECK(s.cluster.fabric.choice.rails == RailPlan::by_rail);
  CHECK(s.cluster.fabric.choice.leaf_switch == "sx6036");  // still MN-1's
}

TEST_CASE("a cluster is a node or a name, known and not both") {
  CHECK(message_of("{}").find("\"named\"") != std::string::npos);
  CHECK(message_of(R"({"node": "dgx2", "named": "pfn_mn1"})").find("remove") != std::string::npos);
  CHECK(message_of(R"({"named": "pfn_mn2"})").find("pfn_mn1") != std::string::npos);
  CHECK(message_of(R"({"named": "pfn_mn1", "gpu": "k40"})").find("GPUs") != std::string::npos);
  CHECK(message_of(R"({"node": "dgx2", "fabric": {"link": "edrr"}})").find("edr") != std::string::npos);
  CHECK(message_of(R"({"named": "ABCI"})") == "no error");
}

TEST_CASE("a scenario's step runs on the network that it chooses") {
  const auto step = [](const std::string& fabric) {
    const Scenario s = scenario_with(R"({"node": "dgx1_p100", "nodes": 16, "fabric": )" + fabric + "}");
    return simulate(s, catalog(), nullptr).prediction.step_time.value;
  };
  const double full = step("{}");
  CHECK(step(R"({"links_per_node": 1, "link": "gbe10"})") > full);
  CHECK(step(R"({"kind": "torus_3d"})") >= full * (1 - 1e-9));
}
