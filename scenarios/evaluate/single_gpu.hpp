#pragma once
/// The step of one GPU that scaling is measured against.
#include "scenarios/evaluate/evaluator.hpp"

namespace rackcast {

/// The question on one GPU of one node, without slower nodes.
Question on_one_gpu(const Question& question);

/// Work of a GPU of the whole job in a step, over that of the single one: replicas of a split network take
/// other batches.
double work_of_gpu(const Question& question, const TrainingRun& whole, const TrainingRun& alone);

}  // namespace rackcast
