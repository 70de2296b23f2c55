#pragma once
/// From what the planner found to parts of the result document (scenarios/document). Private to scenarios.
#include <optional>
#include <string>
#include <vector>

#include "scenarios/document/result.hpp"
#include "scenarios/result/result.hpp"

namespace rackcast {

/// Nothing for a figure that does not exist, as the time of an infeasible alternative.
std::optional<doc::Prediction> to_document(const Estimate& estimate);
doc::Answer to_document(const Answer& answer);
std::vector<doc::Measured> to_document(const std::vector<MeasuredComparison>& rows);
/// Format, version, program, command and scenario.
doc::Head head_document(const std::string& kind, const std::string& command, const Scenario& scenario);

}  // namespace rackcast
