#include <doctest/doctest.h>

#include <string>

#include "sim/base/error.hpp"
#include "topologies/hardware/node_spec.hpp"
#include "topologies/nodes/node_builder.hpp"
#include "topologies/routing/routing.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

Topology node(const NodeChoice& choice) {
  return build_node(node_spec(catalog(), choice));
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

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

int nvlinks_of(const Topology& t, DeviceId gpu) {
  int sum = 0;
  for (const LinkId id : t.out(gpu)) {
    if (t.class_of(id).kind == LinkKind::nvlink) sum += t.link(id).width;
  }
  return sum;
}

std::string path(const Topology& t, const Route& route) {
  std::string text = t.name(t.link(route.hops.front().link).from);
  for (const Hop& hop : route.hops) text += " " + t.name(t.link(hop.link).to);
  return text;
}

}  // namespace

TEST_CASE("every node of the catalogue builds, each link has a way back of the same width") {
  for (const std::string& id : catalog().ids("nodes")) {
    CAPTURE(id);
    const Json* rule = catalog().find("nodes", id).json.find("template");
    // A template takes any GPU; one that joins its GPUs by NVLink needs a GPU with such links.
    const std::string chosen = rule == nullptr                   ? ""
                               : rule->find("nvlink") != nullptr ? "v100_sxm2_16gb"
                                                                 : "p100_pcie_16gb";
    const Topology t = node({.node = id, .gpu = chosen});
    for (LinkId l = 0; l < static_cast<LinkId>(t.links().size()); ++l) {
      const Link& link = t.link(l);
      const LinkId back = t.find_link(link.to, link.from, t.class_of(l).kind);
      REQUIRE(back != no_id);
      CHECK(t.link(back).width == link.width);
      CHECK(t.bandwidth(l) > Bandwidth{0});
      CHECK(t.bandwidth(l) <= t.raw_bandwidth(l));
    }
    Router router{t};
    for (const DeviceId gpu : t.gpus()) {
      if (gpu != 0) CHECK(router.route(0, gpu).bandwidth > Bandwidth{0});
    }
  }
}

TEST_CASE("a GPU of a DGX-1 uses four NVLinks with P100 and six with V100") {
  const Topology p100 = node({.node = "dgx1_p100"});
  const Topology v100 = node({.node = "dgx1v_16gb"});
  for (int gpu = 0; gpu < 8; ++gpu) {
    CHECK(nvlinks_of(p100, gpu) == 4);
    CHECK(nvlinks_of(v100, gpu) == 6);
  }
  // GPUs 0 and 3 of a DGX-1V share two links of 25 GB/s, of which 20 are achievable.
  const LinkId pair = v100.find_link(0, 3, LinkKind::nvlink);
  CHECK(v100.link(pair).width == 2);
  CHECK(v100.raw_bandwidth(pair).base() == doctest::Approx(50e9));
  CHECK(v100.bandwidth(pair).base() == doctest::Approx(40e9));
}

TEST_CASE("a DGX-1 has 8 GPUs, 2 CPUs, 4 PCIe switches and 4 adapters") {
  const Topology t = node({.node = "DGX-1V"});
  CHECK(t.devices_of(0, DeviceKind::gpu).size() == 8);
  CHECK(t.devices_of(0, DeviceKind::cpu).size() == 2);
  CHECK(t.devices_of(0, DeviceKind::pcie_switch).size() == 4);
  CHECK(t.devices_of(0, DeviceKind::nic).size() == 4);
  // 16 NVLink pairs, 4 + 8 + 4 PCIe cables, 1 socket link, two directions each
  CHECK(t.links().size() == 2 * (16 + 16 + 1));
  CHECK(t.name(5) == "node0/gpu5");
}

TEST_CASE("GPUs of a DGX-1V reach each other by NVLink where they can, else by PCIe and QPI") {
  const Topology t = node({.node = "dgx1v_16gb"});
  Router router{t};
  CHECK(path(t, router.route(0, 4)) == "node0/gpu0 node0/gpu4");
  CHECK(router.route(0, 4).bandwidth.base() == doctest::Approx(40e9));
  // 0 and 5 share no link: switch, CPU, QPI, CPU, switch. QPI gives 6 GB/s to peers.
  const Route far = router.route(0, 5);
  CHECK(path(t, far) == "node0/gpu0 node0/plx0 node0/cpu0 node0/cpu1 node0/plx2 node0/gpu5");
  CHECK(far.bandwidth.base() == doctest::Approx(6e9));
  // Four halves of 1.5 us and 0.5 us for the socket link
  CHECK(far.latency.base() == doctest::Approx(4 * 0.75e-6 + 0.5e-6));
  // Relaying takes a neighbour of both: 0 and 5 are both linked to 1 and 4.
  Router relaying{t, {.relay_through_gpus = true}};
  const Route relayed = relaying.route(0, 5);
  for (const Hop& hop : relayed.hops) CHECK(t.class_of(hop.link).kind == LinkKind::nvlink);
}

TEST_CASE("a GPU of a DGX-1 sends through the adapter behind its own PCIe switch") {
  const Topology t = node({.node = "dgx1_p100"});
  Router router{t};
  const auto nics = t.devices_of(0, DeviceKind::nic);
  for (int gpu = 0; gpu < 8; ++gpu) CHECK(router.nearest_nic(gpu) == nics[static_cast<std::size_t>(gpu / 2)]);
  CHECK(path(t, router.route(3, nics[1])) == "node0/gpu3 node0/plx1 node0/nic1");
}

TEST_CASE("any two GPUs of a DGX-2 have all six links, on one baseboard or across") {
  const Topology t = node({.node = "DGX-2"});
  CHECK(t.devices_of(0, DeviceKind::nvswitch).size() == 12);
  for (int gpu = 0; gpu < 16; ++gpu) CHECK(nvlinks_of(t, gpu) == 6);
  Router router{t};
  CHECK(router.route(0, 7).bandwidth.base() == doctest::Approx(6 * 20e9));
  const Route across = router.route(0, 15);
  CHECK(across.bandwidth.base() == doctest::Approx(6 * 20e9));
  CHECK(across.hops.size() == 18);  // six planes of GPU - switch - switch - GPU
  // The trunk of a plane has eight links: the eight GPUs of a board may all cross at once.
  const auto switches = t.devices_of(0, DeviceKind::nvswitch);
  CHECK(t.link(t.find_link(switches[0], switches[6])).width == 8);
}

TEST_CASE("eighteen NVLinks of an H100 spread over four NVSwitches as 5, 5, 4, 4") {
  const Topology t = node({.node = "dgx_h100"});
  const auto switches = t.devices_of(0, DeviceKind::nvswitch);
  CHECK(t.link(t.find_link(0, switches[0])).width == 5);
  CHECK(t.link(t.find_link(0, switches[3])).width == 4);
  Router router{t};
  CHECK(router.route(0, 1).bandwidth.base() == doctest::Approx(18 * 20.6e9));
}

TEST_CASE("a Minsky's GPU reaches its CPU by NVLink and the other half over the X bus") {
  const Topology t = node({.node = "Minsky"});
  Router router{t};
  const auto cpus = t.devices_of(0, DeviceKind::cpu);
  CHECK(t.class_of(router.route(0, cpus[0]).hops.front().link).kind == LinkKind::nvlink);
  CHECK(path(t, router.route(1, 2)) == "node0/gpu1 node0/cpu0 node0/cpu1 node0/gpu2");
}

TEST_CASE("two GPUs of one Grace meet in the NVSwitches, not in their CPU") {
  const Topology t = node({.node = "gb200_nvl72_rack"});
  Router router{t};
  const DeviceId cpu = router.nearest_cpu(0);
  CHECK(router.nearest_cpu(1) == cpu);
  CHECK(router.route(0, cpu).hops.size() == 1);
  for (const Hop& hop : router.route(0, 1).hops) {
    CHECK(t.link(hop.link).from != cpu);
    CHECK(t.link(hop.link).to != cpu);
  }
}

TEST_CASE("templates take any GPU") {
  const NodeSpec one = node_spec(catalog(), {.node = "workstation", .gpu = "gtx_1080_ti"});
  CHECK(one.gpus == 1);
  CHECK(one.max_power->value.base() == doctest::Approx(150 + 250));
  CHECK(one.price->value.base() == doctest::Approx(2500 + 699));
  const Topology t = build_node(one);
  CHECK(t.devices_of(0, DeviceKind::pcie_switch).empty());
  CHECK(t.bandwidth(t.find_link(0, t.devices_of(0, DeviceKind::cpu)[0])).base() == doctest::Approx(12e9));

  const NodeSpec six = node_spec(
      catalog(), {.node = "pcie_server", .gpu = "p100_pcie_16gb", .gpus = 6, .nics = 2, .nic_link = "fdr"});
  CHECK(six.gpus == 6);
  CHECK(six.pcie.size() == 3);
  CHECK(six.nics == 2);
  CHECK(six.nic_link->id == "infiniband_4x/fdr");
}

TEST_CASE("a K80 server counts boards and has two GPUs on each") {
  const NodeSpec spec = node_spec(catalog(), "dell_c4130_k80");
  CHECK(spec.boards == 4);
  CHECK(spec.gpus == 8);
}

TEST_CASE("a node that cannot be says why") {
  CHECK(has(message_of([] { return node_spec(catalog(), "workstation").gpus; }), "which GPU"));
  CHECK(has(message_of([] { return node_spec(catalog(), {.node = "dgx1v_16gb", .gpus = 4}).gpus; }),
            "has 8 GPUs"));
  CHECK(has(
      message_of([] { return node_spec(catalog(), {.node = "pcie_server", .gpu = "p4", .gpus = 99}).gpus; }),
      "1 to 16"));
  CHECK(has(message_of([] { return node_spec(catalog(), {.node = "dgx1v_16gb", .gpu = "p100_sxm2"}).gpus; }),
            "links"));
  CHECK(has(message_of([] { return node_spec(catalog(), {.node = "dgx1v_16gb", .gpu = "t4"}).gpus; }),
            "NVLink"));
  CHECK(has(message_of([] { return node_spec(catalog(), "dgx3").gpus; }), "dgx2"));
}
