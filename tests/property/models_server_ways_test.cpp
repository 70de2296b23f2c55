// Ways to parameter servers are laid out once for a cluster: what a step takes is what it takes on a cluster
// of which nothing has been asked before, whoever asked first.
#include <doctest/doctest.h>

#include <vector>

#include "models/collectives/cluster.hpp"
#include "models/frameworks/framework.hpp"
#include "models/gpu/cost.hpp"
#include "models/gpu/model_library.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/networks/workload.hpp"
#include "models/step/training.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/node_spec.hpp"

using namespace rackcast;

TEST_CASE("what one kind of parameter servers has laid out is not another's") {
  const Catalog catalog = Catalog::builtin();
  const Workload network = load_workload("alexnet");
  const FrameworkProfile framework = framework_profile({.name = "mxnet"});
  for (const char* name : {"dgx1_p100", "dgx1v_16gb"}) {
    CAPTURE(name);
    const NodeSpec node = node_spec(catalog, NodeChoice{name, ""});
    const GpuCostModel gpu =
        GpuCostModel::create(gpu_rates(node.gpu), {.library = framework.library}, GpuModelLibrary::builtin());
    const ClusterShape shape{.nodes = 6, .fabric = {}, .gpus = 40, .idle_nodes = true};
    const Cluster shared = make_cluster(catalog, node, shape);
    std::vector<ServerSpec> kinds;
    for (int bits = 0; bits < 16; ++bits) {
      ServerSpec servers;
      servers.count = (bits & 1) != 0 ? 2 : 0;
      servers.apart = (bits & 2) != 0;
      servers.whole_arrays = (bits & 4) != 0;
      servers.sums_in_node = (bits & 8) == 0;
      servers.sums_on_gpu = (bits & 8) != 0;
      servers.split = Bytes{4e6};
      kinds.push_back(servers);
    }
    for (const bool again : {false, true}) {
      for (const ServerSpec& servers : kinds) {
        TrainingSpec spec;
        spec.workload = &network;
        spec.gpu = &gpu;
        spec.framework = &framework;
        spec.batch_per_gpu = 32;
        spec.exchange.strategy = ExchangeStrategy::parameter_server;
        spec.exchange.bucket = Bytes{0};
        spec.exchange.servers = servers;
        CAPTURE(again);
        CAPTURE(servers.count);
        CAPTURE(servers.apart);
        CAPTURE(servers.whole_arrays);
        CAPTURE(servers.sums_on_gpu);
        CHECK(simulate_training(shared, spec).parts.total ==
              simulate_training(make_cluster(catalog, node, shape), spec).parts.total);
      }
    }
  }
}
