#pragma once
/// Data-parallel training as a graph of streams (models/graph/step_graph.hpp), one lap for each step.
///
///     loader       batch, batch, ...          up to `prefetch` ahead of the GPUs
///     kernels      take a batch, forward, backward, wait for the gradients, update
///     exchanges    one for each bucket: waits until all GPUs have it, then goes through its stages
///     writer       a save that training does not wait for
///
/// Each crew (models/step/crews.hpp) has streams of its own. A stream of kernels stands for all GPUs of the
/// crew that compute at one pace, or for one GPU where everything is simulated. The first one of the crew
/// takes the batch; all begin together and meet again before the update. The first stream of the graph is
/// that of the first GPU: its laps are the steps.
///
/// Buckets go one after the other on one communicator: a stream waits for its turn. Parameter servers have a
/// connection for each, so nothing waits.
#include <cstdint>
#include <vector>

#include "models/graph/step_graph.hpp"
#include "models/step/data_parallel.hpp"
#include "models/step/gradient_buckets.hpp"

namespace rackcast {

/// What the run begins with.
enum class StartFrom { nothing, saved_state };

inline constexpr std::uint64_t endless = 1'000'000'000'000;  ///< laps; somebody stops them

/// Steps and saves, in this order.
struct TrainingLaps {
  StartFrom from = StartFrom::nothing;
  std::uint64_t before = endless;  ///< steps before the first save
  std::uint64_t regular = 0;       ///< saves with `every` steps behind each
  std::uint64_t every = 0;
  bool last_save = false;   ///< one more
  std::uint64_t after = 0;  ///< steps behind it
  bool drawn = false;       ///< every link is there to be drawn, also one that never sets a rate
};

enum TrainingMark : std::uint32_t { step_ended, save_began, state_written };

struct DataParallelGraph {
  StepGraph graph;
  struct CrewStreams {
    std::uint32_t kernels = 0;  ///< of its first GPU; sets `step_ended`, and of the first crew `save_began`
    std::vector<std::uint32_t> exchanges = {};
  };
  std::vector<CrewStreams> crews;
  std::uint32_t saver = 0;  ///< sets `state_written`
};

DataParallelGraph data_parallel_graph(const Cluster& cluster, const TrainingSpec& spec,
                                      const DataParallelPlan& plan, const StepTimes& kernels,
                                      const TrainingLaps& laps);

}  // namespace rackcast
