#include "models/split/split_tables.hpp"

#include <algorithm>

#include "models/collectives/cluster.hpp"
#include "models/collectives/comm_model.hpp"

namespace rackcast {
namespace {

/// What of the exchange is longer than all else of the step, if it is.
void name_what_binds(TrainingRun& run, const TableExchange& exchange) {
  const StepParts& p = run.parts;
  const Duration kernels = p.forward + p.backward + p.optimizer;
  if (p.table_exchange > std::max({kernels, p.exchange_wait, p.straggler_wait, p.input_wait}))
    run.binds = exchange.between > exchange.inside ? "exchange of table vectors between nodes"
                                                   : "exchange of table vectors inside nodes";
}

}  // namespace

bool is_split_table(const Operator& op) {
  // Smaller tables are copied to every GPU.
  return op.kind == "embedding_tables" && op.parameters > 1e9;
}

bool has_split_tables(const Workload& workload) {
  return std::ranges::any_of(workload.operators, is_split_table);
}

Workload with_split_tables(Workload workload) {
  for (Operator& op : workload.operators)
    if (is_split_table(op)) op.parameters = 0;
  return workload;
}

bool splits_tables(const TrainingSpec& spec) {
  return !spec.copied_tables && has_split_tables(*spec.workload);
}

TableExchange table_exchange(const Cluster& cluster, const CommSpec& comm, const Workload& workload,
                             double batch_per_gpu, Precision precision) {
  double vectors = 0;
  for (const Operator& op : workload.operators)
    if (is_split_table(op)) vectors += static_cast<double>(op.shape.rows * op.shape.n);
  TableExchange out;
  out.vectors = batch_per_gpu * vectors * activation_bytes(precision);
  if (cluster.ranks.size() == 1) return out;
  const int nodes = cluster.used_nodes();
  if (nodes == 1) {
    CommModel inside{cluster, comm};
    out.inside = 2 * inside.time(Collective::all_to_all, out.vectors);
    out.log_sigma = inside.log_sigma(out.vectors);
    return out;
  }
  const Cluster node = first_ranks(cluster, cluster.local_ranks());
  CommModel inside{node, comm}, between{cluster, comm};
  const double sharing = cluster.node.nics > 0 ? std::max(1, cluster.local_ranks() / cluster.node.nics) : 1;
  const Bytes leaving = (nodes - 1.0) / nodes * out.vectors;
  if (node.ranks.size() > 1) out.inside = 2 * inside.time(Collective::all_to_all, out.vectors);
  out.between = 2 * between.time(Collective::send_recv, sharing * leaving);
  out.sent_by_node = 2.0 * cluster.local_ranks() * leaving;
  out.log_sigma = between.log_sigma(out.vectors);
  return out;
}

TrainingRun train(const Cluster& cluster, TrainingSpec spec, Tracer* tracer) {
  if (!splits_tables(spec)) return simulate_training(cluster, spec, tracer);
  const Workload local = with_split_tables(*spec.workload);
  const TableExchange exchange =
      table_exchange(cluster, spec.exchange.comm, *spec.workload, spec.batch_per_gpu, spec.precision);
  spec.workload = &local;
  spec.vectors_inside = spec.accumulation / spec.network_scale * exchange.inside;
  spec.vectors_between = spec.accumulation / spec.network_scale * exchange.between;
  TrainingRun run = simulate_training(cluster, spec, tracer);
  run.network_log_sigma = std::max(run.network_log_sigma, exchange.log_sigma);
  name_what_binds(run, exchange);
  return run;
}

}  // namespace rackcast
