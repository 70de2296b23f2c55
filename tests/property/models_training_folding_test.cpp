#include <doctest/doctest.h>

#include <random>
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

namespace {

int upto(std::mt19937_64& random, int most) {
  return static_cast<int>(random() % static_cast<std::uint64_t>(most)) + 1;
}

std::vector<Stragglers> some_stragglers(std::mt19937_64& random, int nodes, int groups) {
  const double paces[] = {1, 0.9, 0.5, 0.37};
  std::vector<Stragglers> out;
  for (int i = 0; i < groups; ++i)
    out.push_back({upto(random, std::max(1, nodes / 3)), paces[random() % 4], paces[random() % 4]});
  return out;
}

}  // namespace

TEST_CASE("a training step with slow nodes is the same folded and with every GPU simulated") {
  const Catalog catalog = Catalog::builtin();
  const GpuModelLibrary kernels = GpuModelLibrary::builtin();
  const Workload network = load_workload("resnet50");
  const FrameworkProfile framework = framework_profile({.name = "tensorflow", .version = "1.4"});
  std::mt19937_64 random{20240611};
  for (const char* node_id : {"dgx1_p100", "dgx1v_16gb", "dgx2", "dgx_a100_320gb"}) {
    for (int round = 0; round < 24; ++round) {
      const NodeSpec node = node_spec(catalog, NodeChoice{node_id, ""});
      ClusterShape shape;
      shape.nodes = round == 5 ? 64 : upto(random, 16);
      const Cluster cluster = make_cluster(catalog, node, shape);
      const GpuCostModel gpu =
          GpuCostModel::create(gpu_rates(node.gpu), {.library = framework.library}, kernels);
      TrainingSpec spec;
      spec.workload = &network;
      spec.gpu = &gpu;
      spec.framework = &framework;
      spec.batch_per_gpu = 32;
      spec.stragglers = some_stragglers(random, shape.nodes, round % 6);
      const TrainingRun folded = simulate_training(cluster, spec);
      spec.fold = false;
      spec.steps = 12;
      const TrainingRun full = simulate_training(cluster, spec);
      CAPTURE(node_id);
      CAPTURE(shape.nodes);
      CAPTURE(round);
      CHECK(full.steps == 12);
      for (const auto part : {&StepParts::forward, &StepParts::backward, &StepParts::straggler_wait,
                              &StepParts::exchange_wait, &StepParts::total}) {
        CHECK((full.parts.*part).base() ==
              doctest::Approx((folded.parts.*part).base()).epsilon(1e-9).scale(folded.parts.total.base()));
      }
    }
  }
}
