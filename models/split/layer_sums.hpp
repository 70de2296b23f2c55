#pragma once
/// Sums of activations among the GPUs that share a layer, and what the host does for them.
///
/// Where the sequence is split among these GPUs, a sum is a reduce-scatter and an all-gather. In the backward
/// pass the gathered input of a product is gathered once more, while the gradient of this input is computed
/// (V. Korthikanti et al., arXiv:2205.05198, section 4.2.2; nanotron: tp_recompute_allgather). With the time
/// g of the all-gather and d of that product, the exposed time is
///
///   max(0, g - d).
///
/// A framework that checks its collectives (FrameworkProfile::check_per_gpu) stops the host at each of them,
/// by this time for each GPU of the group and less within a node, while the GPU works off its queue.
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
  Duration gathered_again{0};  ///< the all-gather of an input in the backward pass, hidden or not
  int forward = 0, back = 0;   ///< collectives for each
};

/// The sums of `activations` among the GPUs of `group`.
LayerSums layer_sums(CommModel& group, Bytes activations, bool split_sequence);

/// The sums of a layer as kernels in the queue of a stage.
struct QueuedSums {
  LayerSum forward, back;
};
struct Peers {
  int gpus = 1, of_a_node = 1;  ///< of the group, and how many of a node may be in it
};
/// `alone`: the step of a micro-batch without sums, on a stage of `layers` layers.
QueuedSums queued_sums(const LayerSums& sums, const StepTime& alone, double layers, Peers among,
                       const FrameworkProfile& framework);

/// Time of the host at the end of a step for a stage with replicas, while the GPU waits: checks, and slices
/// of sharded weights. Whole states are summed in buckets of DistributedDataParallel, one collective each.
/// Sharded optimizer states take one sum and one gather. All GPUs of the job meet once.
Duration host_of_replicas(const FrameworkProfile& framework, const Workload& stage, const Mesh& mesh,
                          int of_a_node);

}  // namespace rackcast
