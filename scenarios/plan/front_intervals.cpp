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

using Members = std::vector<PlanCandidate*>;  ///< of one design, ascending GPUs

/// First, chosen and last; of many designs the last, or none.
Members varied(const Members& all, const PlanReport& plan, std::size_t most) {
  Members out;
  for (PlanCandidate* c : all) {
    const bool end = c == all.back() || (most > 1 && c == all.front());
    const bool chosen = most > 2 && plan.chosen && c->gpus == plan.chosen->gpus;
    if (most > 0 && (end || chosen) && (out.empty() || out.back()->gpus != c->gpus)) out.push_back(c);
  }
  return out;
}

Widths widths_of(Evaluator& evaluator, const PlanCandidate& c) {
  const Estimate time = evaluator.predict(*c.slowest).time_to_train;
  return {static_cast<double>(c.gpus), std::log(time.low / time.value), std::log(time.high / time.value)};
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

void add_time_intervals(Evaluator& evaluator, const PlanReport& plan, std::vector<PlanCandidate>& front) {
  std::map<std::tuple<std::string, std::string, std::string>, Members> designs;
  for (PlanCandidate& c : front)
    if (c.slowest) designs[{c.node, c.network, c.storage}].push_back(&c);
  if (designs.empty()) return;
  const std::size_t each = std::max<std::size_t>(1, kMostVaried / designs.size());
  std::vector<std::pair<Members, Members>> work;
  std::vector<Evaluator::Task> ahead;
  for (auto& [key, members] : designs) {
    if (work.size() == kMostVaried) break;
    std::ranges::stable_sort(members, {}, &PlanCandidate::gpus);
    work.emplace_back(members, varied(members, plan, each));
    for (const PlanCandidate* c : work.back().second)
      ahead.emplace_back([c](Evaluator& e) { (void)e.predict(*c->slowest); });
  }
  evaluator.rehearse(ahead);
  for (const auto& [members, points] : work) {
    std::vector<Widths> known;
    for (const PlanCandidate* c : points) known.push_back(widths_of(evaluator, *c));
    for (PlanCandidate* c : members) {
      const Widths w = between(known, c->gpus);
      c->low = std::exp(w.low) * c->time;
      c->high = std::exp(w.high) * c->time;
    }
  }
}

}  // namespace rackcast
