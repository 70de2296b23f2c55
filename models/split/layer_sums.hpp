#pragma once
/// Sums of activations among the GPUs that share a layer, and what the host does for them.
///
/// Where the sequence is split among these GPUs, a sum is a reduce-scatter and an all-gather. Going back the
/// input of a product that was gathered is gathered once more beside the product for its gradient (V.
/// Korthikanti et al., arXiv:2205.05198, section 4.2.2; nanotron: tp_recompute_allgather), so with the time g
/// of the all-gather and d of that product
///
///   max(0, g - d)
///
/// is seen. A framework that checks its collectives (FrameworkProfile::check_per_gpu) holds the host for each
/// of them by that time for each GPU of the group, less in a node, while the GPU works off its queue.
#include "models/collectives/timed_exchange.hpp"
#include "models/frameworks/gpu_step.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

class CommModel;
struct FrameworkProfile;
struct Mesh;
struct Workload;

struct LayerSums {
  TimedExchange sum;           ///< going either way
  Duration gathered_again{0};  ///< the all-gather of an input going back, before what hides it
  int forward = 0, back = 0;   ///< collectives for each
};

/// The sums of `activations` among the GPUs of `group`.
LayerSums layer_sums(CommModel& group, Bytes activations, bool split_sequence);

/// The sums as kernels of the queue of a stage with `layers` layers. `alone`: its micro-batch without sums.
struct QueuedSums {
  LayerSum forward, back;
};
struct Peers {
  int gpus = 1, of_a_node = 1;  ///< of the group, and how many of a node may be in it
};
QueuedSums queued_sums(const LayerSums& sums, const StepTime& alone, double layers, Peers among,
                       const FrameworkProfile& framework);

/// What the host does at the end of a step for a stage with replicas, while the GPU waits: checks, and slices
/// of sharded weights. Whole states are summed in buckets of DistributedDataParallel, one collective each.
/// Sharded optimizer states take one sum and one gather. All GPUs of the job meet once.
Duration host_of_replicas(const FrameworkProfile& framework, const Workload& stage, const Mesh& mesh,
                          int of_a_node);

}  // namespace rackcast
