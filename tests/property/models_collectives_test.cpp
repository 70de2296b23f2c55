#include <doctest/doctest.h>

#include "models/collectives/cluster.hpp"
#include "models/collectives/comm_model.hpp"
#include "models/collectives/layout.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/fluid.hpp"
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

Process stages(Engine&, Network& network, const Topology& topology, const CollectivePlan& plan, Bytes payload,
               const std::vector<ResourceId>& links) {
  for (const CollectiveStage& stage : plan.stages) {
    std::vector<Usage> uses;
    for (const LinkLoad& load : unfolded(*stage.pattern, topology))
      uses.push_back({links[static_cast<std::size_t>(load.link)], stage.scale * load.bytes});
    co_await network.run(
        {.work = work_of(payload), .uses = uses, .rate_cap = stage.ceiling.base(), .latency = stage.latency});
  }
}

/// `copies` of the operation at once, on every link of the cluster.
Duration simulated(const Cluster& c, const CollectivePlan& plan, Bytes payload, int copies) {
  Engine engine;
  Network network{engine};
  const LinkRates rates{c};
  std::vector<ResourceId> links;
  for (std::size_t i = 0; i < c.topology.links().size(); ++i)
    links.push_back(network.add_resource("link", rates.of(static_cast<LinkId>(i))));
  for (int i = 0; i < copies; ++i)
    engine.spawn("collective", stages(engine, network, c.topology, plan, payload, links));
  engine.run();
  return engine.clock().duration(engine.now() - SimTime{});
}

}  // namespace

TEST_CASE("without contention a simulated collective takes the time of its closed form") {
  const std::pair<const char*, int> machines[] = {{"dgx1v_16gb", 1},
                                                  {"dgx1v_16gb", 4},
                                                  {"dgx_a100_640gb", 3},
                                                  {"svail_titanx8", 2},
                                                  {"ibm_s822lc_hpc", 5}};
  for (const auto& machine : machines) {
    const char* name = machine.first;
    const int nodes = machine.second;
    const Cluster c = cluster(name, nodes);
    Layout layout{c};
    const LinkRates rates{c};
    for (const CollectiveAlgorithm& a : collective_algorithms()) {
      if (a.name.starts_with("nvls") || (a.name == "sharp" && nodes == 1)) continue;
      const auto op = a.name == "pairwise" ? Collective::all_to_all : Collective::all_reduce;
      const CollectivePlan plan =
          priced(a.plan(layout, op), {Duration{1e-5}, Duration{2e-6}, Duration{5e-6}});
      for (const double size : {1e3, 1e6, 3e8}) {
        CAPTURE(name);
        CAPTURE(a.name);
        CAPTURE(size);
        const Duration closed = time_alone(plan, Bytes{size}, rates);
        CHECK(simulated(c, plan, Bytes{size}, 1).base() == doctest::Approx(closed.base()).epsilon(1e-6));
      }
    }
  }
}

TEST_CASE("two collectives at once on the same links take twice the transfer time") {
  const Cluster c = cluster("dgx_a100_640gb", 2);
  Layout layout{c};
  const CollectivePlan plan = collective_algorithm("ring").plan(layout, Collective::all_reduce);
  const Bytes payload{1e8};
  CHECK(simulated(c, plan, payload, 2).base() ==
        doctest::Approx(2 * simulated(c, plan, payload, 1).base()).epsilon(1e-6));
}

TEST_CASE("a longer message never takes less time, and more ranks never shorten a ring") {
  for (const char* name : {"dgx1v_16gb", "dgx_h100"}) {
    Duration before_ranks{0};
    for (const int nodes : {2, 4, 8}) {
      const Cluster c = cluster(name, nodes);
      CommModel comm{c, {.algorithm = "ring"}};
      Duration before{0};
      for (double size = 1e6; size < 2e9; size *= 1.7) {
        const Duration t = comm.time(Collective::all_reduce, Bytes{size});
        CHECK(t >= before);
        before = t;
      }
      CHECK(before > before_ranks);
      before_ranks = before;
    }
  }
}
