#pragma once
/// The stages of a pipeline as Megatron-LM's arguments.
#include <string>
#include <vector>

#include "scenarios/launch/launch_plan.hpp"

namespace rackcast {

/// The arguments that cut the layers into stages and their parts. All stages but the last are as long as the
/// longest. Throws Error at the split of the scenario, with the nearest numbers that work, where the last
/// stage would have no layer, where a stage cannot be cut into equal parts, and where the interleaved
/// schedule does not take this number of micro-batches.
std::vector<std::string> stage_arguments(const TrainingLaunch& launch);

}  // namespace rackcast
