#pragma once
/// Sums of gradients over GPUs with the same weights that are no neighbours.
#include "models/collectives/cluster.hpp"
#include "models/collectives/comm_model.hpp"
#include "models/collectives/timed_exchange.hpp"

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

}  // namespace rackcast
