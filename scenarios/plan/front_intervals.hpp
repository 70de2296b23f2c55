#pragma once
/// 90 % intervals of the times of a Pareto front.
#include "scenarios/plan/plan.hpp"

namespace rackcast {

/// Gives the candidates of the plan's front the 90 % interval of their times. Of each design the smallest and
/// the largest size and the chosen one between them are varied part by part (Evaluator::predict); for the
/// sizes between two of those ln(end / expected time) is interpolated linearly in ln(GPUs), for each end.
/// Designs after the first 24 have no intervals. Throws LimitReached.
void add_time_intervals(Evaluator& evaluator, PlanReport& plan);

}  // namespace rackcast
