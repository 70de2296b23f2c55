#include "scenarios/listings/topology_view.hpp"

#include <doctest/doctest.h>

#include <string>

#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

TopologyTarget target(const std::string& name) {
  return topology_target(catalog(), {.name = name});
}

template <class Call>
std::string message_of(Call call) {
  try {
    (void)call();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a name is a node, a cluster or a scenario") {
  CHECK(!target("dgx2").is_cluster);
  CHECK(target("nvidia_saturnv_2017").nodes == 660);
  CHECK(target("pfn_mn1").is_cluster);
  const TopologyTarget many =
      topology_target(catalog(), {.name = "pcie_server", .gpu = "p100_pcie_16gb", .nodes = 40});
  CHECK(many.is_cluster);
  CHECK(many.nodes == 40);
  const std::string scenario = std::string{RACKCAST_SOURCE_DIR} + "/scenarios/fleet_conservative.json";
  CHECK(topology_target(catalog(), {.name = scenario}).node.gpus > 0);
}

TEST_CASE("an unknown machine has near matches of nodes and clusters") {
  CHECK(message_of([] { return target("dgx22").nodes; }).find("dgx2") != std::string::npos);
  CHECK(message_of([] { return target("nvidia_saturnv_2018").nodes; }).find("nvidia_saturnv_2017") !=
        std::string::npos);
  CHECK(message_of([] { return target("no/such.json").nodes; }) != "no error");
  CHECK(message_of([] { return target("pcie_server").nodes; }).find("GPU") != std::string::npos);
}

TEST_CASE("documents are tables with rows as long as their columns") {
  for (const char* name : {"dgx1v_16gb", "gb200_nvl72_rack", "workstation", "aist_abci"}) {
    CAPTURE(name);
    const bool is_template = std::string{name} == "workstation";
    const TopologyTarget t = topology_target(catalog(), {.name = name, .gpu = is_template ? "k40" : ""});
    for (const std::string& text : {show_topology(catalog(), t, true), check_topology(catalog(), t)}) {
      const Json document = parse_json(text, "document");
      CHECK(document.require("format").string() == "rackcast-table");
      for (const Json& table : document.require("tables").array()) {
        const std::size_t columns = table.require("columns").array().size();
        for (const Json& row : table.require("rows").array()) CHECK(row.array().size() == columns);
      }
    }
  }
}

TEST_CASE("the check says what a tree of 1:3 gives, and who is cut off by a leaf") {
  const std::string abci = check_topology(catalog(), target("aist_abci"));
  // 34 nodes of two ports share 24 cables per rack: 24 / 68 = 35 %
  CHECK(abci.find("at 35 % of the rate") != std::string::npos);
  CHECK(abci.find("A failed leaf cuts off 9 of 1088 nodes") != std::string::npos);
  const std::string mn1 = check_topology(catalog(), target("pfn_mn1"));
  CHECK(mn1.find("Full bisection") != std::string::npos);
}

TEST_CASE("a matrix of very many devices is shortened and says so") {
  CHECK(topology_matrix(target("gb200_nvl72_rack")).find("--json") != std::string::npos);
  CHECK(topology_matrix(target("dgx1v_16gb")).find("--json") == std::string::npos);
}

TEST_CASE("only known endings and views are drawn") {
  CHECK(message_of([] { return draw_topology(catalog(), target("dgx2"), "", ".png"); }).find(".graphml") !=
        std::string::npos);
  CHECK(message_of([] { return draw_topology(catalog(), target("dgx2"), "roof", ".svg"); }).find("floor") !=
        std::string::npos);
  CHECK(draw_topology(catalog(), target("pfn_mn1"), "node", ".svg").find("GPU 7") != std::string::npos);
  CHECK(draw_topology(catalog(), target("pfn_mn1"), "floor", ".svg").find("rack") != std::string::npos);
}
