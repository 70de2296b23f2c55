#pragma once
/// A note on static routes that collide and make a training step longer.
/// Example: a step takes 110 ms, and would take 100 ms with adaptive routes.
#include <optional>

#include "scenarios/evaluate/evaluator.hpp"

namespace rackcast {

/// The step with adaptive routing, where static routes make the step at least 1 % longer; else nothing.
/// Static routes collide, and whether they do depends on the number of uplinks. So a network with fewer
/// uplinks can be faster, and a reader who compares two ratios has to know. Assumes that the question's
/// cluster is held, and simulates the step once more where it has several leaves.
std::optional<doc::Reason> collision_note(Evaluator& evaluator, const Question& question);

}  // namespace rackcast
