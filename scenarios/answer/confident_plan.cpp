#include "scenarios/answer/confident_plan.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "scenarios/answer/neighbours.hpp"
#include "scenarios/answer/node_counts.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/plan/candidate_on.hpp"

namespace rackcast {

namespace {

/// Odds on up to nine counts of nodes around the answer and the plan that is safe.
std::vector<doc::Plan::Confident::Odds> odds_curve(Evaluator& evaluator, const Scenario& s,
                                                   const std::vector<Question>& asked, int safe) {
  constexpr double before = 0.7, behind = 1.2, steps = 8;
  const GoalSpec& goal = *s.goal;
  const double first = std::floor(before * s.cluster.nodes), last = std::ceil(behind * safe);
  const std::vector<int> possible =
      counts_taken(evaluator, asked, std::max({safe, goal.max_nodes, s.cluster.nodes}));
  std::vector<int> counts{s.cluster.nodes, safe};
  for (double step = 0; step <= steps; ++step) {
    const int wanted = std::max(1, static_cast<int>(std::lround(first + (last - first) * step / steps)));
    if (const auto at = std::ranges::lower_bound(possible, wanted); at != possible.end())
      counts.push_back(*at);
  }
  std::ranges::sort(counts);
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  std::vector<doc::Plan::Confident::Odds> curve;
  for (const int nodes : counts) {
    const auto odds = chance_within(evaluator, asked, goal.deadline, nodes);
    const auto at = odds ? candidate_on(evaluator, s, nodes) : std::nullopt;
    if (!at) continue;
    curve.push_back({nodes, at->spares, *odds, at->capex_usd, at->purchase_is_open(), at->breaks});
    std::erase(curve.back().breaks, to_string(Limit::deadline));
  }
  return curve;
}

}  // namespace

std::optional<doc::Plan::Confident> confident_plan(Evaluator& evaluator, const Scenario& s) {
  if (!s.search.nodes.empty() || !s.search.gpus_per_job.empty() || s.cluster.gpus_per_job)
    return std::nullopt;
  const GoalSpec& goal = *s.goal;
  const std::vector<Question> asked = questions(s);
  const Change found = confident(evaluator, asked, goal, s.cluster.nodes);
  doc::Plan::Confident out;
  out.aim = enough_confidence;
  out.most_nodes = found.most_nodes;
  out.curve = odds_curve(evaluator, s, asked, found.nodes.value_or(s.cluster.nodes));
  if (!found.nodes) return out;
  out.at = candidate_on(evaluator, s, *found.nodes);
  if (!out.at) return out;
  out.probability = chance_within(evaluator, asked, goal.deadline, *found.nodes);
  Estimate longest;
  for (Question q : asked) {
    q.cluster.nodes = *found.nodes;
    const Estimate time = evaluator.predict(q).time_to_train;
    if (time.value > longest.value) longest = time;
  }
  out.at->time_low_s = longest.low;
  out.at->time_high_s = longest.high;
  return out;
}

}  // namespace rackcast
