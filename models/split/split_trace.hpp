#pragma once
/// The step of a split network as a timeline: a lane for each stage of the pipeline.
///
/// Passes stand where models/split/pipeline_schedule.hpp puts them; what all GPUs wait for before and behind
/// is as long as in the step's parts, so the lane of the slowest stage adds up to the step. Within a pass the
/// exchanges that are not hidden stand behind its kernels in one piece, although they come layer by layer.
#include <string>

#include "sim/units/quantity.hpp"

namespace rackcast {

class Tracer;
struct Cluster;
struct SplitSpec;
struct SplitStep;

/// Records one step, which begins with waiting for samples for so long. Returns why nothing was recorded,
/// and nothing where all was: an interleaved schedule is for multiples of the stages alone, and more than
/// 200,000 passes are too many to look at.
std::string trace_split(const SplitStep& step, const SplitSpec& spec, const Cluster& cluster,
                        Duration input_wait, Tracer& tracer);

}  // namespace rackcast
