#pragma once
/// The step of a split network as a timeline: a lane for each stage of the pipeline, and one for what it
/// exchanges beside its kernels. It is the graph that was simulated (models/split/split_graph.hpp), with all
/// its laps.
///
/// Within a pass the exchanges that are not hidden stand behind its kernels in one piece, although they come
/// layer by layer.
#include <string>

#include "sim/units/quantity.hpp"

namespace rackcast {

class Tracer;
struct SplitWork;

/// Records one step, which begins by waiting `input_wait` for samples. Returns an empty text, or why nothing
/// was recorded: a step with a fraction of a micro-batch has no timeline, and neither has one with more than
/// 200,000 passes.
std::string trace_split(const SplitWork& work, Duration input_wait, Tracer& tracer);

}  // namespace rackcast
