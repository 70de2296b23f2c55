#include "sim/engine/max_min.hpp"

#include <algorithm>

namespace rackcast {

namespace {

constexpr double growing = -1;

}  // namespace

void MaxMinProblem::clear() {
  capacity.clear();
  weight.clear();
  cap.clear();
  first.assign(1, 0);
  resource.clear();
  coefficient.clear();
}

void MaxMinProblem::add_activity(double activity_weight, double activity_cap) {
  weight.push_back(activity_weight);
  cap.push_back(activity_cap);
  first.push_back(first.back());
}

void MaxMinProblem::add_usage(std::uint32_t of_resource, double activity_coefficient) {
  resource.push_back(of_resource);
  coefficient.push_back(activity_coefficient);
  ++first.back();
}

/// Turns the usages by activity into usages by resource (counting sort) and sums up the loads.
void MaxMinSolver::index_users(const MaxMinProblem& p) {
  const std::size_t resources = p.capacity.size();
  const std::size_t activities = p.weight.size();
  left_.assign(p.capacity.begin(), p.capacity.end());
  load_.assign(resources, 0);
  growing_.assign(resources, 0);
  users_first_.assign(resources + 1, 0);
  users_.resize(p.resource.size());
  user_coefficient_.resize(p.resource.size());
  for (const std::uint32_t r : p.resource) ++growing_[r];
  for (std::size_t r = 0; r < resources; ++r) users_first_[r + 1] = users_first_[r] + growing_[r];
  for (std::size_t i = 0; i < activities; ++i) {
    for (std::uint32_t u = p.first[i]; u < p.first[i + 1]; ++u) {
      const std::uint32_t r = p.resource[u];
      const std::uint32_t slot = users_first_[r]++;
      users_[slot] = static_cast<std::uint32_t>(i);
      user_coefficient_[slot] = p.coefficient[u];
      load_[r] += p.coefficient[u] * p.weight[i];
    }
  }
  for (std::size_t r = resources; r > 0; --r) users_first_[r] = users_first_[r - 1];
  users_first_[0] = 0;
}

void MaxMinSolver::freeze(const MaxMinProblem& p, std::uint32_t activity, double rate) {
  rates_[activity] = rate;
  --unfrozen_;
  for (std::uint32_t u = p.first[activity]; u < p.first[activity + 1]; ++u) {
    const std::uint32_t r = p.resource[u];
    left_[r] -= p.coefficient[u] * rate;
    load_[r] -= p.coefficient[u] * p.weight[activity];
    --growing_[r];
  }
}

/// Sums up afresh what the frozen leave of a resource and what the others load it with.
void MaxMinSolver::sum_up(const MaxMinProblem& p, std::uint32_t resource) {
  double left = p.capacity[resource];
  double load = 0;
  for (std::uint32_t s = users_first_[resource]; s < users_first_[resource + 1]; ++s) {
    const std::uint32_t i = users_[s];
    if (rates_[i] == growing) {
      load += user_coefficient_[s] * p.weight[i];
    } else {
      left -= user_coefficient_[s] * rates_[i];
    }
  }
  left_[resource] = left;
  load_[resource] = load;
}

/// Freezes everything that still grows on a resource.
void MaxMinSolver::freeze_users(const MaxMinProblem& p, std::uint32_t resource) {
  sum_up(p, resource);
  const double level = std::max(left_[resource], 0.0) / load_[resource];
  for (std::uint32_t s = users_first_[resource]; s < users_first_[resource + 1]; ++s) {
    const std::uint32_t i = users_[s];
    if (rates_[i] == growing) freeze(p, i, std::min(p.weight[i] * level, p.cap[i]));
  }
}

void MaxMinSolver::fill(const MaxMinProblem& p) {
  const auto later = [](const Level& a, const Level& b) {
    return a.level > b.level || (a.level == b.level && a.index > b.index);
  };
  const auto resources = static_cast<std::uint32_t>(p.capacity.size());
  std::make_heap(levels_.begin(), levels_.end(), later);
  while (unfrozen_ > 0 && !levels_.empty()) {
    std::pop_heap(levels_.begin(), levels_.end(), later);
    const Level top = levels_.back();
    levels_.pop_back();
    if (top.index >= resources) {
      const std::uint32_t activity = top.index - resources;
      if (rates_[activity] == growing) freeze(p, activity, p.cap[activity]);
      continue;
    }
    if (growing_[top.index] == 0) continue;
    if (!(load_[top.index] > 0)) sum_up(p, top.index);  // lost to cancellation
    const double level = std::max(left_[top.index], 0.0) / load_[top.index];
    if (level > top.level && !levels_.empty() && level > levels_.front().level) {
      levels_.push_back({level, top.index});
      std::push_heap(levels_.begin(), levels_.end(), later);
      continue;
    }
    freeze_users(p, top.index);
  }
}

const std::vector<double>& MaxMinSolver::solve(const MaxMinProblem& p) {
  const auto resources = static_cast<std::uint32_t>(p.capacity.size());
  const auto activities = static_cast<std::uint32_t>(p.weight.size());
  index_users(p);
  rates_.assign(activities, growing);
  unfrozen_ = activities;
  levels_.clear();
  for (std::uint32_t r = 0; r < resources; ++r) {
    if (growing_[r] != 0) levels_.push_back({p.capacity[r] / load_[r], r});
  }
  for (std::uint32_t i = 0; i < activities; ++i) {
    if (p.cap[i] != no_cap) {
      levels_.push_back({p.cap[i] / p.weight[i], resources + i});
    } else if (p.first[i] == p.first[i + 1]) {
      rates_[i] = no_cap;
      --unfrozen_;
    }
  }
  fill(p);
  return rates_;
}

}  // namespace rackcast
