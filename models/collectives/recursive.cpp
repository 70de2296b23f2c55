/// Recursive doubling: log2(n) rounds in which partners exchange the whole payload: few steps, many bytes.
/// Halving-doubling: reduce-scatter by exchanging halves with ever nearer partners, all-gather the way back:
/// 2 log2(n) steps, 2(n-1)/n bytes per byte, and every round over other links.
///
/// R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective communication operations in MPICH",
/// IJHPCA 19(1), 2005. Ranks beyond the largest power of two first fold into a partner and get the result at
/// the end.
#include "models/collectives/algorithms.hpp"
#include "models/collectives/layout.hpp"

namespace rackcast {
namespace {

int largest_power_of_two(int n) {
  int p = 1;
  while (2 * p <= n) p *= 2;
  return p;
}

class Rounds {
 public:
  Rounds(Layout& layout, CollectivePlan& plan) : layout_{layout}, plan_{plan} {}

  /// Everybody exchanges `bytes` with the rank whose number differs in `bit`.
  void exchange(int power, int bit, double bytes) {
    bool far = false;
    for (int rank = 0; rank < power; ++rank) {
      layout_.send(rank, rank ^ bit, bytes);
      far = far || !layout_.same_node(rank, rank ^ bit);
    }
    add(far);
  }

  /// Ranks from `power` on send to (or get from) those at the beginning.
  void fold(int power, bool back) {
    bool far = false;
    for (int rank = power; rank < layout_.ranks(); ++rank) {
      const int partner = rank - power;
      layout_.send(back ? partner : rank, back ? rank : partner, 1);
      far = far || !layout_.same_node(rank, partner);
    }
    if (power < layout_.ranks()) add(far);
  }

 private:
  void add(bool far) {
    const double start = plan_.stages.empty() ? 1 : 0;
    plan_.stages.push_back(layout_.stage({start, far ? 0.0 : 1.0, far ? 1.0 : 0.0}));
  }

  Layout& layout_;
  CollectivePlan& plan_;
};

}  // namespace

CollectivePlan plan_recursive_doubling(Layout& layout, Collective operation) {
  if (operation != Collective::all_reduce) refuse_operation("recursive_doubling", operation);
  CollectivePlan plan{"recursive_doubling", operation, layout.ranks(), {}};
  const int power = largest_power_of_two(layout.ranks());
  Rounds rounds{layout, plan};
  rounds.fold(power, false);
  for (int bit = 1; bit < power; bit *= 2) rounds.exchange(power, bit, 1);
  rounds.fold(power, true);
  return plan;
}

CollectivePlan plan_halving_doubling(Layout& layout, Collective operation) {
  if (operation != Collective::all_reduce) refuse_operation("halving_doubling", operation);
  CollectivePlan plan{"halving_doubling", operation, layout.ranks(), {}};
  const int power = largest_power_of_two(layout.ranks());
  Rounds rounds{layout, plan};
  rounds.fold(power, false);
  // The largest part goes to the nearest partner, inside the node.
  double part = 1;
  for (int bit = 1; bit < power; bit *= 2) rounds.exchange(power, bit, part /= 2);
  for (int bit = power / 2; bit >= 1; bit /= 2, part *= 2) rounds.exchange(power, bit, part);
  rounds.fold(power, true);
  return plan;
}

}  // namespace rackcast
