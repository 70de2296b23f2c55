#include "topologies/fabrics/named_cluster.hpp"

#include <doctest/doctest.h>

#include <string>

#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"
#include "topologies/fabrics/cluster_builder.hpp"
#include "topologies/graph/connectivity.hpp"
#include "topologies/nodes/node_builder.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

FabricPlan plan_of(const NamedCluster& cluster) {
  return plan_fabric(catalog(), cluster.node, cluster.nodes, cluster.fabric.choice);
}

std::string message_of(const char* text) {
  try {
    (void)read_fabric_options(parse_json(text, "test"));
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("every named cluster of the catalogue builds and is connected") {
  for (const std::string& id : catalog().ids("clusters")) {
    CAPTURE(id);
    const NamedCluster cluster = cluster_of(catalog(), id);
    const Topology t = build_cluster(build_node(cluster.node), plan_of(cluster));
    CHECK(is_connected(t));
    CHECK(t.nodes() == cluster.nodes);
    // The catalogue's count of GPUs, where it has one
    if (const Fact* gpus = catalog().find("clusters", id).find("gpus"))
      CHECK(static_cast<double>(t.gpus().size()) == gpus->number());
  }
}

TEST_CASE("MN-1 is 128 nodes of eight P100 on two FDR links each") {
  const NamedCluster mn1 = cluster_of(catalog(), "pfn_mn1");
  CHECK(mn1.nodes == 128);
  CHECK(mn1.node.gpus == 8);
  CHECK(mn1.node.nics == 2);
  CHECK(mn1.node.nic_link->id == "infiniband_4x/fdr");
  const FabricPlan p = plan_of(mn1);
  CHECK(p.leaf.id == "sx6036");
  CHECK(p.leaves == 15);  // 9 nodes of two ports fill the 18 of a leaf: 128 / 9
}

TEST_CASE("SATURN V of 2017 is 660 DGX-1V with four EDR links each") {
  const NamedCluster saturn = cluster_of(catalog(), "nvidia_saturnv_2017");
  CHECK(saturn.nodes == 660);
  CHECK(saturn.nodes * saturn.node.gpus == 5280);
  CHECK(plan_of(saturn).node_cables() == 2640);
}

TEST_CASE("ABCI's racks have four leaves, three switches above and 24 cables to two directors") {
  const NamedCluster abci = cluster_of(catalog(), "ABCI");
  const FabricPlan p = plan_of(abci);
  CHECK(p.groups == 32);
  CHECK(p.leaves == 32 * 4);
  CHECK(p.spines == 32 * 3);
  CHECK(p.uplinks_per_pair == 6);
  CHECK(p.cores == 2);
  int to_core = 0;
  for (const Trunk& t : p.trunks) to_core += t.b >= p.leaves + p.spines ? t.cables : 0;
  CHECK(to_core == 32 * 24);
  CHECK(p.node_leaf[34 * 2] == 4);  // the 35th node stands in the second rack
}

TEST_CASE("fabric options are checked where they stand") {
  CHECK(message_of(R"({"kind": "hypercube"})").find("torus_3d") != std::string::npos);
  CHECK(message_of(R"({"rails": "two"})").find("by_rail") != std::string::npos);
  CHECK(message_of(R"({"oversubscription": 0.5})") != "no error");
  CHECK(message_of(R"({"torus": [4, 0]})").find("65535") != std::string::npos);
  CHECK(message_of(R"({"links_per_node": 0})") != "no error");
  CHECK(message_of(R"({"swich": "sb7800"})").find("switch") != std::string::npos);
  const FabricOptions options = read_fabric_options(
      parse_json(R"({"kind": "torus_2d", "torus": [4, 6], "link": "fdr", "links_per_node": 2})", "test"));
  CHECK(options.choice.torus == std::vector<int>{4, 6});
  CHECK(options.links_per_node == 2);
  CHECK(options.for_another_node().link.empty());
  CHECK(options.for_another_node().choice.kind == "torus_2d");
  CHECK(options != FabricOptions{});
}
