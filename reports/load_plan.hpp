#pragma once
/// Reads the "plan" of a result document. Private to reports/load_result.cpp and load_serving.cpp.
#include "reports/plan_result.hpp"

namespace rackcast {
class Json;
}

namespace rackcast::reports {

Plan read_plan(const Json& json);
/// The member "relaxations", of a plan or of a fleet that serves; none where there is no such member.
std::vector<Plan::Relaxation> read_relaxations(const Json& json);

}  // namespace rackcast::reports
