// Saves of a state of which every GPU holds a part of its own (split embedding tables): each node writes and
// reads back its part, one the rest. Times by hand; links and samples are out of the way.
#include <doctest/doctest.h>

#include <optional>

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

struct Setup {
  Catalog catalog = Catalog::builtin();
  Workload network = load_workload("resnet50");
  FrameworkProfile framework = framework_profile({.name = "tensorflow", .version = "1.4"});
  NodeSpec node = node_spec(catalog, NodeChoice{"dgx1_p100", ""});
  GpuCostModel gpu =
      GpuCostModel::create(gpu_rates(node.gpu), {.library = framework.library}, GpuModelLibrary::builtin());
  SaveSpec save;

  Setup() {
    save.asked = save.restore = true;
    save.state = Bytes{1e9};
    save.divided = Bytes{0.9e9};
    save.write = Bandwidth{1e9};
    save.read = Bandwidth{2e9};
  }

  [[nodiscard]] TrainingRun run(int nodes, std::optional<int> gpus = {}) const {
    ClusterShape shape;
    shape.nodes = nodes;
    shape.gpus = gpus;
    shape.fabric.storage_servers = 2;
    TrainingSpec spec;
    spec.workload = &network;
    spec.gpu = &gpu;
    spec.framework = &framework;
    spec.batch_per_gpu = 32;
    spec.save = save;
    return simulate_training(make_cluster(catalog, node, shape), spec);
  }

  [[nodiscard]] double written(int nodes, std::optional<int> gpus = {}) const {
    return run(nodes, gpus).save.safe.base();
  }
  /// Without the warm-up that follows.
  [[nodiscard]] double read(int nodes, std::optional<int> gpus = {}) const {
    const TrainingRun r = run(nodes, gpus);
    return (r.restored - r.warm_up).base();
  }
};

doctest::Approx about(double seconds) {
  return doctest::Approx(seconds).epsilon(1e-6);
}

}  // namespace

TEST_CASE("N nodes write divided state N times as fast, until the storage takes in no more") {
  Setup setup;
  setup.save.divided = setup.save.state;
  setup.save.client = Bandwidth{10e6};
  setup.save.write = Bandwidth{40e6};
  CHECK(setup.written(1) == about(1e9 / 10e6));
  CHECK(setup.written(2) == about(1e9 / 20e6));
  CHECK(setup.written(4) == about(1e9 / 40e6));
  CHECK(setup.written(8) == about(1e9 / 40e6));
}

TEST_CASE("what is the same on all GPUs is written by one node besides") {
  Setup setup;
  setup.save.client = Bandwidth{10e6};
  CHECK(setup.written(1) == about(1e9 / 10e6));
  // 100 MB and a quarter of 900.
  CHECK(setup.written(4) == about(325e6 / 10e6));
  setup.save.divided = Bytes{0};
  CHECK(setup.written(4) == about(1e9 / 10e6));
}

TEST_CASE("the node with most of the tables is the last to have written") {
  Setup setup;
  setup.save.client = Bandwidth{10e6};
  // Eight of twelve GPUs in one node, four in the other: 100 MB and two thirds of 900.
  CHECK(setup.written(2, 12) == about(700e6 / 10e6));
  CHECK(setup.read(2, 12) == about(700e6 / 10e6));
  setup.save.local = true;
  setup.save.client = Bandwidth{0};
  setup.save.write = Bandwidth{5e6};
  CHECK(setup.written(2, 12) == about(700e6 / 5e6));
  CHECK(setup.written(4) == about(325e6 / 5e6));
}

TEST_CASE("the storage takes in the whole state once, whoever writes it") {
  Setup setup;
  setup.save.write = Bandwidth{20e6};
  for (const int nodes : {1, 2, 8}) CHECK(setup.written(nodes) == about(1e9 / 20e6));
}

TEST_CASE("a node reads back its own part and what all hold") {
  Setup setup;
  setup.save.read = Bandwidth{20e6};
  // Four nodes: 4 x 100 MB and 900 MB once.
  CHECK(setup.read(4) == about(1300e6 / 20e6));
  setup.save.read = Bandwidth{2e9};
  setup.save.client = Bandwidth{10e6};
  CHECK(setup.read(4) == about(325e6 / 10e6));
  setup.save.divided = Bytes{0};
  CHECK(setup.read(4) == about(1e9 / 10e6));
}

TEST_CASE("tables leave their GPUs side by side") {
  // An asynchronous save stops training for the copy to the host. From one GPU it goes through one link of a
  // PCIe switch to its CPU, divided over 8 GPUs through those of four switches, 2/8 through each.
  Setup setup;
  setup.save.asynchronous = true;
  setup.save.divided = setup.save.state;
  const double divided = setup.run(1).save.stall.base();
  setup.save.divided = Bytes{0};
  CHECK(divided == doctest::Approx(setup.run(1).save.stall.base() / 4).epsilon(0.02));
}
