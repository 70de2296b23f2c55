/// Pairwise exchange, for all-to-all: in n-1 steps (one inside a node of GPUs) every rank sends 1/n of its
/// buffer to each other rank. R. Thakur, R. Rabenseifner, W. Gropp, IJHPCA 19(1), 2005, section 4.4.
///
/// Beyond 1024 ranks only evenly spaced partners are laid out, each standing for its neighbours: the loads of
/// the shared links stay exact for a fabric of equal leaves, the work stays linear.
#include <algorithm>

#include "models/collectives/algorithms.hpp"
#include "models/collectives/layout.hpp"

namespace rackcast {

CollectivePlan plan_pairwise(Layout& layout, Collective operation) {
  const int n = layout.ranks();
  CollectivePlan plan{"pairwise", operation, n, {}};
  if (n < 2) return plan;
  // all_gather: everybody sends its 1/n to everybody; reduce_scatter the reverse; the loads are the same.
  const bool fits = operation == Collective::all_to_all || operation == Collective::all_gather ||
                    operation == Collective::reduce_scatter;
  if (!fits) refuse_operation("pairwise", operation);
  constexpr int most = 1023;
  const int partners = std::min(n - 1, most);
  const double bytes = static_cast<double>(n - 1) / n / partners;
  for (int rank = 0; rank < n; ++rank) {
    for (int i = 0; i < partners; ++i) {
      const auto distance = static_cast<int>(1 + static_cast<std::int64_t>(i) * (n - 1) / partners);
      layout.send(rank, (rank + distance) % n, bytes, 1.0 / partners);
    }
  }
  const double local = static_cast<double>(n) / layout.nodes();
  // A kernel has the messages to all GPUs of its node under way at once.
  const double inside = layout.on_gpus() ? std::min(1.0, local - 1) : local - 1;
  plan.stages.push_back(layout.stage({1, inside, n - local}));
  return plan;
}

}  // namespace rackcast
