#include "topologies/nodes/rings.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "topologies/fabrics/cluster_builder.hpp"
#include "topologies/nodes/node_builder.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

Topology cluster(const NodeSpec& spec, int nodes) {
  return build_cluster(build_node(spec), plan_fabric(catalog(), spec, nodes));
}

/// Rings over the first `count` GPUs of a node.
std::vector<Ring> first_gpus(const Topology& t, int count, RouterOptions options = {}) {
  Router router{t, options};
  std::vector<DeviceId> gpus;
  for (int i = 0; i < count; ++i) gpus.push_back(t.gpu(0, i));
  return rings(router, gpus);
}

/// Total rate in units of one NVLink.
double in_links(const Topology& t, int count, double link_rate, RouterOptions options = {}) {
  return total_rate(first_gpus(t, count, options)).base() / link_rate;
}

void check_ring(Router& router, const Ring& ring, std::size_t gpus) {
  const Topology& t = router.topology();
  const std::vector<Route> hops = ring.hops(router);
  CHECK(std::set<DeviceId>(ring.gpus.begin(), ring.gpus.end()).size() == gpus);
  REQUIRE(hops.size() == gpus);
  for (std::size_t i = 0; i < gpus; ++i) {
    CHECK(t.link(hops[i].hops.front().link).from == ring.gpus[i]);
    CHECK(t.link(hops[i].hops.back().link).to == ring.gpus[(i + 1) % gpus]);
  }
}

}  // namespace

TEST_CASE("a DGX-1 P100 has as many rings as measured: 1, 2, 3, 2, 2, 4 links for 2, 3, 4, 6, 7, 8 GPUs") {
  // Tartan (IISWC 2018): 17.3, 34.6, 52.1, 34.7, 34.7, 64.1 GB/s with links of 18
  const Topology t = build_node(node_spec(catalog(), "dgx1_p100"));
  const std::map<int, double> links{{2, 1}, {3, 2}, {4, 3}, {6, 2}, {7, 2}, {8, 4}};
  for (const auto& [gpus, expected] : links) CHECK(in_links(t, gpus, 18e9) == doctest::Approx(expected));
}

TEST_CASE("a DGX-1V has as many rings as measured: 1, 2, 4, 2, 4, 6 links for 2, 3, 4, 6, 7, 8 GPUs") {
  // vTrain: 22.6, 45.1, 85.4, 45.7, 87.0, 134.5 GB/s with links of 22
  const Topology t = build_node(node_spec(catalog(), "dgx1v_16gb"));
  const std::map<int, double> links{{2, 1}, {3, 2}, {4, 4}, {6, 2}, {7, 4}, {8, 6}};
  for (const auto& [gpus, expected] : links) CHECK(in_links(t, gpus, 20e9) == doctest::Approx(expected));
}

TEST_CASE("five GPUs of a DGX-1 close no NVLink ring: PCIe, or two rings where GPUs relay") {
  // measured: 5.6 GB/s on P100 with NCCL 2.0, 37.2 GB/s (1.7 links) on V100 with a NCCL that relays
  const Topology p100 = build_node(node_spec(catalog(), "dgx1_p100"));
  CHECK(in_links(p100, 5, 18e9) < 0.7);
  // The fifth GPU has two links, both to the first: they carry what leaves and enters it.
  const Topology v100 = build_node(node_spec(catalog(), "dgx1v_16gb"));
  CHECK(in_links(v100, 5, 20e9, {.relay_through_gpus = true}) == doctest::Approx(2));
  for (const Ring& ring : first_gpus(v100, 5, {.relay_through_gpus = true})) {
    REQUIRE(ring.relays.size() == 1);
    CHECK(ring.relays.front().through == v100.gpu(0, 0));
    int hops = 0;
    ring.each_hop([&](DeviceId from, DeviceId to, const RouteChoice&) {
      ++hops;
      CHECK(v100.find_link(from, to, LinkKind::nvlink) != no_id);
    });
    CHECK(hops == 6);
  }
}

TEST_CASE("rings pass every GPU once and never use a link more often than it exists") {
  for (const char* id : {"dgx1_p100", "dgx1v_16gb", "dgx2", "dell_c4140_k", "dell_c4140_b", "ibm_s822lc_hpc",
                         "ibm_ac922_6gpu", "mi300x_8gpu", "dgx_h100", "svail_titanx8"}) {
    CAPTURE(id);
    const Topology t = build_node(node_spec(catalog(), id));
    const int gpus = static_cast<int>(t.gpus().size());
    Router router{t};
    const auto all = rings(router, t.gpus());
    REQUIRE(!all.empty());
    double share = 0;
    std::map<LinkId, double> load;
    for (const Ring& ring : all) {
      check_ring(router, ring, static_cast<std::size_t>(gpus));
      share += ring.payload_share;
      for (const Route& route : ring.hops(router)) {
        for (const Hop& hop : route.hops) load[hop.link] += hop.share * ring.rate.base();
      }
    }
    CHECK(share == doctest::Approx(1));
    for (const auto& [link, rate] : load) CHECK(rate <= t.bandwidth(link).base() * (1 + 1e-9));
  }
}

TEST_CASE("a DGX-2 runs one ring over all six planes") {
  // measured: 118 to 124 GB/s
  const Topology t = build_node(node_spec(catalog(), "dgx2"));
  CHECK(in_links(t, 16, 20e9) == doctest::Approx(6));
}

TEST_CASE("four V100 of a C4140 K, two links a pair, fill their six links") {
  const Topology t = build_node(node_spec(catalog(), "dell_c4140_k"));
  CHECK(in_links(t, 4, 20e9) == doctest::Approx(6));
}

TEST_CASE("a PCIe ring across QPI is as fast as QPI") {
  const Topology t = build_node(node_spec(catalog(), "svail_titanx8"));
  CHECK(total_rate(first_gpus(t, 4)).base() == doctest::Approx(12e9));  // one socket
  CHECK(total_rate(first_gpus(t, 8)).base() == doctest::Approx(6e9));
}

TEST_CASE("between DGX-1 there are four rings, each through an adapter of its own") {
  for (const char* id : {"dgx1_p100", "dgx1v_16gb"}) {
    CAPTURE(id);
    const NodeSpec spec = node_spec(catalog(), id);
    const Topology t = cluster(spec, 4);
    Router router{t};
    const auto all = rings(router, t.gpus());
    CHECK(all.size() == 4);
    std::map<LinkId, int> wire;
    for (const Ring& ring : all) {
      check_ring(router, ring, 32);
      for (const Route& route : ring.hops(router)) {
        for (const Hop& hop : route.hops) {
          const LinkKind kind = t.class_of(hop.link).kind;
          CHECK(kind != LinkKind::socket);  // inside a node all hops take NVLink
          if (kind == LinkKind::infiniband) ++wire[hop.link];
        }
      }
    }
    for (const auto& [link, times] : wire) CHECK(times == 1);
    // four adapters, each behind PCIe gen3 x16 at 12 GB/s (measured: 40 GB/s)
    CHECK(total_rate(all).base() == doctest::Approx(48e9));
  }
}

TEST_CASE("one GPU per node makes a ring of adapters") {
  const NodeSpec spec =
      node_spec(catalog(), {.node = "workstation", .gpu = "p100_pcie_16gb", .nics = 1, .nic_link = "edr"});
  const Topology t = cluster(spec, 40);
  Router router{t};
  const auto all = rings(router, t.gpus());
  CHECK(all.size() == 1);
  check_ring(router, all.front(), 40);
  CHECK(total_rate(all).base() == doctest::Approx(12e9));
}

TEST_CASE("rings over 660 DGX-1 keep their rate with static routing") {
  const NodeSpec spec = node_spec(catalog(), "dgx1v_16gb");
  const Topology t = cluster(spec, 660);
  Router router{t};
  const auto all = rings(router, t.gpus());
  CHECK(all.size() == 4);
  CHECK(all.front().gpus.size() == 5280);
  CHECK(total_rate(all).base() > 40e9);
}
