#pragma once
/// How a training runs, in words: its step, its data, its failures.
#include <string>

#include "reports/result/result.hpp"

namespace rackcast::reports {

/// What a step takes, what binds it, and how much of the exchange is hidden.
std::string step_text(const StepBreakdown& step);

/// Which tasks set the time of a step; there is at least one.
std::string path_text(const Timeline& timeline);

/// The narrowest stage of the data's way; there is at least one.
std::string input_text(const InputPath& input);

/// How much of the time is training that is kept.
std::string reliability_text(const Reliability& reliability);

}  // namespace rackcast::reports
