#include "models/split/split_trace.hpp"

#include <fmt/format.h>

#include "models/graph/graph_run.hpp"
#include "models/split/split_graph.hpp"
#include "sim/engine/trace.hpp"

namespace rackcast {

std::string trace_split(const SplitWork& work, Duration input_wait, Tracer& tracer) {
  constexpr double most_passes = 200'000;
  if (work.of_a_pass < 1 - 1e-9)
    return fmt::format(
        "There is no timeline: the schedule takes whole micro-batches, interleaved parts a multiple of the "
        "{} "
        "stages, and a step has {:g}.",
        work.stages.size(), static_cast<double>(work.pipeline.micro_batches) * work.of_a_pass);
  const double passes = pipeline_pass_count(work.pipeline);
  if (passes > most_passes)
    return fmt::format("There is no timeline: the step has {:.0f} passes of micro-batches through stages.",
                       passes);
  SplitWork traced = work;
  traced.input_wait = input_wait;
  const SplitGraph split = split_graph(traced);
  run_graph(split.graph, {.tracer = &tracer});
  return {};
}

}  // namespace rackcast
