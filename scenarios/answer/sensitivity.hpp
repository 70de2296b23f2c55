#pragma once
/// What the time to train of the answer hangs on: one input at a time at either end of what it may be.
#include <vector>

#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/result/result.hpp"

namespace rackcast {

/// The parts of the model at the ends of their 90 % intervals, and each range of the scenario at its ends,
/// with all other ranges in the middle. `question` is that of the answer; its node count stays. The widest
/// swing first; inputs that do not change the time are left out.
std::vector<SensitivityRow> sensitivity(Evaluator& evaluator, const Scenario& scenario,
                                        const Question& question);

}  // namespace rackcast
