/// All-reduce on a logical grid of ranks: reduce-scatter along the rows, ring all-reduce of each part along
/// the columns, all-gather along the rows. 2(x-1) + 2(y-1) steps instead of 2(xy-1) (H. Mikami et al.,
/// "Massively distributed SGD: ImageNet/ResNet-50 training in a flash", arXiv:1811.05233, 2018).
///
/// A row is one node, or several where nodes are small: rows and columns are as equal as the count allows.
#include <cmath>
#include <cstdlib>

#include "models/collectives/algorithms.hpp"
#include "models/collectives/layout.hpp"

namespace rackcast {
namespace {

/// Divisor of n nearest to its root that is a multiple of `unit` (or divides it).
int row_length(int n, int unit) {
  int best = n;
  for (int x = 1; x <= n; ++x) {
    if (n % x != 0 || (x % unit != 0 && unit % x != 0)) continue;
    if (std::abs(std::log(static_cast<double>(x) * x / n)) <
        std::abs(std::log(static_cast<double>(best) * best / n)))
      best = x;
  }
  return best;
}

HopCount hops(double start, double steps, bool far) {
  return {start, far ? 0 : steps, far ? steps : 0};
}

}  // namespace

CollectivePlan plan_torus_2d(Layout& layout, Collective operation) {
  if (operation != Collective::all_reduce) refuse_operation("torus_2d", operation);
  const int n = layout.ranks();
  CollectivePlan plan{"torus_2d", operation, n, {}};
  if (n < 2) return plan;
  const int x = row_length(n, n / layout.nodes()), y = n / x;
  const double row = x, column = y;
  bool far_row = false;
  for (int rank = 0; rank < n && x > 1; ++rank) {
    const int next = rank / x * x + (rank + 1) % x;
    layout.send(rank, next, (row - 1) / row);
    far_row = far_row || !layout.same_node(rank, next);
  }
  CollectiveStage scatter = layout.stage(hops(1, row - 1, far_row));
  CollectiveStage gather = scatter;
  gather.hops.start = 0;
  bool far_column = false;
  for (int rank = 0; rank < n && y > 1; ++rank) {
    const int next = (rank + x) % n;
    layout.send(rank, next, 2 * (column - 1) / column / row);
    far_column = far_column || !layout.same_node(rank, next);
  }
  CollectiveStage along = layout.stage(hops(0, 2 * (column - 1), far_column));
  plan.stages.push_back(std::move(scatter));
  plan.stages.push_back(std::move(along));
  plan.stages.push_back(std::move(gather));
  return plan;
}

}  // namespace rackcast
