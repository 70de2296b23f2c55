#include "models/step/input_resources.hpp"

#include <map>
#include <span>
#include <utility>

#include "models/collectives/cluster.hpp"
#include "models/collectives/laid_out.hpp"
#include "topologies/routing/route_loads.hpp"
#include "topologies/routing/routing.hpp"

namespace rackcast {

namespace {

/// Every rank reads 1/n of the samples: stored bytes come from the storage servers (evenly) to a CPU of the
/// rank's node, decoded samples go from there to the GPU.
InputLoads input_loads(const Cluster& cluster, std::span<const DeviceId> ranks) {
  const Topology& topology = cluster.topology;
  Router router{topology, {.watch = cluster.watch}};
  RouteLoads loads{router};
  InputLoads out;
  const double share = 1 / static_cast<double>(ranks.size());
  std::map<DeviceId, double> share_of_cpu;  // of the samples that its loaders read
  for (const DeviceId gpu : ranks) {
    // The loader of a GPU runs on the socket that the GPU hangs on.
    const DeviceId cpu = router.nearest_cpu(gpu);
    loads.add(cpu, gpu, share);
    share_of_cpu[cpu] += share;
  }
  out.decoded = loads.take();
  const std::vector<DeviceId> servers = topology.devices_of(no_id, DeviceKind::storage);
  for (const auto& [cpu, samples] : share_of_cpu)
    for (const DeviceId server : servers)
      loads.add(server, cpu, samples / static_cast<double>(servers.size()));
  out.stored = loads.take();
  return out;
}

/// Each crew's nodes have cores, caches and drives of their own; the storage is everybody's.
class InputResources {
 public:
  InputResources(const Cluster& cluster, const std::vector<Crew>& crews, DataParallelPlan& plan)
      : nodes_{static_cast<double>(cluster.used_nodes())}, crews_{crews}, plan_{plan} {}

  void add(const InputSpec& in) {
    if (in.storage.base() > 0)
      add_stage({"storage", "storage read", in.storage.base(), in.stored_sample.base(), false});
    if (in.decode_per_core.base() > 0 && in.cores_per_node > 0)
      add_stage({"host cores", "image decoding on the CPU cores",
                 nodes_ * in.cores_per_node * in.decode_per_core.base(), 1, true});
    for (const InputStage& stage : in.stages) add_stage(stage);
  }

 private:
  void add_stage(const InputStage& stage) {
    std::vector<std::pair<int, double>> all;
    for (std::size_t c = 0; c < crews_.size(); ++c) {
      const auto own = static_cast<double>(crews_[c].nodes.size());
      const bool apart = stage.of_nodes && own > 0;
      const std::pair use{plan_.crews[c].input, stage.per_sample * (apart ? nodes_ / own : 1)};
      if (apart) {
        plan_.resources.push_back({stage.name, stage.what, stage.capacity, true, 1, {use}});
      } else {
        all.push_back(use);
      }
    }
    if (!all.empty())
      plan_.resources.push_back({stage.name, stage.what, stage.capacity, true, 1, std::move(all)});
  }

  double nodes_;
  const std::vector<Crew>& crews_;
  DataParallelPlan& plan_;
};

}  // namespace

std::vector<PatternPart> input_parts(const Cluster& cluster, const TrainingSpec& spec,
                                     const std::vector<Crew>& crews, const DataParallelPlan& plan) {
  std::vector<PatternPart> parts;
  auto& whole = cluster.laid_out->input;
  if (!whole) whole = input_loads(cluster, cluster.ranks);
  for (std::size_t c = 0; c < crews.size(); ++c) {
    const InputLoads loads = crews.size() == 1 ? *whole : input_loads(cluster, crews[c].ranks);
    parts.push_back({plan.crews[c].input, loads.stored, spec.input.stored_sample.base()});
    parts.push_back({plan.crews[c].input, loads.decoded, spec.workload->input_bytes.base()});
  }
  return parts;
}

void add_input(const Cluster& cluster, const InputSpec& in, const std::vector<Crew>& crews,
               DataParallelPlan& plan) {
  InputResources{cluster, crews, plan}.add(in);
}

}  // namespace rackcast
