#pragma once
/// How far the times of a Pareto front may be off.
#include "scenarios/plan/plan.hpp"

namespace rackcast {

/// Gives the candidates of the plan's front the 90 % interval of their times. Of each design
/// the smallest and the largest size and the chosen one between them are varied part by part
/// (Evaluator::predict); for the sizes between two of those the logarithms of both ends over the expected
/// time lie on a line in the logarithm of the GPUs. Of more than 24 designs those behind have none. Throws
/// LimitReached.
void add_time_intervals(Evaluator& evaluator, PlanReport& plan);

}  // namespace rackcast
