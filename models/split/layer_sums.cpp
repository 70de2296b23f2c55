#include "models/split/layer_sums.hpp"

#include <algorithm>
#include <cstddef>

#include "models/collectives/comm_model.hpp"
#include "models/frameworks/framework.hpp"
#include "models/networks/operator.hpp"
#include "models/split/mesh.hpp"

namespace rackcast {
namespace {

constexpr double products_of_a_layer = 4;    ///< queries, keys and values; output; up; down
constexpr Bytes bucket{25.0 * 1024 * 1024};  ///< bucket_cap_mb of DistributedDataParallel, as it ships
/// Messages of a check between processes of one node take this part of those between nodes. Fitted on the
/// runs of nanotron with 1.3 billion parameters (models/data/provenance.json).
constexpr double in_node = 0.8;
constexpr Bytes gradient{2};  ///< of 16 bits, in which buckets are counted

/// Mean time of a product for the gradient of its input.
Duration input_gradient(const StepTime& step, double layers) {
  Duration all{0};
  for (const StepKernel& kernel : step.kernels)
    if (kernel.op != nullptr && kernel.op->family == OperatorFamily::gemm && kernel.op->place.layer > 0 &&
        kernel.pass == Pass::data_gradient)
      all += kernel.time;
  return all / (products_of_a_layer * std::max(1.0, layers));
}

/// Buckets of gradients, which fill up in the order of back-propagation. A tensor is not cut.
double buckets_of(const Workload& part) {
  double out = 0;
  Bytes filled{0};
  for (std::size_t i = part.operators.size(); i-- > 0;) {
    filled += part.operators[i].trained_parameters() * gradient;
    if (filled < bucket) continue;
    ++out;
    filled = Bytes{0};
  }
  return out + (filled > Bytes{0} ? 1 : 0);
}

double tensors_of_stage(const Workload& part) {
  return static_cast<double>(
      std::ranges::count_if(part.operators, [](const Operator& op) { return op.trained_parameters() > 0; }));
}

/// What one check among `gpus` GPUs takes, of which `of_a_node` are in each node.
Duration check_among(int gpus, int of_a_node, const FrameworkProfile& framework) {
  const int near = std::min(gpus, std::max(1, of_a_node));
  return (in_node * near + (gpus - near)) * framework.check_per_gpu;
}

}  // namespace

LayerSums layer_sums(CommModel& group, Bytes activations, bool split_sequence) {
  if (!split_sequence) return {timed_exchange(group, Collective::all_reduce, activations), Duration{0}, 1, 1};
  LayerSums out{timed_exchange(group, Collective::reduce_scatter, activations), Duration{0}, 2, 3};
  out.gathered_again = timed_exchange(group, Collective::all_gather, activations).time;
  out.sum.time += out.gathered_again;
  return out;
}

QueuedSums queued_sums(const LayerSums& sums, const StepTime& alone, double layers, Peers among,
                       const FrameworkProfile& framework) {
  const Duration check = check_among(among.gpus, among.of_a_node, framework);
  const Duration seen = std::max(Duration{0}, sums.gathered_again - input_gradient(alone, layers));
  return {{sums.sum.time, sums.forward * check}, {sums.sum.time + seen, sums.back * check}};
}

Duration host_of_replicas(const FrameworkProfile& framework, const Workload& stage, const Mesh& mesh,
                          int of_a_node) {
  const double collectives = mesh.zero_stage == 0 ? buckets_of(stage) : 2;
  const Duration checks = collectives * check_among(mesh.copies(), of_a_node / mesh.tensor, framework) +
                          check_among(mesh.gpus() * mesh.data, of_a_node, framework);
  const double slices = mesh.zero_stage == 1 ? tensors_of_stage(stage) * mesh.copies() : 0;
  return checks + slices * framework.gather_per_slice;
}

}  // namespace rackcast
