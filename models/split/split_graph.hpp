#pragma once
/// The step of a network split over GPUs as a graph (models/graph/step_graph.hpp): a stream of kernels for
/// each stage of the pipeline, in the order of its schedule, and one for what it exchanges beside them.
///
/// A stage receives what a pass needs, computes, and sends; that the next stage waits, and for how long,
/// follows. When its own passes are done it sums its gradients with its replicas, whatever other stages still
/// do. Gradients that are exchanged beside back-propagation leave in pieces, layer by layer, during the last
/// backward pass of each part, and take multiprocessors from it (collective_slowdown()). With sharded
/// optimizer states, weights are gathered in the same way beside the first forward pass. All stages meet
/// before the update, as the norm of all gradients and a check for overflow make them
/// (megatron/core/optimizer: clip_grad_norm, found_inf); only ZB-H2 does without.
///
/// With DualPipe a GPU has two stages of the network, its own and its mirror's. Both have streams, gradients
/// and the update of the GPU in common.
///
/// Weights that are sharded over the replicas are gathered layer by layer beside the kernels, one layer
/// ahead, forward and again going back; a layer's gradients are scattered behind the gather of the next (Y.
/// Zhao et al., "PyTorch FSDP", VLDB 2023, sections 3.3 and 3.4: one communicator, two gathers in flight). In
/// a pipeline each pass gathers the layers of its part, in the order of the schedule and ahead of its input.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/collectives/timed_exchange.hpp"
#include "models/graph/step_graph.hpp"
#include "models/split/pipeline_schedule.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

/// The work of one stage, all of its parts together. Times are those of one micro-batch, unless a comment
/// says that they are of the step.
struct StageWork {
  Duration forward{0}, backward{0};                   ///< kernels
  double weights_share = 0.5;                         ///< of `backward`, what weight gradients take
  double host_share = 0;                              ///< of kernels and update: waits for the host
  TimedExchange forward_exchange, backward_exchange;  ///< of activations, what kernels do not hide
  TimedExchange forward_experts, backward_experts;    ///< tokens to their experts and back
  Duration lists{0};  ///< gathers of sharded weights in the backward pass that nothing hides
  // Sharded weights and gradients, for each layer and micro-batch.
  int layers = 1;
  TimedExchange gather, scatter;
  // Of the step.
  TimedExchange gradients;         ///< summed or scattered over the replicas
  bool gradients_overlap = false;  ///< beside the last backward pass
  TimedExchange weights;           ///< gathered after the update
  TimedExchange weights_first;     ///< gathered beside the first forward pass instead
  Duration optimizer{0};

  /// Kernels and exchanges of one micro-batch, without those of the step.
  [[nodiscard]] Duration micro_batch() const {
    return forward + backward + (forward_exchange.time + backward_exchange.time) +
           (forward_experts.time + backward_experts.time);
  }
};

struct SplitWork {
  std::vector<StageWork> stages;  ///< of the network
  PipelineShape pipeline;         ///< with whole micro-batches
  /// Micro-batches of the step / micro-batches of `pipeline`, at most 1. Every pass is shorter by this
  /// factor.
  double of_a_pass = 1;
  TimedExchange message;  ///< from one stage to the next
  Bytes activations{0};   ///< of a micro-batch, as tensor-parallel GPUs sum them
  Duration input_wait{0};
  double slowdown = 0;              ///< share of the multiprocessors that a collective takes
  std::vector<std::string> places;  ///< of each stage, for the trace: "node 0, GPU 0"

  /// The stage that the GPU of stage `s` works on in this pass.
  [[nodiscard]] std::size_t stage_of(const PipelinePass& pass, std::size_t s) const {
    return pass.mirrored ? stages.size() - 1 - s : s;
  }
  /// Kernels and exchanges of one micro-batch on the GPU of stage `s`; with DualPipe the mean of its stages.
  [[nodiscard]] Duration micro_batch(std::size_t s) const;
};

/// Names of tasks and waits, for GraphRun::time().
namespace split_task {
inline constexpr const char *forward = "forward", *backward = "backward",
                            *activations = "exchange of activations", *experts = "tokens to experts and back",
                            *message = "from another stage", *bubble = "pipeline bubble",
                            *filling = "pipeline fills", *gradients = "gradient exchange",
                            *shards = "exchange of shards", *optimizer = "optimizer",
                            *waiting = "waiting for the exchange", *input = "waiting for input";
}

struct SplitGraph {
  StepGraph graph;
  bool staggered = false;              ///< the stages do not meet: each begins its next step when it is done
  std::vector<std::uint32_t> kernels;  ///< the stream of each stage
  std::vector<std::optional<std::uint32_t>> exchanges;  ///< what runs beside it, if anything
};

SplitGraph split_graph(const SplitWork& work);

}  // namespace rackcast
