#include "scenarios/answer/confident_plan.hpp"

#include <vector>

#include "scenarios/answer/neighbours.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/plan/candidate_on.hpp"

namespace rackcast {

std::optional<doc::Plan::Confident> confident_plan(Evaluator& evaluator, const Scenario& s) {
  if (!s.search.nodes.empty() || !s.search.gpus_per_job.empty() || s.cluster.gpus_per_job)
    return std::nullopt;
  const GoalSpec& goal = *s.goal;
  const std::vector<Question> asked = questions(s);
  const Change found = confident(evaluator, asked, goal, s.cluster.nodes);
  doc::Plan::Confident out;
  out.aim = enough_confidence;
  out.most_nodes = found.most_nodes;
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
