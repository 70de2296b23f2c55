#pragma once
/// The part of the result about failures and goodput.
#include <optional>

#include "scenarios/document/reliability.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/result/result.hpp"

namespace rackcast {

/// Nothing if nothing ever fails. Intervals: the spread of failure rates between published clusters.
std::optional<ReliabilityReport> reliability_report(Evaluator& evaluator, const Question& question);

doc::Reliability reliability_document(const ReliabilityReport& report);

}  // namespace rackcast
