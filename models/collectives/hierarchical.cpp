/// All-reduce in levels: inside the nodes, between them, inside again. The number of slow steps between nodes
/// falls from 2(n-1) to 2(k-1), which is what saves the ring past a few hundred GPUs (X. Jia et al., "Highly
/// scalable deep learning training system with mixed precision", arXiv:1807.11205, 2018, hybrid all-reduce;
/// Horovod's hierarchical all-reduce; P. Goyal et al., arXiv:1706.02677, 2017, for reduce, exchange between
/// leaders, broadcast).
#include <algorithm>

#include "models/collectives/algorithms.hpp"
#include "models/collectives/layout.hpp"

namespace rackcast {
namespace {

std::size_t least_per_node(const Layout& layout) {
  std::size_t least = SIZE_MAX;
  for (const auto& node : layout.by_node()) least = std::min(least, node.size());
  return least;
}

/// `bytes` over every hop of a ring inside each node, or of the chain without the closing hop.
void load_nodes(Layout& layout, double bytes, bool closed) {
  for (const auto& node : layout.by_node()) {
    for (std::size_t i = 0; i + (closed ? 0U : 1U) < node.size(); ++i)
      if (node.size() > 1) layout.send(node[i], node[(i + 1) % node.size()], bytes);
  }
}

/// A ring over one rank of each node.
void load_ring_of_nodes(Layout& layout, std::size_t which, double bytes) {
  const auto& nodes = layout.by_node();
  for (std::size_t k = 0; k < nodes.size() && nodes.size() > 1; ++k)
    layout.send(nodes[k][which], nodes[(k + 1) % nodes.size()][which], bytes);
}

}  // namespace

CollectivePlan plan_hierarchical(Layout& layout, Collective operation) {
  if (operation != Collective::all_reduce) refuse_operation("hierarchical", operation);
  CollectivePlan plan{"hierarchical", operation, layout.ranks(), {}};
  const std::size_t m = least_per_node(layout);
  const double local = static_cast<double>(m), k = layout.nodes();
  load_nodes(layout, (local - 1) / local, true);
  CollectiveStage scatter = layout.stage({1, local - 1, 0});
  CollectiveStage gather = scatter;
  gather.hops.start = 0;
  for (std::size_t i = 0; i < m; ++i) load_ring_of_nodes(layout, i, 2 * (k - 1) / k / local);
  CollectiveStage between = layout.stage({0, 0, 2 * (k - 1)});
  plan.stages.push_back(std::move(scatter));
  plan.stages.push_back(std::move(between));
  plan.stages.push_back(std::move(gather));
  return plan;
}

CollectivePlan plan_leader_ring(Layout& layout, Collective operation) {
  if (operation != Collective::all_reduce) refuse_operation("leader_ring", operation);
  CollectivePlan plan{"leader_ring", operation, layout.ranks(), {}};
  const double local = static_cast<double>(least_per_node(layout)), k = layout.nodes();
  load_nodes(layout, 1, false);
  CollectiveStage reduce = layout.stage({1, local - 1, 0});
  CollectiveStage broadcast = reduce;  // the same chain the other way; links are alike in both directions
  broadcast.hops.start = 0;
  load_ring_of_nodes(layout, 0, 2 * (k - 1) / k);
  CollectiveStage between = layout.stage({0, 0, 2 * (k - 1)});
  plan.stages.push_back(std::move(reduce));
  plan.stages.push_back(std::move(between));
  plan.stages.push_back(std::move(broadcast));
  return plan;
}

}  // namespace rackcast
