#pragma once
/// The "plan" of the result document. Private to scenarios/result.cpp.
#include <nlohmann/json_fwd.hpp>

namespace rackcast {

struct PlanReport;

nlohmann::ordered_json plan_document(const PlanReport& plan);

}  // namespace rackcast
