#include <doctest/doctest.h>

#include "models/collectives/cluster.hpp"
#include "models/collectives/comm_library.hpp"
#include "models/collectives/comm_model.hpp"
#include "models/collectives/layout.hpp"
#include "sim/base/error.hpp"
#include "tests/unfolded_loads.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

Cluster cluster(const char* node, int nodes, std::optional<int> gpus = {}) {
  return make_cluster(catalog(), node_spec(catalog(), node), {.nodes = nodes, .fabric = {}, .gpus = gpus});
}

double bus_gb_per_s(const Cluster& c, double bytes, const CommSpec& spec = {}) {
  CommModel comm{c, spec};
  const Duration t = comm.time(Collective::all_reduce, Bytes{bytes});
  return bus_factor(Collective::all_reduce, static_cast<int>(c.ranks.size())) * bytes / t.base() / 1e9;
}

constexpr HopLatency hop{Duration{10e-6}, Duration{1e-6}, Duration{5e-6}};

}  // namespace

TEST_CASE("the times of a cluster come from the data that it carries") {
  auto slow = std::make_shared<CommData>(*shipped_comm_data());
  for (auto& [link, share] : slow->links.efficiency) share /= 2;
  const Cluster usual = cluster("dgx_a100_640gb", 1);
  const Cluster other = make_cluster(catalog(), node_spec(catalog(), "dgx_a100_640gb"), {}, slow);
  // 8 GB move long enough that half the rate of the links is half the bus bandwidth.
  CHECK(bus_gb_per_s(other, 8e9) == doctest::Approx(bus_gb_per_s(usual, 8e9) / 2).epsilon(0.01));
}

TEST_CASE("a ring of 8 GPUs waits for 14 hops and moves 2 * 7/8 bytes per byte, and those of its ends") {
  const Cluster c = cluster("dgx_a100_640gb", 1);
  Layout layout{c};
  const CollectivePlan plan = priced(collective_algorithm("ring").plan(layout, Collective::all_reduce), hop);
  CHECK(plan.latency().base() == doctest::Approx(24e-6));  // 10 + 14 * 1
  double out_of_gpu0 = 0;
  for (const LinkLoad& load : unfolded(*plan.stages.front().pattern, c.topology))
    if (c.topology.link(load.link).from == c.ranks.front()) out_of_gpu0 += load.bytes;
  CHECK(out_of_gpu0 == doctest::Approx(1.75 + layout.copied_at_ends(c.ranks[0], c.ranks[1])));
}

TEST_CASE("copies at the ends take the links of GPUs, and no others") {
  const Cluster switched = cluster("dgx_a100_640gb", 2);
  const Layout of_gpus{switched}, of_hosts{switched, Endpoints::hosts};
  const auto rank = [&](std::size_t i) {
    return switched.ranks[i];
  };
  const double copied = of_gpus.copied_at_ends(rank(0), rank(1));
  CHECK(copied > 0.2);
  CHECK(of_gpus.copied_at_ends(rank(0), rank(8)) == 0);  // another node
  CHECK(of_hosts.copied_at_ends(rank(0), rank(1)) == 0);
  // A100 cards in pairs: a bridge joins the first two, PCIe the second and the third.
  const NodeSpec pairs = node_spec(catalog(), {.node = "nvlink_pairs_server", .gpu = "a100_pcie_80gb"});
  const Cluster bridged = make_cluster(catalog(), pairs, {.nodes = 1, .fabric = {}, .gpus = 4});
  const Layout cards{bridged};
  CHECK(cards.copied_at_ends(bridged.ranks[0], bridged.ranks[1]) == copied);
  CHECK(cards.copied_at_ends(bridged.ranks[1], bridged.ranks[2]) == 0);
}

TEST_CASE("no algorithm that moves a ring's bytes beats the ring inside a node") {
  for (const char* node : {"dgx_a100_640gb", "dgx_h100", "dgx_b200"}) {
    CAPTURE(node);
    const Cluster c = cluster(node, 1);
    const double ring = bus_gb_per_s(c, 8e9, {.algorithm = "ring"});
    for (const char* other : {"hierarchical", "halving_doubling", "torus_2d"}) {
      CAPTURE(other);
      CHECK(bus_gb_per_s(c, 8e9, {.algorithm = other}) < 1.08 * ring);
    }
  }
}

TEST_CASE("a cluster with other data of its links lays its collectives out anew") {
  Cluster c = cluster("dgx_a100_640gb", 1);
  const double before = bus_gb_per_s(c, 8e9);
  auto more = std::make_shared<CommData>(*c.comm);
  for (auto& [link, copied] : more->links.ends) copied *= 3;
  replace_comm(c, more);
  CHECK(bus_gb_per_s(c, 8e9) < 0.8 * before);
}

TEST_CASE("an all-to-all waits once inside a node, and for each rank of the other one") {
  const auto start = [](int nodes, const char* node) {
    const Cluster c = cluster(node, nodes);
    CommModel comm{c, {}};
    return comm.time(Collective::all_to_all, Bytes{1}).base();
  };
  CHECK(start(1, "dgx_h100") == doctest::Approx((8.4 + 3.4) * 1e-6).epsilon(0.01));
  CHECK(start(2, "dgx_h100") > start(1, "dgx_h100") + 8 * 5e-6);
  // What was measured of rings on this fabric (0.55 ms a hop) is not said of other messages.
  CHECK(start(2, "aws_p5_48xlarge") < 1e-3);
}

TEST_CASE("shares of what links carry are 1 at most") {
  const std::shared_ptr<const CommData> data = shipped_comm_data();
  const LinkNumbers& links = data->links;
  for (const auto& [link, share] : links.efficiency) CHECK(share <= 1);
  for (const auto& [link, share] : links.nvls) CHECK(share <= 1);
  for (const auto& [link, copied] : links.ends) CHECK((copied > 0 && copied < 1));
  for (const auto& [link, measured] : links.measured)
    for (const std::optional<MeasuredProtocol>& protocol : measured.protocols)
      CHECK((!protocol || protocol->factor <= 1));
}

TEST_CASE("a ring over 4 nodes of 8 crosses between nodes in 6 of its 62 steps") {
  const Cluster c = cluster("dgx_a100_640gb", 4);
  Layout layout{c};
  const CollectivePlan plan = priced(collective_algorithm("ring").plan(layout, Collective::all_reduce), hop);
  CHECK(plan.latency().base() == doctest::Approx((10 + 56 * 1 + 6 * 5) * 1e-6));
}

TEST_CASE("trees wait for the logarithm of the nodes, rings for their number") {
  const Cluster c = cluster("dgx1v_16gb", 64);
  Layout layout{c};
  const auto latency = [&](const char* name) {
    return priced(collective_algorithm(name).plan(layout, Collective::all_reduce), hop).latency().base();
  };
  CHECK(latency("ring") == doctest::Approx((10 + (1022 - 126) * 1 + 126 * 5) * 1e-6));
  CHECK(latency("double_binary_tree") == doctest::Approx((10 + 2 * 7 * 1 + 2 * 6 * 5) * 1e-6));
  CHECK(latency("hierarchical") == doctest::Approx((10 + 14 * 1 + 126 * 5) * 1e-6));
  CHECK(latency("halving_doubling") == doctest::Approx((10 + 2 * 3 * 1 + 2 * 6 * 5) * 1e-6));
}

TEST_CASE("the library takes trees for short messages over many nodes and rings for long ones") {
  const Cluster c = cluster("dgx1v_16gb", 64);
  CommModel comm{c, {.version = "2.7.8"}};
  CHECK(comm.plan(Collective::all_reduce, Bytes{1e5}).algorithm == "double_binary_tree");
  CHECK(comm.plan(Collective::all_reduce, Bytes{4e9}).algorithm == "ring");
  CommModel old{c, {.version = "2.2"}};
  CHECK(old.plan(Collective::all_reduce, Bytes{1e5}).algorithm == "ring");
}

TEST_CASE("among V100 the library leaves LL128 where its own model does, too late") {
  // NCCL 2.7 takes LL128 for 19.4 us quicker to start over 14 steps and 8 % slower on 126 GB/s: to 16 MB.
  const Cluster c = cluster("dgx1v_16gb", 1);
  CommModel comm{c, {.version = "2.7.8"}}, without{c, {.version = "2.4.2"}};
  const auto time = [](CommModel& model, double bytes) {
    return model.time(Collective::all_reduce, Bytes{bytes}).base();
  };
  CHECK(time(comm, 15.6e6) > 1.05 * time(comm, 16.6e6));
  CHECK(time(without, 15.6e6) < time(without, 16.6e6));
  CHECK(time(without, 16.6e6) > time(comm, 16.6e6));  // the same protocol, longer hops
}

TEST_CASE("a measured hop is that of the release that was measured") {
  const Cluster v100 = cluster("dgx1v_16gb", 1), a100 = cluster("dgx_a100_640gb", 1);
  const auto hop_of = [](const Cluster& c, const char* version) {
    return CommLibrary{c, {.version = version}}.cost(Protocol::simple, false)->hop.intra.base();
  };
  CHECK(hop_of(v100, "") == hop_of(v100, "2.7.8"));
  CHECK(hop_of(v100, "2.4.8") == doctest::Approx(hop_of(v100, "") * 5.7 / 3.4));
  CHECK(hop_of(a100, "2.18") == doctest::Approx(hop_of(a100, "")));
}

TEST_CASE("each release of NCCL has the constants of its source") {
  const Cluster c = cluster("dgx_a100_640gb", 2);
  const auto between = [&c](const char* version) {
    return CommLibrary{c, {.version = version}}.peer_latency().inter.base();
  };
  CHECK(between("2.10.3") == doctest::Approx(9.6e-6));
  CHECK(between("2.12.7") == doctest::Approx(28e-6));
  CHECK(between("2.15.5") == doctest::Approx(9.6e-6));
  CHECK(between("2.20.3") == doctest::Approx(14e-6));
  CHECK(between("2.23.4") == doctest::Approx(14e-6));
}

TEST_CASE("LL128 goes beyond a node only where adapter and GPU meet below the CPU") {
  const auto has = [](const Cluster& c, Protocol protocol) {
    return CommLibrary{c, {}}.cost(protocol, true).has_value();
  };
  CHECK(has(cluster("dgx_h100", 2), Protocol::ll128));
  CHECK(has(cluster("ibm_ac922_6gpu", 1), Protocol::ll128));
  CHECK_FALSE(has(cluster("ibm_ac922_6gpu", 2), Protocol::ll128));
  CHECK(has(cluster("ibm_ac922_6gpu", 2), Protocol::ll));
}

TEST_CASE("EFA of the first generation has the protocol Simple alone; inside a node nothing changes") {
  const auto has = [](const Cluster& c, Protocol protocol) {
    return CommLibrary{c, {}}.cost(protocol, false).has_value();
  };
  const Cluster two = cluster("aws_p4d_24xlarge", 2);
  CHECK(has(two, Protocol::simple));
  CHECK_FALSE(has(two, Protocol::ll));
  CHECK_FALSE(has(two, Protocol::ll128));
  CHECK(has(cluster("aws_p4d_24xlarge", 1), Protocol::ll));
  CHECK(has(cluster("aws_p5_48xlarge", 2), Protocol::ll));
}

TEST_CASE("Slingshot's software shakes hands before messages above 2 kB, of which LL makes half payload") {
  NodeSpec node = node_spec(catalog(), "dgx_a100_640gb");
  const auto time = [&node](const char* link, double bytes) {
    node.nic_link = link_spec(catalog(), link);
    ClusterShape shape{.nodes = 8, .fabric = {}};
    shape.fabric.leaf_switch = "qm8700";
    const Cluster c = make_cluster(catalog(), node, shape);
    CommModel comm{c, {.algorithm = "double_binary_tree"}};
    return comm.time(Collective::all_reduce, Bytes{bytes}).base();
  };
  // Trees of eight nodes wait for three hops up and three down.
  const double longer = time("other_fabrics/slingshot", 4096) - time("other_fabrics/slingshot", 1024);
  const double wire = time("hdr", 4096) - time("hdr", 1024);
  CHECK(longer - wire == doctest::Approx(6 * 6.4e-6).epsilon(0.01));
}

TEST_CASE("NVSwitches of Hopper add: more bus bandwidth than the links have, from five GPUs on") {
  // 8 H200: 473 GB/s with NVLS, 366 with rings (stas00/ml-engineering)
  CHECK(bus_gb_per_s(cluster("dgx_h200", 1), 8e9) == doctest::Approx(473).epsilon(0.03));
  CHECK(bus_gb_per_s(cluster("dgx_h200", 1), 8e9, {.in_network = false}) ==
        doctest::Approx(366).epsilon(0.03));
  // Four: 349 GB/s for 512 MiB (NVIDIA AIConfigurator, of the fit), 363 for 16 GiB (stas00/ml-engineering)
  CHECK(bus_gb_per_s(cluster("dgx_h200", 1, 4), 536870912) == doctest::Approx(349).epsilon(0.03));
  CHECK(bus_gb_per_s(cluster("dgx_h200", 1, 4), 17179869184) == doctest::Approx(363).epsilon(0.05));
}

TEST_CASE("measured bus bandwidths of long messages in one node") {
  // VIA-Research/vTrain: 22.6, 85.4 and 134.5 GB/s with 2, 4 and 8 V100; Tartan: 62.5 GB/s with 8 P100;
  // wohlbier/nccl-tests: 124 GB/s with 12 V100 behind NVSwitches
  CHECK(bus_gb_per_s(cluster("dgx1v_16gb", 1, 2), 1e9) == doctest::Approx(22.6).epsilon(0.05));
  CHECK(bus_gb_per_s(cluster("dgx1v_16gb", 1, 4), 1e9) == doctest::Approx(85.4).epsilon(0.08));
  CHECK(bus_gb_per_s(cluster("dgx1v_16gb", 1, 8), 1e9) == doctest::Approx(134.5).epsilon(0.05));
  CHECK(bus_gb_per_s(cluster("dgx1_p100", 1, 8), 1e9) == doctest::Approx(62.5).epsilon(0.12));
  CHECK(bus_gb_per_s(cluster("dgx2", 1, 12), 8e9) == doctest::Approx(124).epsilon(0.05));
}

TEST_CASE("a DGX-2 reduces three times as fast as two DGX-1V over four EDR ports") {
  // HotChips 30: 118 against 41 GB/s
  const double one = bus_gb_per_s(cluster("dgx2", 1), 5e8);
  const double two = bus_gb_per_s(cluster("dgx1v_16gb", 2), 5e8, {.algorithm = "ring"});
  CHECK(one / two > 2.2);
  CHECK(one / two < 3.5);
}

TEST_CASE("GPUs of a switch that meet in host memory share its link to the CPU") {
  NodeSpec node = node_spec(catalog(), "svail_titanx8");
  const auto bus = [&](int gpus) {
    return bus_gb_per_s(make_cluster(catalog(), node, {.nodes = 1, .fabric = {}, .gpus = gpus}), 1e9);
  };
  const double beside = bus(2);
  node.peer_to_peer = false;
  // Both directions of a ring go up and down the link of the switch, whatever the number of GPUs.
  for (const int gpus : {2, 4, 8}) CHECK(bus(gpus) == doctest::Approx(beside / 2).epsilon(0.03));
}

TEST_CASE("a library that works in host memory copies over PCIe before and after") {
  const Cluster c = cluster("svail_titanx8", 2);
  CommModel mpi{c, {.transport = "mpi"}};
  CHECK(mpi.plan(Collective::all_reduce, Bytes{1e8}).stages.size() > 2);
  CommModel nccl{c, {}};
  CHECK(mpi.time(Collective::all_reduce, Bytes{1e8}) > 2.0 * nccl.time(Collective::all_reduce, Bytes{1e8}));
}

TEST_CASE("an unknown algorithm or transport lists the known ones") {
  try {
    (void)collective_algorithm("rign");
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(std::string{e.what()}.find("ring") != std::string::npos);
  }
  const Cluster c = cluster("dgx2", 1);
  CHECK_THROWS_AS((CommModel{c, {.transport = "pigeon"}}), Error);
  Layout layout{c};
  CHECK_THROWS_AS((void)collective_algorithm("tree").plan(layout, Collective::all_to_all), Error);
  CHECK_THROWS_AS((void)collective_algorithm("sharp").plan(layout, Collective::all_reduce), Error);
}
