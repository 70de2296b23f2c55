#include "scenarios/plan/front_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "scenarios/evaluate/evaluator.hpp"

namespace rackcast {

namespace {

constexpr std::size_t kMostVaried = 24;

/// Ends of an interval over its middle, as logarithms.
struct Widths {
  double gpus = 0, low = 0, high = 0;
};

using Members = std::vector<std::size_t>;  ///< of the front, of one design, ascending GPUs

/// First, chosen and last; of many designs the last, or none.
Members varied(const Members& all, const PlanReport& plan, std::size_t most) {
  Members out;
  for (const std::size_t i : all) {
    const std::int64_t gpus = plan.front[i].gpus;
    const bool end = i == all.back() || (most > 1 && i == all.front());
    const bool chosen = most > 2 && plan.chosen && gpus == plan.chosen->gpus;
    if (most > 0 && (end || chosen) && (out.empty() || plan.front[out.back()].gpus != gpus)) out.push_back(i);
  }
  return out;
}

Widths widths_of(Evaluator& evaluator, const PlanReport& plan, std::size_t i) {
  const Estimate time = evaluator.predict(*plan.slowest[i]).time_to_train;
  return {static_cast<double>(plan.front[i].gpus), std::log(time.low / time.value),
          std::log(time.high / time.value)};
}

Widths between(const std::vector<Widths>& known, double gpus) {
  const auto above = std::ranges::lower_bound(known, gpus, {}, &Widths::gpus);
  if (above == known.begin()) return known.front();
  if (above == known.end()) return known.back();
  const Widths &a = *std::prev(above), &b = *above;
  const double share = std::log(gpus / a.gpus) / std::log(b.gpus / a.gpus);
  return {gpus, std::lerp(a.low, b.low, share), std::lerp(a.high, b.high, share)};
}

}  // namespace

void add_time_intervals(Evaluator& evaluator, PlanReport& plan) {
  std::map<std::tuple<std::string, std::string, std::string>, Members> designs;
  for (std::size_t i = 0; i < plan.front.size(); ++i) {
    const doc::PlanCandidate& c = plan.front[i];
    if (plan.slowest[i]) designs[{c.node, c.network, c.storage}].push_back(i);
  }
  if (designs.empty()) return;
  const std::size_t each = std::max<std::size_t>(1, kMostVaried / designs.size());
  std::vector<std::pair<Members, Members>> work;
  std::vector<Evaluator::Task> ahead;
  for (auto& [key, members] : designs) {
    if (work.size() == kMostVaried) break;
    std::ranges::stable_sort(members, {}, [&](std::size_t i) { return plan.front[i].gpus; });
    work.emplace_back(members, varied(members, plan, each));
    for (const std::size_t i : work.back().second)
      ahead.emplace_back([asked = plan.slowest[i]](Evaluator& e) { (void)e.predict(*asked); });
  }
  evaluator.rehearse(ahead);
  for (const auto& [members, points] : work) {
    std::vector<Widths> known;
    for (const std::size_t i : points) known.push_back(widths_of(evaluator, plan, i));
    for (const std::size_t i : members) {
      doc::PlanCandidate& c = plan.front[i];
      const Widths w = between(known, static_cast<double>(c.gpus));
      c.time_low_s = std::exp(w.low) * *c.time_s;
      c.time_high_s = std::exp(w.high) * *c.time_s;
    }
  }
}

}  // namespace rackcast
