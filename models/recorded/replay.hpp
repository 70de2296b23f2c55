#pragma once
/// Replays a recorded step on a cluster: the queues of each recorded rank become streams of a graph
/// (models/graph/step_graph.hpp), and every exchange takes what it takes on the links of the cluster.
///
/// Kernels. On the recorded GPU a kernel keeps its recorded time. On another GPU the time is multiplied by
/// what the cost models of both GPUs say of its work:
///
///     time' = time * model'(work) / model(work)
///
/// Where the trace counts operations and bytes of the node, the work is a square matrix product of so many
/// operations or a pass over so many bytes, whichever takes longer; so is that of a node without a duration.
/// Else it is a large matrix product for kernels whose name says so, and a large pass over memory for the
/// others. The host keeps its recorded time.
///
/// Exchanges. A collective begins when all recorded ranks of its group have come to it. Collectives that are
/// under way at the same time share the links within a node, which belong to its GPUs, and the adapters of a
/// node (timed_exchange.hpp). Ranks without a file exchange beside the recorded ones, on the same adapters.
///
/// The step is simulated four times, and the result is the mean of the last two. The GPU begins a step when
/// all of its queues have done the one before; the host may be ahead.
///
/// On one GPU exchanges take no time. Scaling efficiency is measured against this run.
///
/// Assumed: ranks that were not recorded do what the recorded ones do; a kernel beside a collective was as
/// slow when it was recorded as it would be on the cluster.
#include <optional>

#include "models/collectives/comm_model.hpp"
#include "models/gpu/cost.hpp"
#include "models/networks/operator.hpp"
#include "models/recorded/recorded_step.hpp"
#include "models/step/training.hpp"

namespace rackcast {

struct ReplaySpec {
  const GpuCostModel* gpu = nullptr;       ///< of the cluster
  const GpuCostModel* recorded = nullptr;  ///< null: the same GPU
  Precision precision = Precision::fp32;
  CommSpec comm = {};
  double samples_per_rank = 1;
  Limits limits = {};
  // Multipliers of the rates of each part, as in TrainingSpec.
  double compute_scale = 1, network_scale = 1;
};

/// The cluster must have as many ranks as the step, or one, unless the step is data-parallel. Throws Error
/// where it has not, where ranks wait for each other in a circle, and LimitReached. The tracer gets the first
/// step.
TrainingRun replay(const Cluster& cluster, const RecordedStep& step, const ReplaySpec& spec,
                   Tracer* tracer = nullptr);

}  // namespace rackcast
