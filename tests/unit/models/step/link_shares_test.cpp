#include "models/step/link_shares.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "models/collectives/cluster.hpp"
#include "models/frameworks/framework.hpp"
#include "models/gpu/cost.hpp"
#include "models/gpu/model_library.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/networks/workload.hpp"
#include "models/step/gradient_buckets.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/node_spec.hpp"

using namespace rackcast;

namespace {

constexpr LinkPlace up_to_leaf{LinkKind::infiniband, DeviceKind::nic, DeviceKind::leaf};
constexpr SteadyStep step{.time = Duration{0.2}, .samples = 3 * 64};

struct Job {
  Catalog catalog = Catalog::builtin();
  Workload network = load_workload("resnet50");
  FrameworkProfile framework = framework_profile({.name = "pytorch"});
  NodeSpec node;
  GpuCostModel gpu;
  ClusterShape shape;
  TrainingSpec spec;

  Job(const NodeChoice& choice, int nodes)
      : node{node_spec(catalog, choice)},
        gpu{GpuCostModel::create(gpu_rates(node.gpu), framework.lowering(), GpuModelLibrary::builtin())} {
    shape.nodes = nodes;
    spec.workload = &network;
    spec.gpu = &gpu;
    spec.framework = &framework;
    spec.batch_per_gpu = 64;
  }

  [[nodiscard]] DataParallelPlan plan() const {
    const Cluster cluster = make_cluster(catalog, node, shape);
    return plan_data_parallel(cluster, spec,
                              step_times(spec, static_cast<int>(cluster.ranks.size())).buckets);
  }
};

/// Three nodes with one GPU and one port each.
Job three_nodes() {
  return {{.node = "workstation", .gpu = "p100_pcie_16gb", .nics = 1, .nic_link = "edr"}, 3};
}

LinkShare share_of(const std::vector<LinkShare>& shares, const LinkPlace& place) {
  const auto at = std::ranges::find(shares, place, &LinkShare::place);
  REQUIRE(at != shares.end());
  return *at;
}

double capacity_of(const DataParallelPlan& plan, const LinkPlace& place) {
  for (const PlanResource& resource : plan.resources)
    for (const auto& [where, links] : resource.places)
      if (where == place) return resource.capacity;
  return 0;
}

}  // namespace

TEST_CASE("a ring of three sends four thirds of the gradients over every port in a step") {
  const Job job = three_nodes();
  const DataParallelPlan plan = job.plan();
  const LinkShare up = share_of(link_shares(plan, step), up_to_leaf);
  const double bytes = 4.0 / 3 * job.network.parameters() * 4;  // in 32 bits
  CHECK(up.links == 3);
  CHECK(up.mean == doctest::Approx(bytes / (capacity_of(plan, up_to_leaf) * step.time.base())).epsilon(0.01));
  CHECK(up.fullest == doctest::Approx(up.mean));
  // Twice the time, half as full.
  CHECK(share_of(link_shares(plan, {.time = 2 * step.time}), up_to_leaf).mean ==
        doctest::Approx(up.mean / 2));
  // Weights that are sent in every fourth step.
  CHECK(share_of(link_shares(plan, {.time = step.time, .exchanges = 0.25}), up_to_leaf).mean ==
        doctest::Approx(up.mean / 4));
}

TEST_CASE("samples from the storage count where they pass") {
  Job job = three_nodes();
  job.spec.input.stored_sample = Bytes{1e5};
  job.shape.fabric.storage_servers = 2;
  const DataParallelPlan plan = job.plan();
  constexpr LinkPlace from_storage{LinkKind::infiniband, DeviceKind::storage, DeviceKind::leaf};
  const LinkShare out = share_of(link_shares(plan, step), from_storage);
  CHECK(out.links == 2);
  CHECK(out.mean ==
        doctest::Approx(step.samples * 1e5 / 2 / (capacity_of(plan, from_storage) * step.time.base())));
}

TEST_CASE("folded plans and those of every link say the same of each place") {
  Job job{NodeChoice{"dgx1v_16gb", ""}, 30};
  const std::vector<LinkShare> folded = link_shares(job.plan(), step);
  job.spec.fold = false;
  const std::vector<LinkShare> all = link_shares(job.plan(), step);
  REQUIRE(folded.size() == all.size());
  CHECK(folded.size() > 6);  // NVLink, PCIe to and from switches and ports, cables of both levels
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(i);
    CHECK(folded[i].place == all[i].place);
    CHECK(folded[i].links == all[i].links);
    CHECK(folded[i].mean == doctest::Approx(all[i].mean));
    CHECK(folded[i].fullest == doctest::Approx(all[i].fullest));
    CHECK(all[i].mean <= all[i].fullest * (1 + 1e-12));
  }
}

TEST_CASE("without a step, and for crews that do not wait for each other, nothing is said") {
  Job job = three_nodes();
  CHECK(link_shares(job.plan(), {}).empty());
  job.spec.exchange.strategy = ExchangeStrategy::parameter_server;
  job.spec.exchange.servers.mode = ServerMode::asynchronous;
  job.spec.stragglers = {{.nodes = 1, .compute = 0.5}};
  const DataParallelPlan plan = job.plan();
  CHECK(plan.crews.size() > 1);
  CHECK(link_shares(plan, step).empty());
}
