#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "sim/base/random.hpp"
#include "topologies/fabrics/cluster_builder.hpp"
#include "topologies/graph/connectivity.hpp"
#include "topologies/nodes/node_builder.hpp"
#include "topologies/nodes/rings.hpp"
#include "topologies/routing/routing.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

struct Case {
  NodeSpec spec;
  FabricPlan plan;
  double asked = 1;
};

Case random_case(RandomStream& random) {
  const char* const nodes[] = {"dgx1_p100",    "dgx1v_16gb", "dgx2",          "ibm_ac922_6gpu",
                               "dell_c4140_k", "pfn_mn1",    "dgx_a100_640gb"};
  Case out;
  out.spec = node_spec(catalog(), nodes[random.below(std::size(nodes))]);
  FabricChoice choice;
  choice.oversubscription = 1 + static_cast<double>(random.below(9)) / 4;
  choice.rails = static_cast<RailPlan>(random.below(3));
  const auto kind = random.below(fabric_kinds().size() + 1);  // the last: whatever is enough
  if (kind > 0 && kind < fabric_kinds().size()) choice.kind = fabric_kinds()[kind].name;
  if (choice.kind.starts_with("torus") && choice.rails == RailPlan::by_rail) choice.rails = RailPlan::by_node;
  choice.core_oversubscription = 1 + static_cast<double>(random.below(5)) / 2;
  choice.storage_servers = static_cast<int>(random.below(6));
  choice.storage_links = 1 + static_cast<int>(random.below(3));
  out.asked = choice.oversubscription;
  out.plan = plan_fabric(catalog(), out.spec, 2 + static_cast<int>(random.below(60)), choice);
  return out;
}

/// The links join up from `from` to `to`; parallel parts start where an earlier link ended.
void check_route(const Topology& t, const Route& route, DeviceId from, DeviceId to) {
  REQUIRE(!route.hops.empty());
  std::vector<double> flow(t.devices().size(), 0);
  flow[static_cast<std::size_t>(from)] = 1;
  for (const Hop& hop : route.hops) {
    const Link& link = t.link(hop.link);
    CHECK(flow[static_cast<std::size_t>(link.from)] >= hop.share - 1e-9);
    flow[static_cast<std::size_t>(link.from)] -= hop.share;
    flow[static_cast<std::size_t>(link.to)] += hop.share;
    CHECK(route.bandwidth.base() * hop.share <= t.bandwidth(hop.link).base() * (1 + 1e-9));
  }
  CHECK(flow[static_cast<std::size_t>(to)] == doctest::Approx(1));
  CHECK(route.latency > Duration{0});
}

}  // namespace

TEST_CASE("random fabrics are connected, within their ports and as oversubscribed as asked") {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    RandomStream random{seed, "fat trees"};
    const Case c = random_case(random);
    const Topology t = build_cluster(build_node(c.spec), c.plan);
    CHECK(is_connected(t));
    CHECK(c.plan.oversubscription() <= c.asked + 1e-9);
    CHECK(c.plan.free_leaf_ports() >= 0);
    CHECK(c.plan.free_spine_ports() >= 0);
    CHECK(c.plan.free_core_ports() >= 0);
    if (c.plan.spines > 0) CHECK(c.plan.uplinks_per_pair * c.plan.spines_per_group == c.plan.up);
    const auto within = [&](DeviceKind kind, int most) {
      for (const DeviceId id : t.devices_of(no_id, kind)) {
        int ports = 0;
        for (const LinkId link : t.out(id)) ports += t.link(link).width;
        CHECK(ports <= most);
      }
    };
    within(DeviceKind::leaf, *c.plan.leaf.ports);
    if (c.plan.spines > 0) within(DeviceKind::spine, *c.plan.spine.ports);
    if (c.plan.cores > 0) within(DeviceKind::core, *c.plan.core.ports);
  }
}

TEST_CASE("routes join their ends and carry no more than each link, by every way of routing") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    RandomStream random{seed, "routes"};
    const Case c = random_case(random);
    const Topology t = build_cluster(build_node(c.spec), c.plan);
    Router router{t};
    const auto gpus = t.gpus();
    for (int i = 0; i < 40; ++i) {
      const DeviceId from = gpus[random.below(gpus.size())];
      const DeviceId to = gpus[random.below(gpus.size())];
      if (from == to) continue;
      for (const auto routing :
           {FabricRouting::destination_mod, FabricRouting::ecmp, FabricRouting::adaptive}) {
        check_route(t, router.route(from, to, {.routing = routing, .flow = random.next()}), from, to);
      }
    }
  }
}

TEST_CASE("rings over random clusters keep within every link") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    RandomStream random{seed, "rings"};
    const Case c = random_case(random);
    const Topology t = build_cluster(build_node(c.spec), c.plan);
    Router router{t};
    const auto all = rings(router, t.gpus());
    std::vector<double> load(t.links().size(), 0);
    for (const Ring& ring : all) {
      CHECK(ring.gpus.size() == t.gpus().size());
      CHECK(ring.rate > Bandwidth{0});
      for (const Route& route : ring.hops(router)) {
        for (const Hop& hop : route.hops)
          load[static_cast<std::size_t>(hop.link)] += hop.share * ring.rate.base();
      }
    }
    for (std::size_t id = 0; id < load.size(); ++id) {
      CHECK(load[id] <= t.bandwidth(static_cast<LinkId>(id)).base() * (1 + 1e-9));
    }
  }
}

TEST_CASE("the only switch of a small machine is its single point of failure in the fabric") {
  const NodeSpec spec =
      node_spec(catalog(), {.node = "workstation", .gpu = "p100_pcie_16gb", .nics = 1, .nic_link = "edr"});
  const auto failing = [&](int nodes) {
    const Topology t = build_cluster(build_node(spec), plan_fabric(catalog(), spec, nodes));
    int spines = 0;
    int leaves = 0;
    for (const DeviceId id : single_points_of_failure(t)) {
      spines += t.device(id).kind == DeviceKind::spine;
      leaves += t.device(id).kind == DeviceKind::leaf;
    }
    return std::pair{leaves, spines};
  };
  CHECK(failing(20) == std::pair{1, 0});
  CHECK(failing(100) == std::pair{6, 0});  // spines stand in for each other; each leaf holds nodes alone
}
