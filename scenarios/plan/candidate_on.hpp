#pragma once
/// The choice of a search on another number of nodes.
#include <optional>

#include "scenarios/document/plan.hpp"

namespace rackcast {

class Evaluator;
struct Scenario;

/// The cluster of `chosen`, which has a goal and the choice of a search in the place of its own, on `nodes`
/// nodes: its time, racks, power and money as of any candidate, and the limits that it breaks. Nothing if it
/// cannot be built. Throws LimitReached.
std::optional<doc::PlanCandidate> candidate_on(Evaluator& evaluator, const Scenario& chosen, int nodes);

}  // namespace rackcast
