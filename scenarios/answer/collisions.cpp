#include "scenarios/answer/collisions.hpp"

#include "models/collectives/cluster.hpp"

namespace rackcast {

namespace {

/// Shorter differences are below what anybody would choose a network by.
constexpr double worth_saying = 0.01;

}  // namespace

std::optional<doc::Reason> collision_note(Evaluator& evaluator, const Question& question) {
  const FabricPlan& fabric = evaluator.cluster(question).fabric;
  const FabricRouting routing = fabric.routing;
  // One leaf has one way to everywhere; a torus and a Dragonfly+ have no uplinks to count.
  if (fabric.leaves < 2 || fabric.spines == 0 || routing == FabricRouting::adaptive) return std::nullopt;
  const TrainingRun& run = evaluator.run(question);
  if (run.partial) return std::nullopt;
  const Duration step = run.parts.total;
  Question spread = question;
  spread.cluster.fabric.choice.routing = FabricRouting::adaptive;
  const TrainingRun& other = evaluator.run(spread);
  if (other.partial || step < other.parts.total * (1 + worth_saying)) return std::nullopt;
  return doc::Reason{"collisions",
                     {{"workload", evaluator.workload(question.workload).title},
                      {"routing", to_string(routing)},
                      {"step_s", step.base()},
                      {"adaptive_s", other.parts.total.base()}}};
}

}  // namespace rackcast
