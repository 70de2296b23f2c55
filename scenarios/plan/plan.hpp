#pragma once
/// The result of a search: the designs, the choice, the alternatives, the relaxation of each limit, and the
/// limits that conflict.
#include <memory>
#include <vector>

#include "scenarios/document/plan.hpp"

namespace rackcast {

class Evaluator;
struct Question;
struct RunControl;
struct Scenario;

/// The planner's part of a result, in the form of its document.
struct PlanReport : doc::Plan {
  std::vector<std::shared_ptr<const Question>> slowest;  ///< what takes the time of each of the front
};

/// Searches. `scenario` has a goal and no named clusters. Throws Error for unknown names, and where not one
/// candidate can be built. `chosen` becomes the scenario with the choice in the place of its own.
PlanReport make_plan(Evaluator& evaluator, const Scenario& scenario, const RunControl& control,
                     Scenario& chosen);

}  // namespace rackcast
