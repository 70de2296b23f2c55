// Saves and restarts as states of their own: the folded run counts what the full one simulates.
#include <doctest/doctest.h>

#include <random>

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

  [[nodiscard]] Cluster cluster(int nodes) const {
    ClusterShape shape;
    shape.nodes = nodes;
    shape.fabric.storage_servers = 2;
    return make_cluster(catalog, node, shape);
  }

  /// Saves of `seconds` of writing, fed by a storage that gives `feed` of what the GPUs could take.
  [[nodiscard]] TrainingSpec spec(const Cluster& cluster, double seconds, bool asynchronous,
                                  double feed) const {
    TrainingSpec out;
    out.workload = &network;
    out.gpu = &gpu;
    out.framework = &framework;
    out.batch_per_gpu = 32;
    const TrainingRun bare = simulate_training(cluster, out);
    const Bytes sample{110e3};
    const Frequency hungry{bare.samples_per_step / bare.parts.total.base()};
    out.input.stored_sample = sample;
    out.input.stages = {{"storage", "storage read", feed * (hungry * sample).base(), sample.base()}};
    out.save.asked = true;
    out.save.state = Bytes{250e6};
    out.save.asynchronous = asynchronous;
    out.save.read = feed * hungry * sample;
    out.save.write = out.save.state / Duration{seconds};
    return out;
  }
};

/// Time of so many steps with a save after every `every`th, from a folded run.
double seconds_of(const TrainingRun& run, double steps, double every) {
  return (run.warm_up + steps * run.parts.total + std::floor((steps - 1) / every) * run.save.stall).base();
}

}  // namespace

TEST_CASE("a save costs the same folded and with every step simulated") {
  const Setup setup;
  std::mt19937_64 random{77};
  for (const double feed : {0.6, 0.97, 2.0}) {
    for (const double seconds : {0.05, 0.9, 30.0}) {
      for (const bool asynchronous : {false, true}) {
        const Cluster cluster = setup.cluster(static_cast<int>(random() % 4) + 1);
        TrainingSpec spec = setup.spec(cluster, seconds, asynchronous, feed);
        const TrainingRun folded = simulate_training(cluster, spec);
        CAPTURE(feed);
        CAPTURE(seconds);
        CAPTURE(asynchronous);
        REQUIRE(folded.save.steps > 0);
        CHECK(folded.save.safe.base() >= seconds * 0.999);
        CHECK(folded.steps < 150);
        spec.fold = false;
        spec.save.every = folded.save.steps + 3;
        spec.steps = 3 * spec.save.every;
        const TrainingRun full = simulate_training(cluster, spec);
        REQUIRE(full.steps == spec.steps);
        const auto steps = static_cast<double>(spec.steps), every = static_cast<double>(spec.save.every);
        CHECK(full.parts.total.base() == doctest::Approx(folded.parts.total.base()).epsilon(1e-9));
        CHECK(seconds_of(full, steps, every) ==
              doctest::Approx(seconds_of(folded, steps, every)).epsilon(1e-9));
        CHECK(full.save.stall.base() == doctest::Approx(folded.save.stall.base()).epsilon(1e-6).scale(1e-3));
        spec.save.every = 0;
        spec.steps = 2 * folded.save.steps + 6;
        CHECK(simulate_training(cluster, spec).save.stall.base() ==
              doctest::Approx(folded.save.stall.base()).epsilon(1e-6).scale(1e-3));
      }
    }
  }
}

TEST_CASE("saves too close to each other to be alone repeat with a period of their own") {
  const Setup setup;
  for (const bool asynchronous : {false, true}) {
    const Cluster cluster = setup.cluster(2);
    TrainingSpec spec = setup.spec(cluster, 2.0, asynchronous, 0.8);
    const TrainingRun alone = simulate_training(cluster, spec);
    for (const std::uint64_t every : {std::uint64_t{3}, alone.save.steps / 2 + 2}) {
      spec.save.every = every;
      spec.fold = true;
      const TrainingRun folded = simulate_training(cluster, spec);
      spec.fold = false;
      // All that the saves took more, less the same of a training half as long: the periods in between.
      const auto lost = [&](std::uint64_t periods) {
        spec.steps = every * periods;
        return static_cast<double>(periods - 1) * simulate_training(cluster, spec).save.stall;
      };
      const Duration period = (lost(81) - lost(41)) / 40;
      CAPTURE(asynchronous);
      CAPTURE(every);
      CHECK(period.base() == doctest::Approx(folded.save.stall.base()).epsilon(1e-6).scale(1e-3));
    }
  }
}

TEST_CASE("going on from a saved state reads it and warms up again") {
  const Setup setup;
  const Cluster cluster = setup.cluster(4);
  TrainingSpec spec = setup.spec(cluster, 1.0, false, 2.0);
  CHECK(simulate_training(cluster, spec).restored == Duration{0});
  spec.save.restore = true;
  const TrainingRun run = simulate_training(cluster, spec);
  // Four nodes read the whole state at the servers' rate.
  const Duration read = 4 * spec.save.state / spec.save.read;
  CHECK((run.restored - run.warm_up).base() == doctest::Approx(read.base()).epsilon(1e-6));
  spec.save.client = 0.1 * spec.save.read;
  CHECK((simulate_training(cluster, spec).restored - run.warm_up).base() ==
        doctest::Approx((spec.save.state / spec.save.client).base()).epsilon(1e-6));
}
