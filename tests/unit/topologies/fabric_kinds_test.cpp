#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "sim/base/error.hpp"
#include "topologies/fabrics/cluster_builder.hpp"
#include "topologies/graph/connectivity.hpp"
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

FabricPlan plan(const NodeSpec& node, int nodes, const FabricChoice& choice) {
  return plan_fabric(catalog(), node, nodes, choice);
}

std::set<int> ends_of(const FabricPlan& p, int first, int count) {
  std::set<int> cables;
  for (int id = first; id < first + count; ++id) {
    int sum = 0;
    for (const Trunk& t : p.trunks) sum += t.a == id || t.b == id ? t.cables : 0;
    cables.insert(sum);
  }
  return cables;
}

}  // namespace

TEST_CASE("the full three-level tree of 36-port switches has 11664 nodes") {
  // k^3/4 hosts, k^2/2 leaves and spines, k^2/4 cores for k = 36 (Al-Fares et al. 2008)
  const FabricPlan p =
      plan(one_port(), 11'664, {.spine_switch = "sb7800", .kind = "three_level", .core_switch = "sb7800"});
  CHECK(p.leaves == 648);
  CHECK(p.spines == 648);
  CHECK(p.cores == 324);
  CHECK(p.groups == 36);
  CHECK(p.trunk_cables() == 2 * 11'664);
  CHECK(p.free_leaf_ports() == 0);
  CHECK(p.free_spine_ports() == 0);
  CHECK(p.free_core_ports() == 0);
  CHECK_THROWS_AS((void)plan(one_port(), 11'665,
                             {.spine_switch = "sb7800", .kind = "three_level", .core_switch = "sb7800"}),
                  Error);
}

TEST_CASE("the planner takes three levels where two do not reach") {
  const FabricPlan p = plan(one_port("gbe10"), 20'000, {});
  CHECK(p.kind == "three_level");
  CHECK(p.cores > 0);
  CHECK(plan(one_port("gbe10"), 1000, {}).kind == "two_level");
}

TEST_CASE("three to one between the pods leaves a third of the cables to the cores") {
  const FabricChoice thin{.spine_switch = "sb7800",
                          .kind = "three_level",
                          .core_switch = "sb7800",
                          .core_oversubscription = 3,
                          .leaves_per_group = 27};
  const FabricPlan p = plan(one_port(), 1458, thin);
  // A spine has 27 leaves below and 9 cores above; 1458 / 18 = 81 leaves are 3 pods of 27.
  CHECK(p.groups == 3);
  CHECK(p.leaves_per_group == 27);
  CHECK(p.spines == 3 * 18);
  CHECK(ends_of(p, p.leaves, p.spines) == std::set<int>{36});
  int to_core = 0;
  for (const Trunk& t : p.trunks) to_core += t.b >= p.leaves + p.spines ? t.cables : 0;
  CHECK(to_core == 1458 / 3);
}

TEST_CASE("Summit's 4608 nodes with two EDR ports take 512 leaves and 18 directors") {
  const FabricPlan p = plan(node_spec(catalog(), "ibm_ac922_6gpu"), 4608, {});
  CHECK(p.leaves == 512);
  CHECK(p.spines == 18);
  CHECK(p.spine.id == "cs7500");
}

TEST_CASE("separate rails are copies of one network without a cable between them") {
  const NodeSpec node = node_spec(catalog(), "pfn_mn1");
  const FabricPlan p = plan(node, 128, {.rails = RailPlan::separate});
  CHECK(p.planes == 2);
  CHECK(p.leaves == 2 * 8);  // 128 ports over leaves of 18
  const int half = p.leaves / 2;
  for (const Trunk& t : p.trunks) CHECK((t.a < half) == (t.b < p.leaves + p.spines / 2));
  for (std::size_t i = 0; i < p.node_leaf.size(); ++i) CHECK((p.node_leaf[i] < half) == (i % 2 == 0));
  const Topology t = build_cluster(build_node(node), p);
  CHECK(is_connected(t));  // through the nodes
  Router router{t};
  // GPU 0 sits next to adapter 0, GPU 4 next to adapter 1: data enter the far node by the sender's rail.
  const Route route = router.route(t.gpu(0, 0), t.gpu(100, 4));
  const DeviceId entry = t.devices_of(100, DeviceKind::nic)[0];
  CHECK(std::ranges::any_of(route.hops, [&](const Hop& hop) { return t.link(hop.link).to == entry; }));
}

TEST_CASE(
    "issue 23, item 31: on DGX H100 with separate rails data change rails over NVLink before they leave") {
  const NodeSpec node = node_spec(catalog(), "dgx_h100");
  const FabricPlan p = plan(node, 128, {.rails = RailPlan::separate});
  CHECK(p.planes == 8);
  const Topology t = build_cluster(build_node(node), p);
  Router router{t};
  const Route route = router.route(t.gpu(0, 0), t.gpu(127, 7));
  // gpu0, NVSwitches, gpu7, PCIe switch, nic7, network, nic7, PCIe switch, gpu7: no CPU, and rail 7 alone
  bool nvlink = false;
  for (const Hop& hop : route.hops) {
    const Link& link = t.link(hop.link);
    for (const DeviceId end : {link.from, link.to}) {
      CHECK(t.device(end).kind != DeviceKind::cpu);
      if (t.device(end).kind == DeviceKind::nic) CHECK(t.device(end).index == 7);
    }
    nvlink = nvlink || t.class_of(hop.link).kind == LinkKind::nvlink;
  }
  CHECK(nvlink);
  // The adapter is the narrowest part, as without a change of rails.
  CHECK(route.bandwidth.base() == doctest::Approx(router.route(t.gpu(0, 7), t.gpu(127, 7)).bandwidth.base()));
  // Every GPU reaches every GPU, also where the adapters of both ends are given, as rings do.
  RouteChoice choice;
  choice.from_nic = router.nearest_nic(t.gpu(0, 2));
  choice.to_nic = router.nearest_nic(t.gpu(5, 3));
  CHECK(router.route(t.gpu(0, 2), t.gpu(5, 3), choice).bandwidth.base() > 0);
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < 8; ++b) CHECK_NOTHROW((void)router.route(t.gpu(0, a), t.gpu(1, b)));
}

TEST_CASE(
    "issue 23, item 31: without NVLink data whose adapters of both ends are given change rails over the "
    "host") {
  const NodeSpec node = node_spec(catalog(), "pfn_mn1");
  const Topology t = build_cluster(build_node(node), plan(node, 8, {.rails = RailPlan::separate}));
  Router router{t};
  RouteChoice choice;
  choice.from_nic = t.devices_of(0, DeviceKind::nic)[0];
  choice.to_nic = t.devices_of(3, DeviceKind::nic)[1];
  const Route route = router.route(t.gpu(0, 0), t.gpu(3, 4), choice);
  const DeviceId exit = t.devices_of(0, DeviceKind::nic)[1];
  CHECK(std::ranges::any_of(route.hops, [&](const Hop& hop) { return t.link(hop.link).from == exit; }));
}

TEST_CASE("a dragonfly+ joins every two groups by as many cables as the spines' ports allow") {
  const FabricPlan p = plan(one_port(), 1620, {.spine_switch = "sb7800", .kind = "dragonfly_plus"});
  // 1620 / 18 = 90 leaves in 5 groups of 18; 18 spines with 18 free ports each: 324 / 4 = 81 cables per pair
  CHECK(p.groups == 5);
  CHECK(p.leaves_per_group == 18);
  CHECK(p.spines_per_group == 18);
  int between[5][5] = {};
  for (const Trunk& t : p.trunks) {
    if (t.a < p.leaves) continue;
    between[(t.a - p.leaves) / 18][(t.b - p.leaves) / 18] += t.cables;
  }
  for (int a = 0; a < 5; ++a) {
    for (int b = a + 1; b < 5; ++b) CHECK(between[a][b] == 81);
  }
  CHECK(ends_of(p, p.leaves, p.spines) == std::set<int>{36});
  const Topology t = build_cluster(build_node(one_port()), p);
  CHECK(is_connected(t));
  Router router{t};
  // adapter, leaf, spine, spine, leaf, adapter between PCIe links, in the best case
  CHECK(router.route(t.gpu(0, 0), t.gpu(1600, 0)).hops.size() <= 9);
}

TEST_CASE("a torus of 64 switches is a cube whose corners are neighbours") {
  // 18 node ports, three cables to each of six neighbours: 36
  const FabricPlan p = plan(one_port(), 64 * 18, {.kind = "torus_3d"});
  CHECK(p.torus == std::vector<int>{4, 4, 4});
  CHECK(p.leaves == 64);
  CHECK(p.trunks.size() == 3 * 64);
  CHECK(ends_of(p, 0, 64) == std::set<int>{18});
  const Topology t = build_cluster(build_node(one_port()), p);
  const DeviceId first = t.devices_of(no_id, DeviceKind::leaf)[0];
  CHECK(t.find_link(first, first + 3) != no_id);   // around the last dimension
  CHECK(t.find_link(first, first + 48) != no_id);  // around the first
  CHECK(t.find_link(first, first + 5) == no_id);
  Router router{t};
  // The farthest switch is two steps away in each dimension: 6 hops, and adapter, CPU, GPU at both ends.
  const int far = (2 * 16 + 2 * 4 + 2) * 18;
  CHECK(router.route(t.gpu(0, 0), t.gpu(far, 0)).hops.size() == 6 + 3 + 3);
}

TEST_CASE("a torus keeps the sides that it is given, and a ring of two is one bundle") {
  const FabricPlan p = plan(one_port(), 100, {.kind = "torus_2d", .torus = {4, 2}});
  CHECK(p.leaves == 8);
  CHECK(p.trunks.size() == 8 + 4);
  // 20 ports down, 4 cables to each of 4 neighbours; the ring of two has both on one bundle
  int widest = 0;
  for (const Trunk& t : p.trunks) widest = std::max(widest, t.cables);
  CHECK(widest == 2 * p.uplinks_per_pair);
  CHECK_THROWS_AS((void)plan(one_port(), 100, {.kind = "torus_2d", .torus = {4, 2, 2}}), Error);
  CHECK_THROWS_AS((void)plan(one_port(), 1000, {.kind = "torus_2d", .torus = {2, 2}}), Error);
  CHECK_THROWS_AS((void)plan(one_port(), 1000, {.kind = "torus_2d", .torus = {-2, 2}}), Error);
  CHECK_THROWS_AS((void)plan(one_port(), 1000, {.rails = RailPlan::by_rail, .kind = "torus_2d"}), Error);
}

TEST_CASE("an unknown fabric or way of rails lists the known ones") {
  const auto text = [](auto call) -> std::string {
    try {
      (void)call();
    } catch (const Error& e) {
      return e.what();
    }
    return {};
  };
  CHECK(text([] { return plan(one_port(), 4, {.kind = "butterfly"}).leaves; }).find("dragonfly_plus") !=
        std::string::npos);
  CHECK(text([] { return parse_rail_plan("twin"); }).find("separate") != std::string::npos);
  CHECK(parse_rail_plan("by_rail") == RailPlan::by_rail);
}

TEST_CASE("static routes of a three-level tree use every core evenly") {
  const NodeSpec node = one_port();
  const FabricPlan p =
      plan(node, 11'664, {.spine_switch = "sb7800", .kind = "three_level", .core_switch = "sb7800"});
  const Topology t = build_cluster(build_node(node), p);
  Router router{t};
  // From the first leaf to the 324 nodes of the next pod: as many destinations as cores, each its own.
  std::set<DeviceId> cores;
  for (int n = 324; n < 648; ++n) {
    for (const Hop& hop : router.route(t.gpu(0, 0), t.gpu(n, 0)).hops) {
      if (t.device(t.link(hop.link).to).kind == DeviceKind::core) cores.insert(t.link(hop.link).to);
    }
  }
  CHECK(cores.size() == 324);
}

TEST_CASE("a ring over the nodes of a three-level tree meets itself on no link") {
  // Static routes carry every shift of the nodes without a collision (Zahavi, CCIT report 776, 2010). 96
  // nodes of eight ports: cores that serve a run of spines of each pod, whose ports the destinations take in
  // turn.
  const NodeSpec node = node_spec(catalog(), "dgx_a100_640gb");
  for (const int nodes : {96, 140, 192}) {
    const FabricPlan p = plan(node, nodes, {.leaf_switch = "qm8700"});
    CHECK(p.kind == "three_level");
    const Topology t = build_cluster(build_node(node), p);
    Router router{t};
    std::map<LinkId, double> flows;
    for (int n = 0; n < nodes; ++n)
      for (int g = 0; g < 8; ++g)
        for (const Hop& hop : router.route(t.gpu(n, g), t.gpu((n + 1) % nodes, g)).hops)
          if (t.device(t.link(hop.link).from).node == no_id) flows[hop.link] += hop.share;
    for (const auto& [link, share] : flows) CHECK(share == 1);
  }
}

TEST_CASE("a hundred thousand GPUs fit in 16 bytes a link and 12 a device") {
  const NodeSpec node = node_spec(catalog(), "dgx_h100");
  const FabricPlan p = plan(node, 16'384, {.leaf_switch = "q3400"});
  const Topology t = build_cluster(build_node(node), p);
  CHECK(p.kind == "three_level");
  CHECK(t.gpus().size() == 131'072);
  CHECK(t.links().size() * 16 + t.devices().size() * 12 < 50'000'000);
}
