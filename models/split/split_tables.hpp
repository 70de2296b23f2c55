#pragma once
/// Large embedding tables split over GPUs, everything else trained data-parallel (M. Naumov et al., "Deep
/// Learning Recommendation Model", arXiv:1906.00091, section 4).
///
/// Each GPU holds a part of the large tables and looks up its part for the whole batch, which is the work of
/// all tables for its own share of the batch. An all-to-all exchange gives every GPU the vectors of its
/// samples. A second one sends the gradients back to the owners of the tables, which write them into the rows
/// that were looked up. These tables are not reduced or updated as a whole. Assumed: features are spread
/// evenly over the GPUs, as sharding planners try to do, and neither exchange is hidden. Between nodes an
/// exchange has two stages: inside the node to the GPU of the right rail, then along the rails (HugeCTR's
/// IB_NVLink_Hierarchical). Not in it: copies of the frequent rows of large tables on every GPU (HugeCTR's
/// hybrid embedding), which spare a part of the exchange.
///
/// One GPU holds all tables and exchanges nothing; its gradients are as sparse.
#include "models/step/training.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

struct CommSpec;

/// Whether frameworks split this embedding table: it has more than a billion parameters (4 GB).
bool is_split_table(const Operator& op);
bool has_split_tables(const Workload& workload);

/// The workload of one GPU: its large tables have no parameters to reduce or to update as a whole.
Workload with_split_tables(Workload workload);

/// Whether large tables are split: the workload has some, and `spec` does not copy them.
bool splits_tables(const TrainingSpec& spec);

/// The exchanges of one step: vectors to the samples, gradients back.
struct TableExchange {
  Bytes vectors{0};       ///< of the samples of one GPU, one way
  Bytes sent_by_node{0};  ///< to other nodes, both ways
  Duration inside{0};     ///< nodes
  Duration between{0};    ///< nodes
  double log_sigma = 0;
  [[nodiscard]] Duration time() const { return inside + between; }
};
/// `workload` as it was before with_split_tables().
TableExchange table_exchange(const Cluster& cluster, const CommSpec& comm, const Workload& workload,
                             double batch_per_gpu, Precision precision);

/// simulate_training(), with the large tables split unless the spec has them copied. The exchange of vectors
/// is behind the simulated step, in closed form, while samples go on coming; into a trace go steps simulated
/// with it.
TrainingRun train(const Cluster& cluster, TrainingSpec spec, Tracer* tracer = nullptr);

}  // namespace rackcast
