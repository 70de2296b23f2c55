/// Ring: all-reduce is reduce-scatter and all-gather, n-1 steps of payload/n each (Patarasuk & Yuan, JPDC
/// 69(2), 2009). Broadcast and send/receive pass the whole payload along the chain.
///
/// Of the steps of a ring over k nodes, one of each n/k crosses between nodes; NCCL's model adds those
/// latencies apart (src/graph/tuning.cc): start + (steps - 2(k-1)) intra + 2(k-1) inter for all-reduce.
#include <algorithm>

#include "models/collectives/algorithms.hpp"
#include "models/collectives/cluster.hpp"
#include "models/collectives/layout.hpp"

namespace rackcast {
namespace {

/// What every hop of the ring carries, and how often around it is gone.
struct Passes {
  double bytes = 0;
  double rounds = 0;
};

Passes passes_of(Collective operation, int ranks) {
  const double n = ranks;
  switch (operation) {
    case Collective::all_reduce:
      return {2 * (n - 1) / n, 2};
    case Collective::reduce_scatter:
    case Collective::all_gather:
      return {(n - 1) / n, 1};
    case Collective::broadcast:
      return {1, 1};
    case Collective::send_recv:
      return {1, 1 / (n - 1)};  // one hop
    case Collective::all_to_all:
      break;
  }
  refuse_operation("ring", operation);
}

/// The library's rings on the real links. `copied`: what the ends cost the hop that they cost least.
CollectiveStage gpu_rings(Layout& layout, double bytes, double& copied) {
  copied = std::numeric_limits<double>::infinity();
  for (const Ring& ring : layout.rings()) {
    ring.each_hop([&](DeviceId from, DeviceId to, const RouteChoice& choice) {
      const double here = layout.copied_at_ends(from, to);
      copied = std::min(copied, here);
      layout.load(from, to, (bytes + here) * ring.payload_share, choice);
    });
  }
  return layout.stage({});
}

/// A ring that leaves links of a bundle idle goes at the rate of the links it uses (rings.cpp).
Bandwidth ring_ceiling(Layout& layout, const CollectiveStage& stage, double bytes, const LinkRates& rates) {
  const Topology& topology = layout.cluster().topology;
  Bandwidth catalogue{1e30}, measured{1e30};
  stage.pattern->each([&](const LinkLoad& load, int) {
    catalogue = std::min(catalogue, topology.bandwidth(load.link) / load.bytes);
    measured = std::min(measured, rates.of(load.link) / load.bytes);
  });
  const Bandwidth limited = total_rate(layout.rings()) / bytes;
  return limited < 0.999 * catalogue ? measured * (limited / catalogue)
                                     : Bandwidth{std::numeric_limits<double>::infinity()};
}

}  // namespace

CollectivePlan plan_ring(Layout& layout, Collective operation) {
  const int n = layout.ranks();
  CollectivePlan plan{"ring", operation, n, {}};
  if (n < 2) return plan;
  const Passes passes = passes_of(operation, n);
  CollectiveStage stage;
  if (operation == Collective::send_recv) {
    layout.send(0, n - 1, 1);
    stage = layout.stage({});
  } else if (layout.on_gpus()) {
    double copied = 0;
    stage = gpu_rings(layout, passes.bytes, copied);
    stage.ceiling = ring_ceiling(layout, stage, passes.bytes + copied, LinkRates{layout.cluster()});
  } else {
    for (int rank = 0; rank < n; ++rank) layout.send(rank, (rank + 1) % n, passes.bytes);
    stage = layout.stage({});
  }
  const double steps = passes.rounds * (n - 1);
  const double inter = operation == Collective::send_recv ? (layout.nodes() > 1 ? 1 : 0)
                                                          : passes.rounds * (layout.nodes() - 1);
  stage.hops = {1, steps - inter, inter};
  plan.stages.push_back(std::move(stage));
  return plan;
}

}  // namespace rackcast
