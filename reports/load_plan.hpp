#pragma once
/// Reads the "plan" of a result document. Private to reports/load_result.cpp.
#include "reports/plan_result.hpp"

namespace rackcast {
class Json;
}

namespace rackcast::reports {

Plan read_plan(const Json& json);

}  // namespace rackcast::reports
