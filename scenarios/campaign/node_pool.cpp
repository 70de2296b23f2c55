#include "scenarios/campaign/node_pool.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <numeric>

namespace rackcast {

NodePool::NodePool(const std::vector<NodePlace>& places, Placement placement) : placement_(placement) {
  if (places.empty()) throw Error{"a cluster has at least one node"};
  for (const NodePlace& place : places) {
    const auto leaf = static_cast<std::size_t>(place.leaf), pod = static_cast<std::size_t>(place.pod);
    if (leaf >= nodes_of_.size()) {
      nodes_of_.resize(leaf + 1);
      free_on_.resize(leaf + 1);
      pod_of_.resize(leaf + 1);
    }
    if (pod >= pods_.size()) pods_.resize(pod + 1);
    if (nodes_of_[leaf].empty()) pods_[pod].leaves.push_back(place.leaf);
    nodes_of_[leaf].push_back(static_cast<int>(leaf_of_.size()));
    leaf_of_.push_back(place.leaf);
    pod_of_[leaf] = place.pod;
    ++free_on_[leaf];
    ++pods_[pod].free;
  }
  state_.assign(leaf_of_.size(), State::free);
  free_ = size();
}

void NodePool::take_from(int leaf, std::size_t count, std::vector<int>& into) {
  const auto l = static_cast<std::size_t>(leaf);
  for (const int node : nodes_of_[l]) {
    if (into.size() >= count) return;
    if (state_[static_cast<std::size_t>(node)] != State::free) continue;
    state_[static_cast<std::size_t>(node)] = State::used;
    --free_on_[l];
    --pods_[static_cast<std::size_t>(pod_of_[l])].free;
    --free_;
    into.push_back(node);
  }
}

std::vector<int> NodePool::leaves_in_order(int count) const {
  std::vector<int> leaves(free_on_.size());
  std::iota(leaves.begin(), leaves.end(), 0);
  if (placement_ == Placement::first_fit) return leaves;
  // What holds the whole job first, the tightest ahead; then the emptiest.
  const auto before = [count](int free_a, int free_b) {
    const bool fits_a = free_a >= count, fits_b = free_b >= count;
    if (fits_a != fits_b) return fits_a;
    return fits_a ? free_a < free_b : free_a > free_b;
  };
  const auto free_of = [this](int leaf) {
    return free_on_[static_cast<std::size_t>(leaf)];
  };
  const auto pod_of = [this](int leaf) {
    return pod_of_[static_cast<std::size_t>(leaf)];
  };
  const auto free_in = [this](int pod) {
    return pods_[static_cast<std::size_t>(pod)].free;
  };
  std::ranges::stable_sort(leaves, [&](int a, int b) {
    const bool fits_a = free_of(a) >= count, fits_b = free_of(b) >= count;
    const int pod_a = pod_of(a), pod_b = pod_of(b);
    if (fits_a || fits_b || pod_a == pod_b) return before(free_of(a), free_of(b));
    if (free_in(pod_a) != free_in(pod_b)) return before(free_in(pod_a), free_in(pod_b));
    return pod_a < pod_b;
  });
  return leaves;
}

std::vector<int> NodePool::take(int count) {
  assert(count >= 1 && count <= free_);
  const auto wanted = static_cast<std::size_t>(count);
  std::vector<int> out;
  for (const int leaf : leaves_in_order(count)) {
    if (out.size() == wanted) break;
    take_from(leaf, wanted, out);
  }
  return out;
}

void NodePool::set_free(int node) {
  state_[static_cast<std::size_t>(node)] = State::free;
  const auto leaf = static_cast<std::size_t>(leaf_of_[static_cast<std::size_t>(node)]);
  ++free_on_[leaf];
  ++pods_[static_cast<std::size_t>(pod_of_[leaf])].free;
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

Gang NodePool::gang(const std::vector<int>& nodes) const {
  std::map<int, std::map<int, int>> on;
  for (const int node : nodes) {
    const int leaf = leaf_of_[static_cast<std::size_t>(node)];
    ++on[pod_of_[static_cast<std::size_t>(leaf)]][leaf];
  }
  Gang out;
  for (const auto& pod : on) {
    out.emplace_back();
    for (const auto& leaf : pod.second) out.back().push_back(leaf.second);
  }
  return out;
}

std::vector<NodePlace> regular_places(int nodes, int nodes_per_leaf) {
  std::vector<NodePlace> out;
  for (int node = 0; node < nodes; ++node) out.push_back({nodes_per_leaf > 0 ? node / nodes_per_leaf : 0, 0});
  return out;
}

}  // namespace rackcast
