// Gangs: where a job's nodes are put, what part of the network it has there, and what that costs it.
#include "topologies/fabrics/gang.hpp"

#include <doctest/doctest.h>

#include <string>

#include "scenarios/campaign/campaign.hpp"
#include "scenarios/campaign/node_pool.hpp"
#include "scenarios/format/scenario.hpp"
#include "sim/base/error.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/fabrics/cluster_builder.hpp"
#include "topologies/hardware/node_spec.hpp"
#include "topologies/nodes/node_builder.hpp"

using namespace rackcast;

TEST_CASE("a gang is placed on as few leaves and pods as possible") {
  NodePool pool{regular_places(8, 4), Placement::compact};
  CHECK(pool.take(3) == std::vector<int>{0, 1, 2});
  CHECK(pool.take(1) == std::vector<int>{3});  // the tightest leaf that holds it
  CHECK(pool.gang(pool.take(4)) == Gang{{4}});
  NodePool first{regular_places(8, 4), Placement::first_fit};
  first.take(3);
  CHECK(first.gang(first.take(4)) == Gang{{1, 3}});

  // Two pods of two leaves of two nodes each.
  const std::vector<NodePlace> two_pods{{0, 0}, {0, 0}, {1, 0}, {1, 0}, {2, 1}, {2, 1}, {3, 1}, {3, 1}};
  NodePool pods{two_pods, Placement::compact};
  CHECK(pods.take(1) == std::vector<int>{0});
  CHECK(pods.take(4) ==
        std::vector<int>{4, 5, 6, 7});  // the pod that holds it, though two leaves are as free
  CHECK(pods.gang(pods.take(3)) == Gang{{1, 2}});
  NodePool scattered{two_pods, Placement::first_fit};
  scattered.take(1);
  CHECK(scattered.gang(scattered.take(4)) == Gang{{1, 2}, {1}});
}

TEST_CASE("a job on several leaves has its nodes' part of their uplinks") {
  // Four leaves of seven DGX-1V, 28 ports down and 7 up each.
  const Scenario s = load_scenario(std::string{RACKCAST_SOURCE_DIR} + "/scenarios/gang_placement.json");
  const Catalog catalog = Catalog::builtin();
  const NodeSpec node = node_spec(catalog, NodeChoice{s.cluster.node, ""});
  const FabricPlan whole = plan_fabric(catalog, node, 28, s.cluster.fabric.choice);
  const std::vector<NodePlace> places = fabrics::node_places(whole);
  REQUIRE(places.size() == 28);
  CHECK(places[6].leaf == 0);
  CHECK(places[7].leaf == 1);
  CHECK(whole.leaves == 4);
  const FabricPlan part = fabrics::part_of_gang(whole, {{4, 1}});
  CHECK(part.nodes == 5);
  CHECK(part.leaves == 2);
  REQUIRE(part.trunks.size() == 2);
  CHECK(part.trunks[0].cables == 16 * 4);  // 16 ports, 4:1, in sixteenths of a cable
  CHECK(part.trunks[1].cables == 16 * 1);  // 4 ports
  CHECK(16 * *part.trunk_link.raw == *whole.trunk_link.raw);
  const FabricPlan one = fabrics::part_of_gang(whole, {{5}});
  CHECK(one.spines == 0);
  CHECK(one.trunks.empty());
  CHECK(fabrics::node_places(plan_fabric(catalog, node, 4)).empty());  // one switch
}

TEST_CASE("a job in several pods has its nodes' part of the uplinks of leaves and pods") {
  const Catalog catalog = Catalog::builtin();
  const NodeSpec node = node_spec(catalog, NodeChoice{"dgx1v_16gb", ""});
  FabricChoice choice;
  choice.kind = "three_level";
  choice.oversubscription = 2;
  choice.core_oversubscription = 2;
  choice.leaves_per_group = 2;
  const FabricPlan whole = plan_fabric(catalog, node, 48, choice);
  const std::vector<NodePlace> places = fabrics::node_places(whole);
  REQUIRE(places.size() == 48);
  CHECK(whole.groups > 1);
  CHECK(places.back().pod == whole.groups - 1);
  CHECK(places.back().leaf == whole.leaves - 1);
  // Four ports a node: 4 and 2 nodes on two leaves of a pod, 1 on one of another.
  const FabricPlan part = fabrics::part_of_gang(whole, {{4, 2}, {1}});
  CHECK(part.nodes == 7);
  CHECK(part.leaves == 3);
  CHECK(part.spines == 2);
  CHECK(part.cores == 1);
  REQUIRE(part.trunks.size() == 5);
  CHECK(part.trunks[0].cables == 16 * 8);  // 16 ports, 2:1, in sixteenths of a cable
  CHECK(part.trunks[1].cables == 16 * 4);
  CHECK(part.trunks[2].cables == 16 * 6);  // of the 12 that the pod has, 2:1
  CHECK(part.trunks[3].cables == 16 * 2);
  CHECK(part.trunks[4].cables == 16 * 1);
  CHECK(fabrics::part_of_gang(whole, {{4, 2}}).cores == 0);

  // Rails: each port of a node goes to a leaf of its own, and so does its share of the uplinks.
  choice = {};
  choice.kind = "two_level";
  choice.oversubscription = 2;
  choice.rails = RailPlan::by_rail;
  const FabricPlan rails = plan_fabric(catalog, node, 48, choice);
  REQUIRE(fabrics::node_places(rails).size() == 48);
  const FabricPlan of_rails = fabrics::part_of_gang(rails, {{4, 2}});
  CHECK(of_rails.leaves == 8);
  REQUIRE(of_rails.trunks.size() == 8);
  CHECK(of_rails.trunks[0].cables == 16 * 2);
  CHECK(of_rails.trunks[7].cables == 16 * 1);
  CHECK(of_rails.node_leaf[3] == 3);
  CHECK(of_rails.node_leaf.back() == 7);
  // Networks of their own for each port: the part of every one.
  choice.rails = RailPlan::separate;
  choice.gang = {{4, 2}};
  choice.gang_of = 48;
  const FabricPlan planes = plan_fabric(catalog, node, 6, choice);
  CHECK(planes.planes == 4);
  CHECK(planes.leaves == 8);
  CHECK(planes.trunks.size() == 8);
  CHECK_THROWS_AS((void)plan_fabric(catalog, node, 7, choice), Error);
}

TEST_CASE("issue 23, item 23: a pod's uplinks in sixteenths of a cable may be more than 16 bits count") {
  // Leaves of 18 node ports and as many uplinks, 324 of them in a pod: 5,832 cables to the cores.
  const Catalog catalog = Catalog::builtin();
  const NodeSpec node =
      node_spec(catalog, {.node = "workstation", .gpu = "p100_pcie_16gb", .nics = 1, .nic_link = "edr"});
  FabricChoice choice;
  choice.kind = "three_level";
  choice.leaf_switch = "sb7800";
  choice.spine_switch = choice.core_switch = "cs7500";
  const FabricPlan whole = plan_fabric(catalog, node, 2 * 324 * 18, choice);
  REQUIRE(whole.groups == 2);
  REQUIRE(whole.leaves_per_group == 324);
  const FabricPlan part = fabrics::part_of_gang(whole, {std::vector<int>(324, 18), {18}});
  const Topology topology = build_cluster(build_node(node), part);
  const DeviceId pod = topology.devices_of(no_id, DeviceKind::spine)[0];
  const DeviceId core = topology.devices_of(no_id, DeviceKind::core)[0];
  const LinkId uplink = topology.find_link(pod, core);
  REQUIRE(uplink != no_id);
  CHECK(topology.link(uplink).width == 16 * 5'832);
  // The pod reaches the core with what all its nodes have.
  CHECK(topology.raw_bandwidth(uplink).base() == doctest::Approx(5'832 * node.nic_link->raw->base()));
}

TEST_CASE("compact placement makes a whole campaign faster, and more so the scarcer the uplinks are" *
          doctest::test_suite("long")) {
  const std::string file = std::string{RACKCAST_SOURCE_DIR} + "/scenarios/gang_placement.json";
  const Catalog catalog = Catalog::builtin();
  const auto played = [&](const std::string& placement, const std::string& more = "seed=1") {
    return run_campaign(load_scenario(file, {"campaign.scheduler.placement=" + placement, more}), catalog);
  };
  const CampaignReport compact = played("compact"), first_fit = played("first_fit");
  // Jobs of five nodes: the same jobs, on more leaves, take longer and are done later.
  const StreamStatistics &there = compact.streams.back(), &here = first_fit.streams.back();
  CHECK(there.submitted == here.submitted);
  CHECK(there.leaves < here.leaves);
  CHECK(there.slowdown < here.slowdown);
  CHECK(here.slowdown > 1.05);
  CHECK(there.completion.p50 < here.completion.p50);
  CHECK(there.completion.p90 < here.completion.p90);
  CHECK(compact.utilisation < first_fit.utilisation);  // for the same work
  // Without oversubscription a node has all of its ports wherever it stands.
  const CampaignReport full = played("first_fit", "cluster.fabric.oversubscription=1");
  CHECK(full.streams.back().slowdown < 1 + (here.slowdown - 1) / 3);
  // A stated factor holds for every job on several leaves, and then nothing is simulated.
  const CampaignReport stated = played("first_fit", "campaign.scheduler.across_leaves=1.5");
  for (const JobOutcome& job : stated.outcome.jobs)
    if (job.started) CHECK(job.slowdown == (job.leaves > 1 ? 1.5 : 1.0));
}

TEST_CASE("where the uplinks of pods are scarce, jobs in several pods run longer" *
          doctest::test_suite("long")) {
  const std::string file = std::string{RACKCAST_SOURCE_DIR} + "/scenarios/gang_placement.json";
  const Catalog catalog = Catalog::builtin();
  const auto played = [&](int ratio) {
    const std::string fabric = R"({"kind": "three_level", "leaves_per_group": 2, "core_oversubscription": )";
    return run_campaign(load_scenario(file, {"cluster.nodes=48", "campaign.scheduler.placement=first_fit",
                                             "cluster.fabric=" + fabric + std::to_string(ratio) + "}"}),
                        catalog);
  };
  const CampaignReport scarce = played(8), full = played(1);
  const StreamStatistics &slow = scarce.streams.back(), &fast = full.streams.back();
  CHECK(slow.pods > 1.2);
  CHECK(slow.leaves > slow.pods);
  CHECK(slow.slowdown > 1.1);
  CHECK(fast.slowdown < 1 + (slow.slowdown - 1) / 3);
}
