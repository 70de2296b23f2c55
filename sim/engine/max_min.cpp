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
  part_of.clear();
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

/// Does a usage of a part add a user to those of the set (1), change how much one of them takes (0), or take
/// one away (-1)?
void MaxMinSolver::tell_kinds(const MaxMinProblem& p) {
  kind_.assign(p.resource.size(), 1);
  user_kind_.resize(p.resource.size());
  taken_.assign(p.capacity.size(), 0);
  of_set_.resize(p.capacity.size());
  looked_at_.assign(p.capacity.size(), 0);
  not_user_.assign(p.weight.size(), 0);
  part_of_ = p.part_of;
  for (std::uint32_t i = 0; i < p.weight.size(); ++i) {
    for (std::uint32_t u = p.first[i]; u < p.first[i + 1]; ++u) {
      of_set_[p.resource[u]] = p.coefficient[u];
      looked_at_[p.resource[u]] = i + 1;
    }
    for (std::uint32_t u = p.first[i]; u < p.first[i + 1]; ++u) {
      const std::uint32_t set = part_of_[p.resource[u]];
      if (set == no_set || looked_at_[set] != i + 1) continue;
      kind_[u] = of_set_[set] + p.coefficient[u] > 0 ? 0 : -1;
    }
  }
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
  for (const std::uint32_t r : p.resource) ++users_first_[r + 1];
  for (std::size_t r = 0; r < resources; ++r) users_first_[r + 1] += users_first_[r];
  for (std::size_t i = 0; i < activities; ++i) {
    for (std::uint32_t u = p.first[i]; u < p.first[i + 1]; ++u) {
      const std::uint32_t r = p.resource[u];
      const std::uint32_t slot = users_first_[r]++;
      users_[slot] = static_cast<std::uint32_t>(i);
      user_coefficient_[slot] = p.coefficient[u];
      load_[r] += p.coefficient[u] * p.weight[i];
      if (parts_) user_kind_[slot] = kind_[u];
      growing_[r] += parts_ ? kind_[u] : 1;
    }
  }
  for (std::size_t r = resources; r > 0; --r) users_first_[r] = users_first_[r - 1];
  users_first_[0] = 0;
}

bool MaxMinSolver::has_growing(std::uint32_t resource) const {
  const std::uint32_t set = set_of(resource);
  return growing_[resource] + (set == no_set ? 0 : growing_[set]) > 0;
}

double MaxMinSolver::load_of(std::uint32_t resource) const {
  const std::uint32_t set = set_of(resource);
  return set == no_set ? load_[resource] : load_[resource] + load_[set];
}

double MaxMinSolver::level_of(std::uint32_t resource) const {
  const std::uint32_t set = set_of(resource);
  const double left = set == no_set ? left_[resource] : left_[resource] - taken_[set];
  const double load = load_of(resource);
  return load > 0 ? std::max(left, 0.0) / load : no_cap;
}

void MaxMinSolver::freeze(const MaxMinProblem& p, std::uint32_t activity, double rate) {
  rates_[activity] = rate;
  --unfrozen_;
  for (std::uint32_t u = p.first[activity]; u < p.first[activity + 1]; ++u) {
    const std::uint32_t r = p.resource[u];
    left_[r] -= p.coefficient[u] * rate;
    load_[r] -= p.coefficient[u] * p.weight[activity];
    if (parts_) taken_[r] += p.coefficient[u] * rate;
    growing_[r] -= parts_ ? kind_[u] : 1;
  }
}

/// Sums up afresh what the frozen leave of a resource and what the others load it with; for a part, of its
/// set, too.
void MaxMinSolver::sum_up(const MaxMinProblem& p, std::uint32_t resource) {
  const std::uint32_t set = set_of(resource);
  if (set != no_set) {
    sum_up(p, set);
    taken_[set] = 0;
    for (std::uint32_t s = users_first_[set]; s < users_first_[set + 1]; ++s)
      if (rates_[users_[s]] != growing) taken_[set] += user_coefficient_[s] * rates_[users_[s]];
  }
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
  const double level = level_of(resource);
  const std::uint32_t set = set_of(resource);
  if (set != no_set) {
    for (std::uint32_t s = users_first_[resource]; s < users_first_[resource + 1]; ++s)
      if (user_kind_[s] < 0) not_user_[users_[s]] = resource + 1;
    freeze_growing(p, set, resource, level);
  }
  freeze_growing(p, resource, resource, level);
}

/// The users of a resource or of its set, but those that were found not to use the resource.
void MaxMinSolver::freeze_growing(const MaxMinProblem& p, std::uint32_t of, std::uint32_t resource,
                                  double level) {
  for (std::uint32_t s = users_first_[of]; s < users_first_[of + 1]; ++s) {
    const std::uint32_t i = users_[s];
    if (parts_ && not_user_[i] == resource + 1) continue;
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
    if (!has_growing(top.index)) continue;
    if (!(load_of(top.index) > 0)) sum_up(p, top.index);  // lost to cancellation
    const double level = level_of(top.index);
    if (level > top.level && !levels_.empty() && level > levels_.front().level) {
      levels_.push_back({level, top.index});
      std::push_heap(levels_.begin(), levels_.end(), later);
      continue;
    }
    freeze_users(p, top.index);
  }
}

void MaxMinSolver::list_levels(const MaxMinProblem& p) {
  const auto resources = static_cast<std::uint32_t>(p.capacity.size());
  levels_.clear();
  for (std::uint32_t r = 0; r < resources; ++r) {
    if (has_growing(r) && p.capacity[r] != no_cap) levels_.push_back({p.capacity[r] / load_of(r), r});
  }
  for (std::uint32_t i = 0; i < p.weight.size(); ++i) {
    if (p.cap[i] != no_cap) {
      levels_.push_back({p.cap[i] / p.weight[i], resources + i});
    } else if (p.first[i] == p.first[i + 1]) {
      rates_[i] = no_cap;
      --unfrozen_;
    }
  }
}

const std::vector<double>& MaxMinSolver::solve(const MaxMinProblem& p) {
  const auto activities = static_cast<std::uint32_t>(p.weight.size());
  parts_ = !p.part_of.empty();
  if (parts_) tell_kinds(p);
  index_users(p);
  rates_.assign(activities, growing);
  unfrozen_ = activities;
  list_levels(p);
  fill(p);
  return rates_;
}

}  // namespace rackcast
