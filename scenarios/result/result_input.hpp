#pragma once
/// The parts of the result document about the way of the data. Private to scenarios/result/result*.cpp.
#include "scenarios/document/input.hpp"
#include "scenarios/evaluate/input_report.hpp"
#include "scenarios/format/data_spec.hpp"
#include "scenarios/result/growth_report.hpp"

namespace rackcast {

doc::InputPath input_document(const InputReport& input);
doc::DataGrowth growth_document(const GrowthReport& growth);
doc::LearningNeed learning_document(const LearningSpec& learning);

}  // namespace rackcast
