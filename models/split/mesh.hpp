#pragma once
/// Mesh: the way in which a training job is split over its GPUs (tensor, pipeline, context, data, experts).
/// The scenario states it; memory, step and checkpoints follow from it.
///
/// GPUs are numbered tensor first, then context, then data, then pipeline (D. Narayanan et al., "Efficient
/// large-scale language model training on GPU clusters using Megatron-LM", SC 2021, section 3). The GPUs that
/// share experts are neighbours within a stage, across its tensor-parallel groups and replicas.
#include <algorithm>
#include <optional>
#include <string>

#include "models/networks/recomputation.hpp"
#include "models/split/pipeline_schedule.hpp"

namespace rackcast {

/// Large embedding tables of a recommender (models/split/split_tables.hpp).
enum class TablePlacement { split, copied };

struct Mesh {
  int tensor = 1;      ///< GPUs that share each layer
  int pipeline = 1;    ///< stages, each with a part of the layers
  int interleave = 1;  ///< parts of the network that each stage holds
  int context = 1;     ///< GPUs that share a sequence, each with its part of the tokens
  int expert = 1;      ///< GPUs that share the experts of a layer (models/split/expert_parallel.hpp)
  /// Replicas, each with sequences of its own. It follows from the number of GPUs: on_gpus().
  int data = 1;
  double micro_batch = 1;    ///< sequences
  double micro_batches = 1;  ///< of one replica in a step; 0 for memory: as many as fill the pipeline
  Recomputation recompute = Recomputation::none;
  int zero_stage = 0;  ///< what is sharded over the GPUs with the same weights: nothing, optimizer states,
                       ///< gradients as well, weights as well
  /// GPUs over which it is sharded, neighbours among those with the same weights; other such groups hold the
  /// same. 0: all of them.
  int shard_group = 0;
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  /// Gradients leave beside the last backward pass; absent: as the framework's recipes have it.
  std::optional<bool> overlap_gradients = {};
  /// Outside attention and MLP the tensor-parallel GPUs hold a part of the sequence each; absent: as the
  /// framework's recipes have it.
  std::optional<bool> sequence_parallel = {};
  /// ZeRO's third stage gathers weights tensor by tensor and hides nothing, as DeepSpeed does
  /// (models/split/listed_shards.hpp); else layer by layer, one layer ahead of the kernels.
  bool gathers_tensors = false;
  std::optional<TablePlacement> tables = {};  ///< of a network that is no transformer, which has no other cut

  /// GPUs of one replica.
  [[nodiscard]] int gpus() const { return tensor * pipeline * context; }
  /// GPUs that hold the same weights, and sum their gradients.
  [[nodiscard]] int copies() const { return data * context; }
  /// GPUs over which states are sharded, and how many such groups hold the same.
  [[nodiscard]] int shards() const { return shard_group > 0 ? std::min(shard_group, copies()) : copies(); }
  [[nodiscard]] int shard_sets() const { return copies() / shards(); }
  /// GPUs of one stage of the pipeline, of all replicas.
  [[nodiscard]] int stage_gpus() const { return tensor * copies(); }
  /// Sequences that one replica processes in a step.
  [[nodiscard]] double batch() const { return micro_batch * micro_batches; }
  friend bool operator==(const Mesh&, const Mesh&) = default;
};

/// The mesh of a job of `gpus` GPUs, with its replicas. Throws Error where they are no whole number, or the
/// GPUs of a stage cannot be dealt out to the experts, or those with the same weights to shard groups.
Mesh on_gpus(Mesh mesh, int gpus);

/// The mesh for `gpus` GPUs: as asked if they are a multiple of a replica, else with fewer pipeline stages,
/// else with fewer GPUs to a layer. So the small sizes that a report compares, down to one GPU, have a time
/// even where the network would not fit into their memory.
Mesh fitting(Mesh asked, int gpus);

/// The number that divides the GPUs of any job with this mesh.
int gpu_unit(const Mesh& mesh);

/// "tensor 8 x pipeline 4, context 2, 8 GPUs to the experts": the cut for people.
std::string split_text(const Mesh& mesh);

/// The same with micro-batches, what is sharded and what is computed again: "tensor 8 x pipeline 4,
/// micro-batch 2, ZeRO 1, selective recomputation".
std::string recipe_text(const Mesh& mesh);

}  // namespace rackcast
