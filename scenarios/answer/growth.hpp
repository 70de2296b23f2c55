#pragma once
/// The data set in time: what lies on storage day by day, and each retraining of what is usable by then.
#include <optional>
#include <span>

#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/result/growth_report.hpp"

namespace rackcast {

/// Nothing unless a fleet records. The questions are asked of the chosen cluster; each retraining asks them
/// all again with the samples of its day. At most 100 points and 26 retrainings.
std::optional<GrowthReport> growth_report(Evaluator& evaluator, const Scenario& scenario,
                                          std::span<const Question> questions);

}  // namespace rackcast
