/// Trees, as NCCL lays them out since 2.4: a chain through the GPUs of a node, binary trees over the nodes;
/// data go up reduced and come down again, pipelined.
///
/// Latency (src/graph/tuning.cc): start + 2((n/k - 1) intra + log2(k) inter) for k nodes. The double binary
/// tree gives each of two trees half of the payload; an inner node of one is a leaf of the other, so no
/// adapter carries more than the payload in each direction (Sanders, Speck & Träff, Parallel Computing 35,
/// 2009; S. Jeaugey, "Massively scale your deep learning training with NCCL 2.4", 2019).
#include <algorithm>
#include <cmath>

#include "models/collectives/algorithms.hpp"
#include "models/collectives/cluster.hpp"
#include "models/collectives/layout.hpp"

namespace rackcast {
namespace {

/// Parent in an in-order binary tree over 0..n-1 rooted at 0, or -1: the rank without its lowest set bit,
/// with the next bit set, as NCCL's ncclGetBtree does.
int parent_of(int rank, int n) {
  if (rank == 0) return -1;
  int bit = 1;
  while ((rank & bit) == 0) bit <<= 1;
  int up = (rank ^ bit) | (bit << 1);
  if (up >= n) up = rank ^ bit;
  return up;
}

void load_tree(Layout& layout, double bytes, bool mirrored) {
  const auto& nodes = layout.by_node();
  const int k = layout.nodes();
  for (int node = 0; node < k; ++node) {
    const int up = parent_of(node, k);
    if (up < 0) continue;
    // The second tree is the first with the nodes shifted by one (odd counts) or mirrored (even counts).
    const auto place = [&](int i) {
      const int p = !mirrored ? i : k % 2 == 0 ? k - 1 - i : (i + 1) % k;
      return static_cast<std::size_t>(p);
    };
    // Each channel has its tree over other GPUs of the nodes, so that all adapters take part.
    const auto& own = nodes[place(node)];
    const auto& above = nodes[place(up)];
    const std::size_t m = std::min(own.size(), above.size());
    for (std::size_t i = 0; i < m; ++i) {
      layout.send(own[i], above[i], bytes / static_cast<double>(m));
      layout.send(above[i], own[i], bytes / static_cast<double>(m));
    }
  }
}

/// Up and down the GPUs of each node: chains along the library's rings without their last hop.
void load_chains(Layout& layout, double bytes) {
  if (layout.nodes() == 1 && layout.on_gpus()) {
    for (const Ring& ring : layout.rings()) {
      const auto both_ways = [&](DeviceId from, DeviceId to, const RouteChoice&) {
        const double carried = bytes * (1 + layout.copied_at_ends(from, to) / 2) * ring.payload_share;
        layout.load(from, to, carried);
        layout.load(to, from, carried);
      };
      ring.each_hop(both_ways, false);
    }
    return;
  }
  for (const auto& node : layout.by_node()) {
    for (std::size_t i = 0; i + 1 < node.size(); ++i) {
      layout.send(node[i], node[i + 1], bytes);
      layout.send(node[i + 1], node[i], bytes);
    }
  }
}

CollectivePlan finish(Layout& layout, const char* name) {
  const double k = layout.nodes();
  const double locals = layout.ranks() / k - 1;
  CollectivePlan plan{name, Collective::all_reduce, layout.ranks(), {}};
  plan.stages.push_back(layout.stage({1, 2 * locals, 2 * std::ceil(std::log2(k))}));
  return plan;
}

}  // namespace

void load_double_tree(Layout& layout) {
  load_tree(layout, 0.5, false);
  load_tree(layout, 0.5, true);
}

CollectivePlan plan_tree(Layout& layout, Collective operation) {
  if (operation != Collective::all_reduce) refuse_operation("tree", operation);
  if (layout.ranks() < 2) return {"tree", operation, layout.ranks(), {}};
  load_chains(layout, 1);
  load_tree(layout, 1, false);
  return finish(layout, "tree");
}

CollectivePlan plan_double_binary_tree(Layout& layout, Collective operation) {
  if (operation != Collective::all_reduce) refuse_operation("double_binary_tree", operation);
  if (layout.ranks() < 2) return {"double_binary_tree", operation, layout.ranks(), {}};
  load_chains(layout, 1);
  load_double_tree(layout);
  return finish(layout, "double_binary_tree");
}

}  // namespace rackcast
