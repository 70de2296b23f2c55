// A higher oversubscription takes uplinks away and moves no node, so nothing that crosses leaves gets faster.
#include <doctest/doctest.h>

#include <algorithm>

#include "models/collectives/cluster.hpp"
#include "models/collectives/comm_model.hpp"
#include "models/frameworks/framework.hpp"
#include "models/gpu/cost.hpp"
#include "models/gpu/model_library.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/networks/workload.hpp"
#include "models/step/training.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/node_spec.hpp"

using namespace rackcast;

namespace {

constexpr double ratios[] = {1, 1.5, 2, 3, 4, 8};
constexpr double rounding = 1e-9;

Cluster cluster_with(const Catalog& catalog, const NodeSpec& node, int nodes, RailPlan rails, double ratio) {
  ClusterShape shape;
  shape.nodes = nodes;
  shape.fabric.rails = rails;
  shape.fabric.oversubscription = ratio;
  return make_cluster(catalog, node, shape);
}

}  // namespace

TEST_CASE("issue 23, item 10: more oversubscription never makes an all-reduce faster") {
  const Catalog catalog = Catalog::builtin();
  struct Case {
    RailPlan rails;
    const char* algorithm;
    double megabytes;
  };
  // Trees over rails, and short messages, may meet on an uplink or miss each other: docs/theory/fabrics.md.
  const Case cases[] = {{RailPlan::by_node, "auto", 50},
                        {RailPlan::by_node, "auto", 500},
                        {RailPlan::by_node, "ring", 1},
                        {RailPlan::by_rail, "ring", 1},
                        {RailPlan::by_rail, "ring", 500}};
  std::size_t slower = 0;
  for (const char* name :
       {"dgx1_p100", "dgx1v_16gb", "dgx2", "ibm_ac922_6gpu", "dell_c4140_k", "dgx_a100_640gb", "dgx_h100"}) {
    const NodeSpec node = node_spec(catalog, name);
    for (const Case& c : cases) {
      for (const int nodes : {2, 3, 5, 8, 12, 16, 24, 33, 48, 64, 96, 112, 128}) {
        Duration longest{0};
        for (const double ratio : ratios) {
          const Cluster cluster = cluster_with(catalog, node, nodes, c.rails, ratio);
          CommModel comm{cluster, {.algorithm = c.algorithm}};
          const Duration time = comm.time(Collective::all_reduce, Bytes{c.megabytes * 1e6});
          CAPTURE(name);
          CAPTURE(to_string(c.rails));
          CAPTURE(c.algorithm);
          CAPTURE(c.megabytes);
          CAPTURE(nodes);
          CAPTURE(ratio);
          CHECK(time >= longest * (1 - rounding));
          slower += longest > Duration{0} && time > 1.01 * longest;
          longest = std::max(longest, time);
        }
      }
    }
  }
  CHECK(slower > 100);  // uplinks do bind in many of them
}

TEST_CASE("issue 23, item 10: more oversubscription never makes a data-parallel step faster") {
  const Catalog catalog = Catalog::builtin();
  const GpuModelLibrary kernels = GpuModelLibrary::builtin();
  const Workload network = load_workload("vgg16");
  const FrameworkProfile framework = framework_profile({.name = "pytorch"});
  std::size_t slower = 0;
  for (const char* name : {"dgx1v_16gb", "dgx2", "ibm_ac922_6gpu", "dgx_a100_640gb", "dgx_h100"}) {
    const NodeSpec node = node_spec(catalog, name);
    const GpuCostModel gpu =
        GpuCostModel::create(gpu_rates(node.gpu), {.library = framework.library}, kernels);
    for (const int nodes : {8, 24, 96, 112}) {
      Duration longest{0};
      for (const double ratio : ratios) {
        const Cluster cluster = cluster_with(catalog, node, nodes, RailPlan::by_node, ratio);
        TrainingSpec spec;
        spec.workload = &network;
        spec.gpu = &gpu;
        spec.framework = &framework;
        spec.batch_per_gpu = 4;  // little arithmetic to hide the exchange behind
        const Duration step = simulate_training(cluster, spec).parts.total;
        CAPTURE(name);
        CAPTURE(nodes);
        CAPTURE(ratio);
        CHECK(step >= longest * (1 - rounding));
        slower += longest > Duration{0} && step > 1.01 * longest;
        longest = std::max(longest, step);
      }
    }
  }
  CHECK(slower > 5);
}
