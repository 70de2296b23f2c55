#include "models/split_tables.hpp"

#include <algorithm>

#include "models/cluster.hpp"
#include "models/collectives/comm_model.hpp"

namespace rackcast {
namespace {

/// Above a billion parameters, 4 GB; smaller tables are copied to every GPU.
bool is_split(const Operator& op) {
  return op.kind == "embedding_tables" && op.parameters > 1e9;
}

}  // namespace

bool has_split_tables(const Workload& workload) {
  return std::ranges::any_of(workload.operators, is_split);
}

Workload with_split_tables(Workload workload) {
  for (Operator& op : workload.operators)
    if (is_split(op)) op.parameters = 0;
  return workload;
}

TableExchange table_exchange(const Cluster& cluster, const CommSpec& comm, const Workload& workload,
                             double batch_per_gpu, Precision precision) {
  double vectors = 0;
  for (const Operator& op : workload.operators)
    if (is_split(op)) vectors += static_cast<double>(op.shape.rows * op.shape.n);
  const Bytes payload = batch_per_gpu * vectors * activation_bytes(precision);
  const int nodes = cluster.used_nodes();
  if (nodes == 1) {
    CommModel inside{cluster, comm};
    return {2 * inside.time(Collective::all_to_all, payload), inside.log_sigma(payload)};
  }
  const Cluster node = first_ranks(cluster, cluster.local_ranks());
  CommModel inside{node, comm}, between{cluster, comm};
  const double sharing = cluster.node.nics > 0 ? std::max(1, cluster.local_ranks() / cluster.node.nics) : 1;
  const Duration over_nodes = between.time(Collective::send_recv, sharing * (nodes - 1.0) / nodes * payload);
  return {2 * (inside.time(Collective::all_to_all, payload) + over_nodes), between.log_sigma(payload)};
}

}  // namespace rackcast
