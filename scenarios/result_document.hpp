#pragma once
/// Parts that every result document has. Private to scenarios.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "scenarios/method.hpp"
#include "scenarios/result.hpp"

namespace rackcast {

/// Null for a figure that does not exist, as the time of an infeasible alternative.
nlohmann::ordered_json estimate_document(const Estimate& estimate);
/// Names of what sums leave out: "prices", "power", "units".
nlohmann::ordered_json missing_document(const MissingFacts& missing);
nlohmann::ordered_json answer_document(const Answer& answer);
/// Format, version, program, command and scenario.
nlohmann::ordered_json head_document(const std::string& kind, const std::string& command,
                                     const Scenario& scenario);
nlohmann::ordered_json assumptions_document(const std::vector<Assumption>& assumptions);
nlohmann::ordered_json method_document(const std::vector<MethodRow>& rows);

}  // namespace rackcast
