#pragma once
/// Large embedding tables split over GPUs, everything else trained data-parallel (M. Naumov et al., "Deep
/// Learning Recommendation Model", arXiv:1906.00091, section 4).
///
/// Each GPU holds a part of the large tables and looks up its part for the whole batch, which is the work of
/// all tables for its own share of the batch. An exchange of all with all gives every GPU the vectors of its
/// samples, another the gradients back to the tables' owners, which write them into the rows that were looked
/// up; nothing of these tables is reduced or updated as a whole. Features are taken as spread evenly, as
/// sharding planners try to do, and nothing of the two exchanges as hidden. Between nodes an exchange has two
/// stages: inside the node to the GPU of the right rail, then along the rails (HugeCTR's
/// IB_NVLink_Hierarchical). Not in it: copies of the frequent
/// rows of large tables on every GPU (HugeCTR's hybrid embedding), which spare a part of the exchange.
///
/// One GPU holds all tables and exchanges nothing; its gradients are as sparse.
#include "models/step/training.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

struct CommSpec;

/// Of one embedding operator that frameworks split: more than a billion parameters, 4 GB.
bool is_split_table(const Operator& op);
bool has_split_tables(const Workload& workload);

/// What one GPU runs: large tables have no parameters to reduce or to sweep over.
Workload with_split_tables(Workload workload);

/// Large tables, as long as `spec` does not have them copied.
bool splits_tables(const TrainingSpec& spec);

/// One step, both ways.
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
