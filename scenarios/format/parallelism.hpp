#pragma once
/// How a scenario splits a transformer, or the tables of a recommender, over GPUs: "parallelism" of a
/// workload.
#include <optional>
#include <string>

#include "models/memory/memory.hpp"
#include "models/networks/recomputation.hpp"
#include "models/split/pipeline_schedule.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

struct FrameworkProfile;
struct SplitSpec;
struct WorkloadSpec;

/// Large embedding tables of a recommender (models/split/split_tables.hpp).
enum class TablePlacement { split, copied };

struct ParallelSpec {
  int tensor = 1, pipeline = 1, interleave = 1;
  int context = 1;     ///< GPUs that share a sequence
  int expert = 1;      ///< GPUs that share the experts of a layer, across tensor parallelism and replicas
  int zero_stage = 0;  ///< states sharded over the replicas
  int micro_batch = 1, micro_batches = 1;
  Recomputation recompute = Recomputation::none;
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  /// Gradients leave beside the last backward pass; absent: as the framework's recipes have it.
  std::optional<bool> overlap_gradients;
  /// Outside attention and MLP the tensor-parallel GPUs hold a part of the sequence each; absent: as the
  /// framework's recipes have it.
  std::optional<bool> sequence_parallel;
  std::optional<TablePlacement> tables;  ///< of a network that is no transformer; then nothing else is given

  /// GPUs of one copy of the weights, and those that work on the same sequences.
  [[nodiscard]] int ways() const { return tensor * pipeline; }
  [[nodiscard]] int gpus() const { return ways() * context; }
  /// Sequences that one replica processes in a step.
  [[nodiscard]] double batch() const { return static_cast<double>(micro_batch) * micro_batches; }
};

/// {"tensor": 8, "pipeline": 4, "interleave": 2, "schedule": "1f1b", "context": 2, "expert": 16,
/// "micro_batch": 1, "micro_batches": 64, "zero_stage": 1, "overlap_gradients": true, "recompute":
/// "selective", "sequence_parallel": true}, all optional;
/// "recompute" may be true or false as well, for "full" and "none". Or {"tables": "copied"} alone. Throws
/// Error at the place of a number out of range or a combination that has no model.
ParallelSpec read_parallelism(const Json& json);

/// Throws Error at the workload unless `ranks` is a multiple of its split, as the size of a given cluster
/// must be.
void check_split(const WorkloadSpec& workload, int ranks);

/// The number that divides the GPUs of any job of this workload (see check_split()); 1 without a split.
int split_unit(const WorkloadSpec& workload);

/// "tensor 8 x pipeline 4, context 2, 8 GPUs to the experts": the split for people.
std::string split_text(const ParallelSpec& spec);

/// The split for `ranks` GPUs: as asked if they are a multiple of it, else with fewer pipeline stages, else
/// with fewer GPUs to a layer. So the small sizes that a report compares, down to one GPU, have a time even
/// where the network would not fit into their memory.
ParallelSpec fitting(ParallelSpec asked, int ranks);

/// The same split as the step model takes it.
SplitSpec split_spec(const WorkloadSpec& workload, int ranks);

/// What training keeps in the memory of each GPU, for a job of `ranks` GPUs.
MemoryOptions memory_options(const WorkloadSpec& spec, const Workload& workload,
                             const FrameworkProfile& framework, int ranks);

}  // namespace rackcast
