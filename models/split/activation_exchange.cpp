#include "models/split/activation_exchange.hpp"

#include <algorithm>

#include "models/collectives/cluster.hpp"
#include "models/collectives/comm_model.hpp"

namespace rackcast {

int sharing_an_adapter(const Cluster& cluster) {
  return cluster.used_nodes() > 1 && cluster.node.nics > 0
             ? std::max(1, cluster.local_ranks() / cluster.node.nics)
             : 1;
}

Bytes exchanged_activations(const TransformerShape& shape, double micro_batch, Precision precision) {
  return micro_batch * static_cast<double>(shape.seq_len * shape.hidden) *
         std::max(Bytes{2}, activation_bytes(precision));
}

Duration pass_of_keys(CommModel& around, const Cluster& ring, const TransformerShape& part,
                      double micro_batch) {
  const Bytes keys{micro_batch * 2 * 2 * static_cast<double>(part.seq_len * part.kv_heads * part.head_dim)};
  return timed_exchange(around, Collective::send_recv, sharing_an_adapter(ring) * keys).time;
}

ExposedRing exposed_ring(Duration round, Duration forward, Duration backward, double runs) {
  const Duration exposed = std::max(Duration{0}, round - forward);
  return {exposed, (runs - 1) * exposed + std::max(Duration{0}, 2 * round - backward)};
}

ExpertExchange exchange_with_experts(ExpertGroup& group, const TransformerShape& shape, const Mesh& mesh,
                                     Bytes activations) {
  return group.exchange(shape, activations * width_to_experts(shape) / mesh.tensor);
}

TimedExchange message_of_stage(CommModel& among, const Cluster& cluster, int tensor, Bytes activations) {
  const double share = static_cast<double>(sharing_an_adapter(cluster)) / tensor;
  return timed_exchange(among, Collective::send_recv, activations * share);
}

}  // namespace rackcast
