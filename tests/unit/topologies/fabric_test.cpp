#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "sim/base/error.hpp"
#include "topologies/fabrics/cluster_builder.hpp"
#include "topologies/nodes/node_builder.hpp"
#include "topologies/routing/routing.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

NodeSpec one_port(std::string link = "edr") {
  return node_spec(catalog(),
                   {.node = "workstation", .gpu = "p100_pcie_16gb", .nics = 1, .nic_link = std::move(link)});
}

FabricPlan plan(const NodeSpec& node, int nodes, const FabricChoice& choice = {}) {
  return plan_fabric(catalog(), node, nodes, choice);
}

}  // namespace

TEST_CASE("a machine that fits one switch gets one") {
  const FabricPlan p = plan(one_port(), 30, {.storage_servers = 3, .storage_links = 2});
  CHECK(p.leaf.id == "sb7800");
  CHECK(p.leaves == 1);
  CHECK(p.spines == 0);
  CHECK(p.node_cables() == 30);
  CHECK(p.trunk_cables() == 0);
  CHECK(p.free_leaf_ports() == 0);  // 36 - 30 - 3*2
}

TEST_CASE("36-port leaves have 18 ports down and 18 up; the full tree has 648 nodes") {
  const FabricPlan p = plan(one_port(), 648);
  CHECK(p.down == 18);
  CHECK(p.up == 18);
  CHECK(p.leaves == 36);
  CHECK(p.spines == 18);
  CHECK(p.node_cables() == 648);
  CHECK(p.trunk_cables() == 648);
  CHECK(p.free_leaf_ports() == 0);
  CHECK(p.free_spine_ports() == 0);
  CHECK(p.oversubscription() == doctest::Approx(1));
}

TEST_CASE("a hundred nodes take six leaves and three spines") {
  // ceil(100/18) = 6 leaves; 6 cables from each leaf to each of 3 spines fill 36 ports
  const FabricPlan p = plan(one_port(), 100);
  CHECK(p.leaves == 6);
  CHECK(p.spines == 3);
  CHECK(p.uplinks_per_pair == 6);
  CHECK(p.trunk_cables() == 108);
  CHECK(p.free_leaf_ports() == 8);  // 6*36 - 100 - 108
}

TEST_CASE("a higher oversubscription takes uplinks away and leaves every node on its leaf") {
  // 18 of 36 ports down without oversubscription; 18 / 4 = 4.5 uplinks, rounded up.
  const FabricPlan full = plan(one_port(), 240);
  const FabricPlan p = plan(one_port(), 240, {.oversubscription = 4});
  CHECK(p.down == 18);
  CHECK(p.up == 5);
  CHECK(p.node_leaf == full.node_leaf);
  CHECK(p.oversubscription() == doctest::Approx(18.0 / 5));
  // A torus: 4 x 5 cables for 16 ports down without, 4 x 2 at 2:1.
  const FabricPlan ring = plan(one_port(), 240, {.kind = "torus_2d"});
  const FabricPlan half = plan(one_port(), 240, {.oversubscription = 2, .kind = "torus_2d"});
  CHECK(half.down == ring.down);
  CHECK(half.node_leaf == ring.node_leaf);
  CHECK(half.up < ring.up);
  // Pods: a core of a third keeps the leaves of a pod.
  const FabricPlan pods = plan(one_port(), 1000, {.kind = "three_level"});
  const FabricPlan thin = plan(one_port(), 1000, {.kind = "three_level", .core_oversubscription = 3});
  CHECK(thin.leaves_per_group == pods.leaves_per_group);
  CHECK(thin.node_leaf == pods.node_leaf);
}

TEST_CASE("leaves with more ports down are asked for, within the oversubscription") {
  CHECK(plan(one_port(), 240, {.oversubscription = 2, .down_ports = 20}).down == 20);
  CHECK(plan(one_port(), 240, {.oversubscription = 2, .down_ports = 20}).up == 10);
  CHECK(plan(one_port(), 240, {.oversubscription = 2, .down_ports = 30}).down == 24);  // 30 and 15 exceed 36
  CHECK(plan(one_port(), 240, {.down_ports = 30}).down == 18);
  CHECK(plan(one_port(), 240, {.down_ports = 10}).leaves == 24);
}

TEST_CASE("more ports down than any leaf has are refused, and 0 is as if nothing were stated") {
  CHECK_THROWS_WITH_AS(plan(one_port(), 240, {.down_ports = 5000}),
                       doctest::Contains("5000 ports of a leaf are asked for"), Error);
  CHECK(plan(one_port(), 240, {.down_ports = 0}).down == plan(one_port(), 240, {}).down);
}

TEST_CASE("two to one with full leaves: 24 ports down, 12 up") {
  const FabricPlan p = plan(one_port(), 240, {.oversubscription = 2, .down_ports = 24});
  CHECK(p.down == 24);
  CHECK(p.up == 12);
  CHECK(p.leaves == 10);
  CHECK(p.spines == 4);  // 3 is no good: 10 leaves x 4 cables exceed 36
  CHECK(p.oversubscription() == doctest::Approx(2));
}

TEST_CASE("the four ports of a DGX-1 stay on one leaf, four nodes to a leaf") {
  const NodeSpec dgx = node_spec(catalog(), "dgx1v_16gb");
  const FabricPlan p = plan(dgx, 10, {.storage_servers = 2});
  CHECK(p.leaves == 3);
  CHECK(p.node_leaf[0] == 0);
  CHECK(p.node_leaf[15] == 0);
  CHECK(p.node_leaf[16] == 1);
  // Each full leaf has two ports left, which storage may use.
  CHECK(p.storage_leaf == std::vector<int>{0, 1});
}

TEST_CASE("rails put port i of all nodes on the same leaves") {
  const NodeSpec dgx = node_spec(catalog(), "dgx1v_16gb");
  const FabricPlan p = plan(dgx, 18, {.rails = RailPlan::by_rail});
  CHECK(p.leaves == 4);
  for (int node = 0; node < 18; ++node) {
    for (int nic = 0; nic < 4; ++nic) CHECK(p.node_leaf[static_cast<std::size_t>(node * 4 + nic)] == nic);
  }
}

TEST_CASE("660 DGX-1 need a larger spine, which is found") {
  const FabricPlan p = plan(node_spec(catalog(), "dgx1v_16gb"), 660);
  CHECK(p.leaves == 165);  // four nodes each
  CHECK(p.spine.id == "cs7500");
  CHECK(p.spines == 6);  // 165 leaves x 3 cables = 495 of 648 ports
  CHECK(p.trunk_cables() == 165 * 18);
}

TEST_CASE("a fabric beyond three levels is infeasible and says so") {
  try {
    (void)plan(one_port("gbe10"), 100'000);
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::infeasible);
    CHECK(std::string{e.what()}.find("three levels") != std::string::npos);
  }
  CHECK_THROWS_AS((void)plan(one_port(), 0), Error);
  CHECK_THROWS_AS((void)plan(one_port(), 4, {.oversubscription = 0.5}), Error);
  CHECK_THROWS_AS((void)plan(node_spec(catalog(), "dell_c4130_k80"), 4), Error);  // ports unknown
}

TEST_CASE("a slower port on a faster switch counts half an uplink") {
  // 50 GbE ports, 100 Gbit/s uplinks: 21 down need 11 up of the 32 ports
  const FabricPlan p = plan(one_port("gbe50"), 100);
  CHECK(*p.leaf.ports == 32);
  CHECK(p.down == 21);
  CHECK(p.up == 11);
  CHECK(p.oversubscription() <= 1);
}

TEST_CASE("a cluster is copies of its node, switches and storage") {
  const NodeSpec dgx = node_spec(catalog(), "dgx1v_16gb");
  const FabricPlan p = plan(dgx, 10, {.storage_servers = 2});
  const Topology node = build_node(dgx);
  const Topology t = build_cluster(node, p);
  CHECK(t.nodes() == 10);
  CHECK(t.gpus().size() == 80);
  CHECK(t.devices_of(no_id, DeviceKind::leaf).size() == 3);
  CHECK(t.devices_of(no_id, DeviceKind::spine).size() == static_cast<std::size_t>(p.spines));
  CHECK(t.devices_of(no_id, DeviceKind::storage).size() == 2);
  CHECK(t.name(t.gpu(3, 5)) == "node3/gpu5");
  // node links, two per port, two per pair of leaf and spine, two per storage link
  CHECK(t.links().size() ==
        10 * node.links().size() + 2 * 40 + 2 * 3 * static_cast<std::size_t>(p.spines) + 2 * 2);
  CHECK(t.find_link(t.gpu(9, 0), t.gpu(9, 4), LinkKind::nvlink) != no_id);
}

TEST_CASE("between nodes data pass adapter, leaf, spine, leaf, adapter") {
  const NodeSpec dgx = node_spec(catalog(), "dgx1v_16gb");
  const FabricPlan p = plan(dgx, 12);
  const Topology t = build_cluster(build_node(dgx), p);
  Router router{t};
  const Route near = router.route(t.gpu(0, 0), t.gpu(1, 0));  // one leaf
  CHECK(near.hops.size() == 6);                               // gpu plx nic leaf nic plx gpu
  const Route far = router.route(t.gpu(0, 0), t.gpu(11, 7));
  CHECK(far.hops.size() == 8);
  // PCIe gen3 x16 gives 12 GB/s, EDR 12.1
  CHECK(far.bandwidth.base() == doctest::Approx(12e9));
  // adapters 0.5 us, three switches of 90 ns (leaf, spine, leaf), PCIe four times 0.75 us
  CHECK(p.spine.id == "sb7800");
  CHECK(far.latency.base() == doctest::Approx(0.5e-6 + 3 * 90e-9 + 4 * 0.75e-6));
}

TEST_CASE("Ethernet hashes flows unless it is told otherwise, InfiniBand does not") {
  CHECK(plan(one_port("edr"), 100).routing == FabricRouting::destination_mod);
  CHECK(plan(one_port("gbe100"), 100).routing == FabricRouting::ecmp);
  CHECK(plan(one_port("gbe100"), 100, {.routing = FabricRouting::adaptive}).routing ==
        FabricRouting::adaptive);
}

TEST_CASE("static routes depend on the destination alone; hashed ones on the flow; adaptive ones use all") {
  const NodeSpec dgx = node_spec(catalog(), "dgx1v_16gb");
  const FabricPlan p = plan(dgx, 32);
  const Topology t = build_cluster(build_node(dgx), p);
  Router router{t};
  const DeviceId to = t.devices_of(31, DeviceKind::nic)[0];
  const auto spine_of = [&](const Route& route) {
    return t.link(route.hops[1].link).to;
  };
  const DeviceId spine = spine_of(router.route(t.devices_of(0, DeviceKind::nic)[0], to));
  for (int node = 1; node < 4; ++node) {
    CHECK(spine_of(router.route(t.devices_of(node, DeviceKind::nic)[2], to)) == spine);
  }
  const DeviceId from = t.devices_of(0, DeviceKind::nic)[0];
  std::set<DeviceId> hashed;
  for (std::uint64_t flow = 0; flow < 64; ++flow) {
    hashed.insert(spine_of(router.route(from, to, {.routing = FabricRouting::ecmp, .flow = flow})));
  }
  CHECK(hashed.size() > 1);
  const Route split = router.route(from, to, {.routing = FabricRouting::adaptive});
  CHECK(split.hops.size() == 2 + 2 * static_cast<std::size_t>(p.spines));
  CHECK(split.bandwidth.base() == doctest::Approx(12.1e9));
}

TEST_CASE("flows between two leaves take an uplink each by D-Mod-K, and collide where a hash chooses") {
  const NodeSpec dgx = node_spec(catalog(), "dgx1v_16gb");
  const auto most_on_a_link = [&](FabricRouting routing) {
    const FabricPlan p = plan(dgx, 32, {.routing = routing, .kind = "two_level"});
    const Topology t = build_cluster(build_node(dgx), p);
    CHECK(t.routing() == routing);
    Router router{t};
    std::map<LinkId, double> flows;
    const int half = p.down / dgx.nics;  // nodes of a leaf
    for (int node = 0; node < half; ++node) {
      const auto from = t.devices_of(node, DeviceKind::nic), to = t.devices_of(half + node, DeviceKind::nic);
      for (std::size_t nic = 0; nic < from.size(); ++nic)
        for (const Hop& hop : router.route(from[nic], to[nic]).hops) flows[hop.link] += hop.share;
    }
    double most = 0;  // flows for each cable
    for (const auto& [link, load] : flows) most = std::max(most, load / t.link(link).width);
    return most;
  };
  CHECK(most_on_a_link(FabricRouting::destination_mod) == 1);
  CHECK(most_on_a_link(FabricRouting::adaptive) <= 1);
  CHECK(most_on_a_link(FabricRouting::ecmp) > 1);
  CHECK_THROWS_WITH_AS((void)parse_routing("ecpm"),
                       "error: unknown routing \"ecpm\"\n  hint: known: dmodk, ecmp, adaptive", Error);
}

TEST_CASE("storage reaches the memory of a node") {
  const NodeSpec dgx = node_spec(catalog(), "dgx1v_16gb");
  const Topology t =
      build_cluster(build_node(dgx), plan(dgx, 10, {.storage_servers = 1, .storage_links = 2}));
  Router router{t};
  const DeviceId server = t.devices_of(no_id, DeviceKind::storage)[0];
  const DeviceId cpu = t.devices_of(7, DeviceKind::cpu)[1];
  const Route route = router.route(server, cpu);
  CHECK(t.link(route.hops.front().link).from == server);
  CHECK(t.link(route.hops.back().link).to == cpu);
}

TEST_CASE("issue 23, item 35: adaptive routes are those of a router that has never seen another") {
  // Routes between the same two leaves share what was found for them; shares and order stay those of a route
  // that was found alone.
  const NodeSpec dgx = node_spec(catalog(), "dgx1v_16gb");
  const Topology t = build_cluster(build_node(dgx), plan(dgx, 32));
  Router used{t};
  const RouteChoice adaptive{.routing = FabricRouting::adaptive};
  for (const int from : {0, 1, 5})
    for (const int to : {2, 17, 31})
      for (const std::size_t nic : {0U, 3U}) {
        const DeviceId a = t.devices_of(from, DeviceKind::nic)[nic], b = t.devices_of(to, DeviceKind::nic)[0];
        Router fresh{t};
        const Route shared = used.route(a, b, adaptive), alone = fresh.route(a, b, adaptive);
        REQUIRE(shared.hops.size() == alone.hops.size());
        CHECK(shared.latency == alone.latency);
        CHECK(t.link(shared.hops.front().link).from == a);
        CHECK(t.link(shared.hops.back().link).to == b);
        double arrives = 0;
        for (std::size_t i = 0; i < alone.hops.size(); ++i) {
          CHECK(shared.hops[i].link == alone.hops[i].link);
          CHECK(shared.hops[i].share == alone.hops[i].share);
          if (t.link(shared.hops[i].link).to == b) arrives += shared.hops[i].share;
        }
        CHECK(arrives == doctest::Approx(1));
      }
}
