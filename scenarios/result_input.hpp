#pragma once
/// The parts of the result document about the way of the data. Private to scenarios/result*.cpp.
#include <nlohmann/json_fwd.hpp>

#include "scenarios/data_spec.hpp"
#include "scenarios/input_report.hpp"

namespace rackcast {

nlohmann::ordered_json input_document(const InputReport& input);
nlohmann::ordered_json growth_document(const GrowthReport& growth);
nlohmann::ordered_json learning_document(const LearningSpec& learning);

}  // namespace rackcast
