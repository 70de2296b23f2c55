#pragma once
/// The graph of a recorded step on a cluster (replay.hpp says how it is laid out).
#include <cstdint>
#include <vector>

#include "models/graph/step_graph.hpp"
#include "models/recorded/recorded_step.hpp"
#include "models/recorded/replay.hpp"

namespace rackcast {

/// The name of a wait.
inline constexpr const char* waiting_for_host = "waiting for the host";

struct ReplayGraph {
  StepGraph graph;
  std::vector<std::uint32_t> kernels;  ///< of each recorded rank, the stream of kernels with the most work
  std::vector<std::vector<std::uint32_t>> exchanges;  ///< of each recorded rank, its streams of exchanges
  double network_log_sigma = 0;                       ///< the largest of the groups
};

/// `laps`: how often the step runs.
ReplayGraph replay_graph(const Cluster& cluster, const RecordedStep& step, const ReplaySpec& spec,
                         std::uint64_t laps);

}  // namespace rackcast
