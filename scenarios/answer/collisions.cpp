#include "scenarios/answer/collisions.hpp"

#include <fmt/format.h>

#include "models/collectives/cluster.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

namespace {

/// Shorter differences are below what anybody would choose a network by.
constexpr double kWorthSaying = 0.01;

}  // namespace

std::string collision_note(Evaluator& evaluator, const Question& question) {
  const FabricPlan& fabric = evaluator.cluster(question).fabric;
  const FabricRouting routing = fabric.routing;
  // One leaf has one way to everywhere; a torus and a Dragonfly+ have no uplinks to count.
  if (fabric.leaves < 2 || fabric.spines == 0 || routing == FabricRouting::adaptive) return "";
  const TrainingRun& run = evaluator.run(question);
  if (run.partial) return "";
  const Duration step = run.parts.total;
  Question spread = question;
  spread.cluster.fabric.choice.routing = FabricRouting::adaptive;
  const TrainingRun& other = evaluator.run(spread);
  if (other.partial || step < other.parts.total * (1 + kWorthSaying)) return "";
  return fmt::format(
      "Routes between switches are static ({}), and flows of this training share cables while other cables "
      "are "
      "idle. A step takes {}; with adaptive routing it would take {}. Another number of uplinks makes other "
      "flows "
      "collide, so a higher oversubscription can be faster: compare several.",
      to_string(routing), to_text(step), to_text(other.parts.total));
}

}  // namespace rackcast
