#pragma once
/// Answers to other settings of the inputs that are asked about first: the deadline, the node type, and the
/// power and the money that limit the site.
#include <optional>

#include "scenarios/document/plan.hpp"

namespace rackcast {

class Evaluator;
struct RunControl;
struct Scenario;

/// The grid over deadline, node type, feed and budget, as far as the text of the scenario states them. Each
/// point reads the scenario with those values, as --set does, and searches it with all its limits; nothing
/// is interpolated. Nothing where the search varies too much to be repeated, and of an answer that fails by
/// what none of the inputs can lift (the memory of a GPU) the node types alone. `asked` has a goal and has
/// its clusters resolved. Throws LimitReached.
std::optional<doc::Plan::WhatIf> what_if(Evaluator& evaluator, const Scenario& asked,
                                         const RunControl& control);

}  // namespace rackcast
