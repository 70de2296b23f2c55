#pragma once
/// The part of the result about failures and goodput.
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "scenarios/evaluator.hpp"
#include "scenarios/result.hpp"

namespace rackcast {

/// Nothing if nothing ever fails. Intervals: the spread of failure rates between published clusters.
std::optional<ReliabilityReport> reliability_report(Evaluator& evaluator, const Question& question);

nlohmann::ordered_json reliability_document(const ReliabilityReport& report);

}  // namespace rackcast
