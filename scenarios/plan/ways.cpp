#include "scenarios/plan/ways.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace rackcast {

namespace {

constexpr std::size_t kMostChoices = 256;

/// Some workloads of a group with a variant each.
struct SomeWays {
  double time = 0, worth = 0;
  std::vector<std::size_t> variants;
};

/// Leaves those of which none is both as fast and worth as little; ascending in time, descending in worth. Of
/// equals the first stays.
void keep_front(std::vector<SomeWays>& all) {
  std::ranges::stable_sort(all, {}, [](const SomeWays& w) { return std::pair{w.time, w.worth}; });
  std::vector<SomeWays> front;
  for (SomeWays& w : all)
    if (front.empty() || w.worth < front.back().worth) front.push_back(std::move(w));
  all.clear();
  const std::size_t step = (front.size() + kMostChoices - 1) / kMostChoices;
  for (std::size_t i = 0; i < front.size(); ++i)
    if (i % step == 0 || i + 1 == front.size()) all.push_back(std::move(front[i]));
}

double energy_of(const PlanPoint& point, const RunPoint& run) {
  return point.pue * run.power * run.time;
}

}  // namespace

WaysToRun::WaysToRun(const Scenario& scenario) : deadline_(scenario.goal->deadline.base()) {
  const std::size_t count = scenario.workloads.size();
  if (scenario.adds_up()) {
    groups_.push_back({0, count});
    return;
  }
  for (std::size_t w = 0; w < count; ++w) groups_.push_back({w, w + 1});
}

/// Of what cannot be built nobody knows whether it would be in time.
double WaysToRun::use_of_deadline(double time) const {
  return std::isfinite(time) ? time / deadline_ : 0;
}

std::optional<Ways> WaysToRun::best(const PlanPoint& point, const PerLimit& factors, const Sought& sought,
                                    const Group& group) const {
  const bool by_use = sought.use && *sought.use != Limit::deadline;
  std::vector<SomeWays> front{{}};
  for (std::size_t w = group.from; w < group.to; ++w) {
    const auto& runs = point.runs[w];
    std::vector<SomeWays> longer;
    for (const SomeWays& some : front) {
      for (std::size_t v = 0; v < runs.size(); ++v) {
        if (broken(runs[v].uses, factors) != 0) continue;
        SomeWays& next = longer.emplace_back(some);
        next.time += runs[v].time;
        next.worth = by_use                         ? std::max(some.worth, runs[v].uses[*sought.use])
                     : sought.energy && !sought.use ? some.worth + energy_of(point, runs[v])
                                                    : next.time;
        next.variants.push_back(v);
      }
    }
    keep_front(longer);
    front = std::move(longer);
  }
  PerLimit time_only{0};
  std::erase_if(front, [&](const SomeWays& some) {
    time_only[Limit::deadline] = use_of_deadline(some.time);
    return broken(time_only, factors) != 0;
  });
  if (front.empty()) return std::nullopt;
  const SomeWays& least = front.back();
  Ways out{least.variants, least.time, 0, PerLimit{0}};
  for (std::size_t w = group.from; w < group.to; ++w) {
    const RunPoint& run = point.runs[w][least.variants[w - group.from]];
    out.energy += energy_of(point, run);
    for (std::size_t i = 0; i < limit_count; ++i) {
      const auto limit = static_cast<Limit>(i);
      out.uses[limit] = std::max(out.uses[limit], run.uses[limit]);
    }
  }
  out.uses[Limit::deadline] = use_of_deadline(least.time);
  return out;
}

std::optional<Ways> WaysToRun::best(const PlanPoint& point, const PerLimit& factors,
                                    const Sought& sought) const {
  Ways out;
  for (const Group& group : groups_) {
    const auto ways = best(point, factors, sought, group);
    if (!ways) return std::nullopt;
    out.variants.insert(out.variants.end(), ways->variants.begin(), ways->variants.end());
    out.time = std::max(out.time, ways->time);
    out.energy += ways->energy;
    for (std::size_t i = 0; i < limit_count; ++i) {
      const auto limit = static_cast<Limit>(i);
      out.uses[limit] = std::max(out.uses[limit], ways->uses[limit]);
    }
  }
  return out;
}

std::vector<LimitMask> WaysToRun::masks(const PlanPoint& point, const PerLimit& factors,
                                        const Group& group) const {
  // Of the ways that break the same limits the fastest speaks for the deadline.
  std::map<LimitMask, double> fastest{{0, 0.0}};
  for (std::size_t w = group.from; w < group.to; ++w) {
    std::map<LimitMask, double> longer;
    for (const auto& [mask, time] : fastest) {
      for (const RunPoint& run : point.runs[w]) {
        const double then = time + run.time;
        const auto [it, fresh] = longer.emplace(mask | broken(run.uses, factors), then);
        if (!fresh) it->second = std::min(it->second, then);
      }
    }
    fastest = std::move(longer);
  }
  std::vector<LimitMask> out;
  for (const auto& [mask, time] : fastest) {
    PerLimit uses{0};
    uses[Limit::deadline] = use_of_deadline(time);
    out.push_back(mask | broken(uses, factors));
  }
  return minimal_masks(std::move(out));
}

std::vector<LimitMask> WaysToRun::masks(const PlanPoint& point, const PerLimit& factors) const {
  std::vector<LimitMask> out{broken(point.uses, factors)};
  for (const Group& group : groups_) {
    std::vector<LimitMask> wider;
    for (const LimitMask of_group : masks(point, factors, group))
      for (const LimitMask mask : out) wider.push_back(mask | of_group);
    out = minimal_masks(std::move(wider));
  }
  return out;
}

}  // namespace rackcast
