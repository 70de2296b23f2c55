#pragma once
/// Sums of gradients over GPUs with the same weights that are no neighbours.
#include <algorithm>
#include <optional>

#include "models/collectives/cluster.hpp"
#include "models/collectives/comm_model.hpp"
#include "models/collectives/timed_exchange.hpp"
#include "models/networks/operator.hpp"
#include "models/split/mesh.hpp"

namespace rackcast {

/// The sum over `count` GPUs that are `apart` ranks from each other and hold the same. Where a whole set lies
/// inside a node it sums alone. Where it spans nodes, the `at_once` sets of a node sum at once over its
/// adapters, as one sum of all their gradients would.
struct SumApart {
  Cluster group;
  CommModel over;
  double at_once = 1;

  SumApart(const Cluster& cluster, const CommSpec& comm, int apart, int count, int of_a_node)
      : group{first_ranks(cluster, inside(cluster, apart, count) ? count : apart * count)},
        over{group, comm},
        at_once{inside(cluster, apart, count) ? 1.0 : of_a_node} {}
  SumApart(const SumApart&) = delete;
  SumApart& operator=(const SumApart&) = delete;

 private:
  static bool inside(const Cluster& cluster, int apart, int count) {
    return apart * count <= cluster.local_ranks();
  }
};

/// One exchange behind the other.
inline TimedExchange in_turn(const TimedExchange& first, const TimedExchange& then) {
  const Duration time = first.time + then.time;
  if (!(then.time > Duration{0})) return first;
  const double share = first.time / time;
  return {time,
          {share * first.links.inside + (1 - share) * then.links.inside,
           share * first.links.between + (1 - share) * then.links.between}};
}

/// Exchanges among the GPUs that share states, or without sharded states among all with the same weights.
struct ShardExchanges {
  SumApart over;
  std::optional<SumApart> sets;  ///< between groups of shards that hold the same

  /// The mesh has its replicas, and more than one GPU shares. `scale`: of the rates.
  ShardExchanges(const Cluster& cluster, const CommSpec& comm, const Mesh& mesh, double scale)
      : over{cluster, comm, mesh.tensor, sharing(mesh), mesh.tensor},
        shards_{static_cast<double>(mesh.shards())},
        scale_{scale} {
    const int apart = mesh.tensor * mesh.shards();
    if (mesh.zero_stage > 0 && mesh.shard_sets() > 1)
      sets.emplace(cluster, comm, apart, mesh.shard_sets(), std::min(apart, cluster.local_ranks()));
  }

  static int sharing(const Mesh& mesh) { return mesh.zero_stage > 0 ? mesh.shards() : mesh.copies(); }

  [[nodiscard]] TimedExchange over_shards(Collective operation, Bytes each) {
    return timed(over, operation, over.at_once * each);
  }
  /// Gradients scattered over the GPUs that share states, and each shard summed over the groups that hold the
  /// same.
  [[nodiscard]] TimedExchange scattered(Bytes each) {
    const TimedExchange inside = over_shards(Collective::reduce_scatter, each);
    if (!sets) return inside;
    return in_turn(inside, timed(*sets, Collective::all_reduce, sets->at_once * each / shards_));
  }

 private:
  [[nodiscard]] TimedExchange timed(SumApart& among, Collective operation, Bytes bytes) const {
    TimedExchange out = timed_exchange(among.over, operation, bytes);
    out.time /= scale_;
    return out;
  }

  double shards_ = 1, scale_ = 1;
};

/// Of a layer with so many parameters, all with their experts, beside the kernels of a micro-batch.
struct LayerShards {
  TimedExchange gather, scatter;  ///< nothing where weights are not sharded
};
inline LayerShards layer_shards(ShardExchanges& among, const Mesh& mesh, double parameters,
                                Precision precision) {
  const Bytes part = parameters * gradient_bytes(precision);
  LayerShards out;
  out.scatter = among.scattered(part);
  if (mesh.zero_stage == 3) out.gather = among.over_shards(Collective::all_gather, part);
  return out;
}

}  // namespace rackcast
