#include "topologies/nodes/ring_search.hpp"

#include <algorithm>
#include <numeric>

namespace rackcast {
namespace {

constexpr int max_trials = 200'000;

int& at(Capacity& capacity, int i, int j) {
  return capacity[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
}
int at(const Capacity& capacity, int i, int j) {
  return capacity[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
}

/// Extends `path` to all vertices depth first; `last` >= 0 fixes the end.
void extend(const Capacity& capacity, Order& path, std::vector<bool>& seen, int last, std::size_t limit,
            std::vector<Order>& found) {
  const int n = static_cast<int>(capacity.size());
  if (static_cast<int>(path.size()) == n) {
    found.push_back(path);
    return;
  }
  for (int v = 0; v < n && found.size() < limit; ++v) {
    const bool is_last = static_cast<int>(path.size()) == n - 1;
    if (seen[static_cast<std::size_t>(v)] || at(capacity, path.back(), v) == 0 ||
        (v == last) != (is_last && last >= 0))
      continue;
    seen[static_cast<std::size_t>(v)] = true;
    path.push_back(v);
    extend(capacity, path, seen, last, limit, found);
    path.pop_back();
    seen[static_cast<std::size_t>(v)] = false;
  }
}

/// Takes the edges of an order away (sign -1) or gives them back (+1); false if one was not there to take.
bool apply(Capacity& capacity, const Order& order, bool closed, bool undirected, int sign) {
  bool fits = true;
  const std::size_t edges = closed ? order.size() : order.size() - 1;
  for (std::size_t e = 0; e < edges; ++e) {
    const int i = order[e];
    const int j = order[(e + 1) % order.size()];
    at(capacity, i, j) += sign;
    if (undirected) at(capacity, j, i) += sign;
    fits = fits && at(capacity, i, j) >= 0;
  }
  return fits;
}

bool choose_cycles(Capacity& left, const std::vector<Order>& cycles, std::size_t from, int wanted,
                   int& trials, std::vector<Order>& chosen) {
  if (wanted == 0) return true;
  for (std::size_t c = from; c < cycles.size(); ++c) {
    if (--trials < 0) return false;
    if (apply(left, cycles[c], true, true, -1)) {
      chosen.push_back(cycles[c]);
      if (choose_cycles(left, cycles, c, wanted - 1, trials, chosen)) return true;
      chosen.pop_back();
    }
    apply(left, cycles[c], true, true, +1);
  }
  return false;
}

bool choose_paths(Capacity& left, const std::vector<std::vector<Order>>& candidates, std::size_t channel,
                  int& trials, std::vector<Order>& chosen) {
  if (channel == candidates.size()) return true;
  for (const Order& path : candidates[channel]) {
    if (--trials < 0) return false;
    if (apply(left, path, false, false, -1)) {
      chosen.push_back(path);
      if (choose_paths(left, candidates, channel + 1, trials, chosen)) return true;
      chosen.pop_back();
    }
    apply(left, path, false, false, +1);
  }
  return false;
}

}  // namespace

std::vector<Order> hamiltonian_cycles(const Capacity& capacity, std::size_t limit) {
  std::vector<Order> paths, cycles;
  Order path{0};
  std::vector<bool> seen(capacity.size(), false);
  seen[0] = true;
  extend(capacity, path, seen, -1, 4 * limit, paths);
  for (Order& p : paths) {
    // Of the two directions the one whose second vertex is smaller.
    if (at(capacity, p.back(), 0) > 0 && p[1] < p.back() && cycles.size() < limit)
      cycles.push_back(std::move(p));
  }
  return cycles;
}

std::vector<Order> hamiltonian_paths(const Capacity& capacity, int first, int last, std::size_t limit) {
  std::vector<Order> paths;
  Order path{first};
  std::vector<bool> seen(capacity.size(), false);
  seen[static_cast<std::size_t>(first)] = true;
  extend(capacity, path, seen, last, limit, paths);
  return paths;
}

std::vector<Order> edge_disjoint_cycles(const Capacity& capacity, int most) {
  int bound = most;
  for (const auto& row : capacity) bound = std::min(bound, std::accumulate(row.begin(), row.end(), 0) / 2);
  if (bound < 1) return {};
  const auto cycles = hamiltonian_cycles(capacity, 5000);
  for (int wanted = bound; wanted >= 1 && !cycles.empty(); --wanted) {
    Capacity left = capacity;
    std::vector<Order> chosen;
    int trials = max_trials;
    if (choose_cycles(left, cycles, 0, wanted, trials, chosen)) return chosen;
  }
  return {};
}

std::vector<Order> edge_disjoint_paths(const Capacity& capacity,
                                       const std::vector<std::vector<Order>>& candidates) {
  Capacity left = capacity;
  std::vector<Order> chosen;
  int trials = max_trials;
  if (choose_paths(left, candidates, 0, trials, chosen)) return chosen;
  return {};
}

}  // namespace rackcast
