#include "scenarios/campaign/node_pool.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <map>
#include <numeric>

namespace rackcast {

NodePool::NodePool(int nodes, int nodes_per_leaf, Placement placement) : placement_(placement) {
  if (nodes < 1) throw Error{"a cluster has at least one node"};
  const int per_leaf = nodes_per_leaf > 0 ? nodes_per_leaf : nodes;
  for (int i = 0; i < nodes; ++i) {
    const auto leaf = static_cast<std::size_t>(i / per_leaf);
    if (leaf == nodes_of_.size()) nodes_of_.emplace_back();
    nodes_of_[leaf].push_back(i);
    leaf_of_.push_back(static_cast<int>(leaf));
  }
  state_.assign(leaf_of_.size(), State::free);
  for (const auto& on_leaf : nodes_of_) free_on_.push_back(static_cast<int>(on_leaf.size()));
  free_ = nodes;
}

void NodePool::take_from(int leaf, std::size_t count, std::vector<int>& into) {
  const auto l = static_cast<std::size_t>(leaf);
  for (const int node : nodes_of_[l]) {
    if (into.size() >= count) return;
    if (state_[static_cast<std::size_t>(node)] != State::free) continue;
    state_[static_cast<std::size_t>(node)] = State::used;
    --free_on_[l];
    --free_;
    into.push_back(node);
  }
}

std::vector<int> NodePool::take(int count) {
  assert(count >= 1 && count <= free_);
  const auto wanted = static_cast<std::size_t>(count);
  std::vector<int> leaves(free_on_.size());
  std::iota(leaves.begin(), leaves.end(), 0);
  const auto free_of = [this](int leaf) {
    return free_on_[static_cast<std::size_t>(leaf)];
  };
  if (placement_ == Placement::compact) {
    // Those that hold the whole job first, the tightest ahead; then the emptiest.
    std::ranges::stable_sort(leaves, [&](int a, int b) {
      const bool fits_a = free_of(a) >= count, fits_b = free_of(b) >= count;
      if (fits_a != fits_b) return fits_a;
      return fits_a ? free_of(a) < free_of(b) : free_of(a) > free_of(b);
    });
  }
  std::vector<int> out;
  for (const int leaf : leaves) {
    if (out.size() == wanted) break;
    take_from(leaf, wanted, out);
  }
  return out;
}

void NodePool::set_free(int node) {
  state_[static_cast<std::size_t>(node)] = State::free;
  ++free_on_[static_cast<std::size_t>(leaf_of_[static_cast<std::size_t>(node)])];
  ++free_;
}

void NodePool::give_back(const std::vector<int>& nodes) {
  for (const int node : nodes)
    if (state_[static_cast<std::size_t>(node)] == State::used) set_free(node);
}

void NodePool::repair(int node) {
  assert(state_[static_cast<std::size_t>(node)] == State::used);
  state_[static_cast<std::size_t>(node)] = State::repair;
}

void NodePool::repaired(int node) {
  assert(state_[static_cast<std::size_t>(node)] == State::repair);
  set_free(node);
}

std::vector<int> NodePool::by_leaf(const std::vector<int>& nodes) const {
  std::map<int, int> on;
  for (const int node : nodes) ++on[leaf_of_[static_cast<std::size_t>(node)]];
  std::vector<int> out;
  for (const auto& entry : on) out.push_back(entry.second);
  std::ranges::sort(out, std::ranges::greater{});
  return out;
}

int NodePool::leaves(const std::vector<int>& nodes) const {
  return static_cast<int>(by_leaf(nodes).size());
}

}  // namespace rackcast
