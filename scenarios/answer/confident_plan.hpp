#pragma once
/// The plan that meets the deadline with a probability of 90 %, with its price.
/// Example: 11 nodes with 90 % odds, beside an answer of 8 nodes with 62 %.
#include <optional>

#include "scenarios/document/plan.hpp"
#include "scenarios/format/scenario.hpp"

namespace rackcast {

class Evaluator;

/// The chosen cluster with as many nodes as confident() finds (neighbours.hpp), with its price and the limits
/// that it breaks. Nothing where the number of nodes is not the scenario's to choose: its list of sizes or a
/// job of a given size says it. Throws LimitReached.
std::optional<doc::Plan::Confident> confident_plan(Evaluator& evaluator, const Scenario& chosen);

}  // namespace rackcast
