#pragma once
/// What a point of a sweep comes to. Private to scenarios/sweep.
#include <string>
#include <vector>

#include "scenarios/sweep/store.hpp"

namespace rackcast {

class Catalog;
class Evaluator;
struct Scenario;

/// Names of the figures of a row, in its order.
std::vector<std::string> training_columns();
std::vector<std::string> service_columns();

/// What `simulate` gives without intervals: all workloads one after another, or the slowest on its own.
/// Throws Error (infeasible) for what cannot be built.
void evaluate_training(const Scenario& scenario, Evaluator& evaluator, SweepRow& row);

/// What a fleet of the scenario's number of nodes does with the load; where the scenario states none, the
/// fleet that `size` answers.
void evaluate_service(const Scenario& scenario, const Catalog& catalog, SweepRow& row);

}  // namespace rackcast
