#pragma once
/// The parts of a result document about the way of the data. Private to reports/load_*.cpp.
#include "reports/result.hpp"
#include "sim/json_reader.hpp"

namespace rackcast::reports {

InputPath read_input_path(const Json& json);
DataGrowth read_growth(const Json& json);
LearningNeed read_learning(const Json& json);

}  // namespace rackcast::reports
