#pragma once
/// The "plan" of the result document. Private to scenarios/result/result.cpp.

#include "scenarios/document/plan.hpp"

namespace rackcast {

struct PlanReport;

doc::Plan plan_document(const PlanReport& plan);

}  // namespace rackcast
