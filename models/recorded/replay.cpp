#include "models/recorded/replay.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/collectives/cluster.hpp"
#include "models/graph/graph_run.hpp"
#include "models/recorded/replay_graph.hpp"
#include "models/recorded/replayed_kernels.hpp"
#include "models/step/straggler.hpp"
#include "sim/base/error.hpp"

namespace rackcast {

namespace {

/// Laps of which the second half counts.
constexpr std::uint64_t replayed_laps = 4;

/// A graph that has run for some laps.
struct Laps {
  ReplayGraph replayed;
  GraphRun run;

  Laps(const Cluster& cluster, const RecordedStep& step, const ReplaySpec& spec, std::uint64_t laps,
       Tracer* tracer)
      : replayed{replay_graph(cluster, step, spec, laps)}, run{simulated(replayed.graph, spec, tracer)} {}

 private:
  static GraphRun simulated(const StepGraph& graph, const ReplaySpec& spec, Tracer* tracer) {
    try {
      return run_graph(graph, {.limits = spec.limits, .tracer = tracer});
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::internal || !e.message().starts_with("deadlock")) throw;
      throw Error{"the recorded ranks wait for each other in a circle",
                  {},
                  "the files must be of the same step, and ranks must exchange in the same order"};
    }
  }
};

/// What a stream does in a lap of the second half.
StepParts of_a_lap(const Laps& half, const Laps& all, std::uint32_t stream) {
  constexpr double laps = static_cast<double>(replayed_laps) / 2;
  const StepParts a = half.run.parts(stream), b = all.run.parts(stream);
  StepParts out;
  for (const StepPart& part : step_part_list) out.*part.time = (b.*part.time - a.*part.time) / laps;
  out.exchange_busy = (b.exchange_busy - a.exchange_busy) / laps;
  out.total = (b.total - a.total) / laps;
  return out;
}

Duration kernels_of(const StepParts& parts) {
  return parts.forward + parts.backward + parts.optimizer;
}

/// Of those whose steps take longest, the one that waits least for others.
std::size_t busiest_rank(const Laps& half, const Laps& all) {
  std::size_t out = 0;
  StepParts most;
  constexpr double rounding = 1e-9;
  for (std::size_t r = 0; r < all.replayed.kernels.size(); ++r) {
    const StepParts parts = of_a_lap(half, all, all.replayed.kernels[r]);
    const bool longer = parts.total > most.total * (1 + rounding);
    const bool as_long = parts.total >= most.total * (1 - rounding);
    if (longer || (as_long && kernels_of(parts) > kernels_of(most))) most = parts, out = r;
  }
  return out;
}

std::string what_binds_replay(const StepParts& parts, double host_share) {
  const Duration kernels = kernels_of(parts);
  if (parts.exchange_wait > std::max(kernels, parts.pipeline_wait)) return "the recorded exchanges";
  if (parts.pipeline_wait > kernels) return "waiting for other ranks";
  return gpu_or_host(host_share);
}

void check_ranks(const Cluster& cluster, const RecordedStep& step) {
  const auto ranks = static_cast<int>(cluster.ranks.size());
  if (ranks == 1 || step.is_data_parallel() || ranks == step.world) return;
  throw Error{
      fmt::format(
          "the recorded step is of {} ranks that do not all exchange with all, and the job has {} GPUs",
          step.world, ranks),
      {},
      fmt::format("give it {} GPUs: \"nodes\" of \"cluster\", or \"gpus_per_job\"", step.world)};
}

}  // namespace

TrainingRun replay(const Cluster& cluster, const RecordedStep& step, const ReplaySpec& spec, Tracer* tracer) {
  check_ranks(cluster, step);
  const Laps half{cluster, step, spec, replayed_laps / 2, nullptr};
  const Laps all{cluster, step, spec, replayed_laps, nullptr};
  if (tracer) (void)Laps{cluster, step, spec, 1, tracer};
  TrainingRun run;
  const std::size_t busiest = busiest_rank(half, all);
  const std::uint32_t shown = all.replayed.kernels[busiest];
  run.parts = of_a_lap(half, all, shown);
  for (const std::uint32_t stream : all.replayed.exchanges[busiest])
    run.parts.exchange_busy += of_a_lap(half, all, stream).exchange_busy;
  const auto lap = [&](const char* name) {
    return (all.run.time(shown, name) - half.run.time(shown, name)) /
           (static_cast<double>(replayed_laps) / 2);
  };
  const Duration kernels = kernels_of(run.parts);
  run.host_share = kernels > Duration{0} ? lap(waiting_for_host) / kernels : 0;
  run.ranks = static_cast<int>(cluster.ranks.size());
  run.samples_per_step = spec.samples_per_rank * run.ranks;
  run.binds = what_binds_replay(run.parts, run.host_share);
  run.events = half.run.events + all.run.events;
  run.steps = replayed_laps;
  run.compute_log_sigma = replayed_log_sigma(step, spec);
  run.network_log_sigma = run.ranks > 1 ? all.replayed.network_log_sigma : 0;
  run.scaling_log_sigma = scaling_log_sigma(cluster.used_nodes());
  return run;
}

}  // namespace rackcast
