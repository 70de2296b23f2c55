#pragma once
/// A step that rackcast has modelled, in the form of a recorded one: for other simulators, and to be
/// replayed.
///
/// One file stands for all ranks that do the same: of data-parallel training the slowest rank, of a pipeline
/// the first rank of each stage. Kernels follow each other in their order; their times hold the waits for the
/// host. Of data-parallel training each kernel has its operations and bytes; of a split network a node is a
/// layer of a stage, or its half where GPUs share the layer and sum twice.
///
/// Not in a record: the input path, saves, what collectives take from the kernels beside them. Without a
/// record: parameter servers and other exchanges than all-reduce, compressed gradients, split tables and
/// layers, and of split networks context and expert parallelism, shard groups and weights gathered tensor by
/// tensor.
#include "models/recorded/recorded_step.hpp"
#include "models/split/mesh.hpp"
#include "models/split/split_graph.hpp"
#include "models/step/training.hpp"

namespace rackcast {

/// The step of each of `ranks`. Throws Error for what has no record.
RecordedStep record_of_training(const TrainingSpec& spec, int ranks);

/// The step of a network split by `mesh`, with its replicas; `local`: ranks of a node. Throws Error for what
/// has no record.
RecordedStep record_of_split(const SplitWork& work, const Mesh& mesh, int local);

}  // namespace rackcast
