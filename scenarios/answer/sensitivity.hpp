#pragma once
/// Sensitivity of the time to train: one uncertain input at a time is set to either end of its range.
/// Example: with the speed of kernels at its ends, 7.56 and 21.3 days.
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
