#include "models/split/split_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "models/collectives/cluster.hpp"
#include "models/split/pipeline_schedule.hpp"
#include "models/split/split_training.hpp"
#include "sim/engine/trace.hpp"

namespace rackcast {
namespace {

constexpr double most_passes = 200'000;

/// Boxes of one stage, one behind the other.
class StageLane {
 public:
  StageLane(Tracer& tracer, TrackId track) : tracer_{tracer}, track_{track} {}

  /// What the stage waits for until then. Less than a millionth of a millisecond is rounding.
  void wait_until(Duration end) {
    if (end - at_ > Duration{1e-9})
      record(end, "pipeline bubble", 0);
    else
      at_ = std::max(at_, end);
  }
  void add(Duration length, const char* name, double micro_batch = 0) {
    record(at_ + length, name, micro_batch);
  }

 private:
  void record(Duration end, const char* name, double micro_batch) {
    const SimTime from = tracer_.clock().ticks(at_), to = tracer_.clock().ticks(end);
    if (to > from) {
      const TraceArg arg{"micro_batch", micro_batch};
      tracer_.span(track_, name, from, to,
                   micro_batch > 0 ? std::span<const TraceArg>{&arg, 1} : std::span<const TraceArg>{});
    }
    at_ = std::max(at_, end);
  }

  Tracer& tracer_;
  TrackId track_;
  Duration at_{0};
};

void add_pass(StageLane& lane, const PipelinePass& pass, const StageTimes& t, const SplitStep& step,
              double parts) {
  const auto number = static_cast<double>(pass.micro_batch + 1);
  if (pass.receives) lane.add(step.message, "from another stage", number);
  lane.add((pass.backward ? t.backward : t.forward) / parts, pass.backward ? "backward" : "forward", number);
  lane.add((pass.backward ? t.backward_exchange : t.forward_exchange) / parts, "exchange of activations",
           number);
  lane.add((pass.backward ? t.backward_experts : t.forward_experts) / parts, "tokens to experts and back",
           number);
  if (pass.backward) lane.add(t.shards, "exchange of shards", number);
}

PipelinePasses pipeline_passes_of(const SplitStep& step, const SplitSpec& spec) {
  PipelinePasses out;
  for (const StageTimes& t : step.stages) {
    out.forward.push_back(t.forward + t.forward_exchange + t.forward_experts);
    out.backward.push_back(t.backward + t.backward_exchange + t.backward_experts + t.shards);
  }
  out.message = step.message;
  out.micro_batches = std::llround(spec.micro_batches);
  out.interleave = spec.interleave;
  return out;
}

}  // namespace

std::string trace_split(const SplitStep& step, const SplitSpec& spec, const Cluster& cluster,
                        Duration input_wait, Tracer& tracer) {
  const PipelinePasses passes = pipeline_passes_of(step, spec);
  if (std::abs(spec.micro_batches - static_cast<double>(passes.micro_batches)) > 1e-9)
    return "There is no timeline of a part of a micro-batch.";
  if (pipeline_pass_count(passes) > most_passes)
    return fmt::format("There is no timeline: the step has {:.0f} passes of micro-batches through stages.",
                       pipeline_pass_count(passes));
  const auto schedule = pipeline_schedule(passes);
  if (!schedule)
    return fmt::format(
        "There is no timeline: an interleaved pipeline takes a multiple of its {} stages as micro-batches, "
        "and a step has {}.",
        spec.pipeline, passes.micro_batches);
  const std::size_t stages = step.stages.size();
  const auto digits = fmt::format("{}", stages).size();
  const int between = static_cast<int>(cluster.ranks.size()) / spec.pipeline;  // tensor, data, then pipeline
  // Of shards the part that comes with micro-batches is in the passes.
  const Duration shards = spec.micro_batches * step.stages[step.slowest].shards;
  const Duration drained = input_wait + step.total - step.optimizer - (step.gradient_exchange - shards);
  auto pass = schedule->begin();
  for (std::size_t s = 0; s < stages; ++s) {
    const int rank = static_cast<int>(s) * between, local = std::max(1, cluster.local_ranks());
    StageLane lane{tracer, tracer.track(fmt::format("Stage {:0{}} of {}", s + 1, digits, stages),
                                        fmt::format("node {}, GPU {}", rank / local, rank % local))};
    lane.add(input_wait, "waiting for input");
    for (; pass != schedule->end() && pass->stage == static_cast<int>(s); ++pass) {
      lane.wait_until(input_wait + pass->start);
      add_pass(lane, *pass, step.stages[s], step, spec.interleave);
    }
    lane.wait_until(drained);
    lane.add(step.gradient_exchange - shards, "gradient exchange");
    lane.add(step.optimizer, "optimizer");
  }
  return {};
}

}  // namespace rackcast
