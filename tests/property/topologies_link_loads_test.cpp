#include <doctest/doctest.h>

#include <deque>
#include <limits>

#include "sim/base/random.hpp"
#include "tests/unfolded_loads.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/fabrics/cluster_builder.hpp"
#include "topologies/fabrics/fabric_plan.hpp"
#include "topologies/nodes/node_builder.hpp"
#include "topologies/routing/route_loads.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

/// Fabrics of every kind and way to lay rails, some with slots left free, so that leaves are not alike.
Topology random_cluster(RandomStream& random) {
  const char* const nodes[] = {"dgx1_p100", "dgx1v_16gb",     "dgx2",     "ibm_ac922_6gpu",
                               "pfn_mn1",   "dgx_a100_640gb", "dgx_h100", "dell_c4140_b"};
  const NodeSpec spec = node_spec(catalog(), nodes[random.below(std::size(nodes))]);
  FabricChoice choice;
  choice.rails = static_cast<RailPlan>(random.below(3));
  const auto kind = random.below(fabric_kinds().size() + 1);  // the last: whatever is enough
  if (kind > 0 && kind < fabric_kinds().size()) choice.kind = fabric_kinds()[kind].name;
  if (choice.kind.starts_with("torus") && choice.rails == RailPlan::by_rail) choice.rails = RailPlan::by_node;
  choice.oversubscription = 1 + static_cast<double>(random.below(3));
  choice.storage_servers = static_cast<int>(random.below(4));
  choice.storage_links = 1 + static_cast<int>(random.below(2));
  return build_cluster(build_node(spec),
                       plan_fabric(catalog(), spec, 2 + static_cast<int>(random.below(60)), choice));
}

std::vector<LinkLoad> written_out(const std::vector<double>& sums) {
  std::vector<LinkLoad> out;
  for (std::size_t link = 0; link < sums.size(); ++link)
    if (sums[link] > 0) out.push_back({static_cast<LinkId>(link), sums[link]});
  return out;
}

}  // namespace

TEST_CASE("loads folded over nodes are those of an array per link, to the last bit") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    RandomStream random{seed, "link loads"};
    const Topology t = random_cluster(random);
    // With few states they are written out again and again on the way.
    LinkLoads folded{t, seed % 3 == 0 ? 40U : LinkLoads::usual_limit};
    Router router{t};
    const auto gpus = t.gpus();
    for (int round = 0; round < 2; ++round) {
      std::vector<double> sums(t.links().size(), 0);
      for (std::size_t i = 0; i < 3 * gpus.size(); ++i) {
        const DeviceId from = gpus[i % gpus.size()];
        const DeviceId to =
            round == 0 ? gpus[(i + 1 + i / gpus.size()) % gpus.size()] : gpus[random.below(gpus.size())];
        if (from == to) continue;
        const double bytes = 1.0 / (3.0 + static_cast<double>(random.below(3)));
        for (const Hop& hop : router.route(from, to).hops) {
          folded.add(hop.link, bytes * hop.share);
          sums[static_cast<std::size_t>(hop.link)] += bytes * hop.share;
        }
      }
      CHECK(unfolded(*folded.take(), t) == written_out(sums));
    }
    CHECK(folded.states() == 1);  // nothing is left
  }
}

TEST_CASE("messages fold to the loads of their routes, and alike nodes to few classes") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    RandomStream random{seed, "route loads"};
    const Topology t = random_cluster(random);
    Router router{t};
    RouteLoads folded{router};
    std::vector<double> sums(t.links().size(), 0);
    const auto gpus = t.gpus();
    const std::size_t each = gpus.size() / static_cast<std::size_t>(t.nodes());
    const RouteChoice choice{.routing = static_cast<FabricRouting>(random.below(3)), .flow = seed};
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      for (const std::size_t step : {std::size_t{1}, each}) {
        const DeviceId to = gpus[(i + step) % gpus.size()];
        if (to == gpus[i]) continue;
        folded.add(gpus[i], to, 0.1, choice);
        for (const Hop& hop : router.route(gpus[i], to, choice).hops)
          sums[static_cast<std::size_t>(hop.link)] += 0.1 * hop.share;
      }
    }
    const auto pattern = folded.take();
    CHECK(unfolded(*pattern, t) == written_out(sums));
    CHECK(pattern->classes.size() <= 3);  // the first, the last and those between
    int nodes = 0;
    for (const auto& own : pattern->classes) nodes += own.nodes;
    CHECK(nodes == t.nodes());
  }
}

TEST_CASE("messages in a row are added one by one: the same way over and over has the bits of a loop") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    RandomStream random{seed, "runs"};
    const Topology t = random_cluster(random);
    Router router{t};
    RouteLoads folded{router};
    std::vector<double> sums(t.links().size(), 0);
    const auto gpus = t.gpus();
    for (int i = 0; i < 300; ++i) {
      const DeviceId from = gpus[random.below(gpus.size())], to = gpus[random.below(gpus.size())];
      if (from == to) continue;
      const auto times = 1 + random.below(9);
      for (std::uint64_t k = 0; k < times; ++k) {
        folded.add(from, to, 0.1);
        for (const Hop& hop : router.route(from, to).hops)
          sums[static_cast<std::size_t>(hop.link)] += 0.1 * hop.share;
      }
    }
    CHECK(unfolded(*folded.take(), t) == written_out(sums));
  }
}

TEST_CASE("a router that has found other routes before finds those of a new one") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    RandomStream random{seed, "remembered"};
    const Topology t = random_cluster(random);
    Router used{t};
    const auto gpus = t.gpus();
    for (int i = 0; i < 150; ++i) {
      // Runs of neighbours to one place, and now and then something else.
      const std::size_t first = random.below(gpus.size());
      const DeviceId to = gpus[random.below(gpus.size())];
      const RouteChoice choice{.routing = static_cast<FabricRouting>(random.below(4) % 3), .flow = seed};
      for (std::size_t k = 0; k < 3; ++k) {
        const DeviceId from = gpus[(first + 8 * k) % gpus.size()];
        if (from == to) continue;
        Router fresh{t};
        const Route a = used.route(from, to, choice), b = fresh.route(from, to, choice);
        REQUIRE(a.hops.size() == b.hops.size());
        for (std::size_t h = 0; h < a.hops.size(); ++h) {
          CHECK(a.hops[h].link == b.hops[h].link);
          CHECK(a.hops[h].share == b.hops[h].share);
        }
        CHECK(a.latency == b.latency);
      }
    }
  }
}

TEST_CASE("routes through the fabric are as short as a plain search finds, twins or not") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    RandomStream random{seed, "shortest"};
    const Topology t = random_cluster(random);
    Router router{t};
    std::vector<DeviceId> ends = t.devices_of(no_id, DeviceKind::storage);
    for (int n = 0; n < t.nodes(); ++n)
      for (const DeviceId nic : t.devices_of(n, DeviceKind::nic)) ends.push_back(nic);
    for (int i = 0; i < 30; ++i) {
      const DeviceId from = ends[random.below(ends.size())], to = ends[random.below(ends.size())];
      if (from == to || (t.device(from).node != no_id && t.device(from).node == t.device(to).node)) continue;
      std::vector<int> hops(t.devices().size(), -1);
      std::deque<DeviceId> open{from};
      hops[static_cast<std::size_t>(from)] = 0;
      while (!open.empty()) {
        const DeviceId at = open.front();
        open.pop_front();
        const DeviceKind kind = t.device(at).kind;
        if (at != from && kind != DeviceKind::leaf && kind != DeviceKind::spine && kind != DeviceKind::core)
          continue;
        for (const LinkId id : t.out(at)) {
          if (t.class_of(id).kind != LinkKind::infiniband && t.class_of(id).kind != LinkKind::ethernet)
            continue;
          int& there = hops[static_cast<std::size_t>(t.link(id).to)];
          if (there >= 0) continue;
          there = hops[static_cast<std::size_t>(at)] + 1;
          open.push_back(t.link(id).to);
        }
      }
      if (hops[static_cast<std::size_t>(to)] < 0) continue;  // of another rail
      CHECK(static_cast<int>(router.route(from, to).hops.size()) == hops[static_cast<std::size_t>(to)]);
    }
  }
}
