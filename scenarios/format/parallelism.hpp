#pragma once
/// The split of a transformer, or of the tables of a recommender, over GPUs: "parallelism" of a workload.
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "models/memory/memory.hpp"
#include "models/split/mesh.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

struct FrameworkProfile;
struct WorkloadSpec;

/// What a search over splits may choose.
enum class SplitKey : std::uint8_t {
  tensor,
  pipeline,
  interleave,
  schedule,
  context,
  expert,
  micro_batch,
  zero_stage,
  recompute
};
inline constexpr std::array<std::string_view, 9> split_key_names{"tensor",      "pipeline",   "interleave",
                                                                 "schedule",    "context",    "expert",
                                                                 "micro_batch", "zero_stage", "recompute"};

/// "parallelism": "auto", or {"auto": true} with what is not searched. The fixed values stand in the
/// workload's mesh.
struct AutoSplit {
  Where where;
  std::array<std::optional<Where>, split_key_names.size()> fixed = {};  ///< the places of stated keys

  [[nodiscard]] bool fixes(SplitKey key) const { return fixed[static_cast<std::size_t>(key)].has_value(); }
  [[nodiscard]] Where place(SplitKey key) const {
    return fixed[static_cast<std::size_t>(key)].value_or(where);
  }
};

/// Reads "parallelism" of a workload, if it has one: a mesh, tables, or a search over meshes. "global_batch"
/// and "exchange" have been read. Throws Error like read_parallelism(), and for what a split leaves no place
/// for.
void read_workload_split(ObjectReader& in, WorkloadSpec& out);

/// Throws Error if the split of the workload is searched, for a scenario that lists splits.
void refuse_listed_splits(const WorkloadSpec& workload);

/// {"tensor": 8, "pipeline": 4, "interleave": 2, "schedule": "1f1b", "context": 2, "expert": 16,
/// "micro_batch": 1, "micro_batches": 64, "zero_stage": 1, "overlap_gradients": true, "recompute":
/// "selective", "sequence_parallel": true, "gather": "tensors"}, all optional;
/// "recompute" may be true or false as well, for "full" and "none". Or {"tables": "copied"} alone. Throws
/// Error at the place of a number out of range or a combination that has no model.
Mesh read_parallelism(const Json& json);

/// true, false, or one of recomputation_names. Throws Error at its place.
Recomputation read_recomputation(const Json& json);

/// Throws Error at `where` unless the schedule of the mesh takes a step of so many micro-batches.
void check_micro_batches(const Mesh& mesh, double micro_batches, const Where& where);

/// Throws Error at the workload unless `ranks` is a multiple of its split, as the size of a given cluster
/// must be, and its schedule takes the micro-batches of a step.
void check_split(const WorkloadSpec& workload, int ranks);

/// The number that divides the GPUs of any job of this workload (see check_split()); 1 without a split.
int split_unit(const WorkloadSpec& workload);

/// What training keeps in the memory of each GPU, for a job of `ranks` GPUs.
MemoryOptions memory_options(const WorkloadSpec& spec, const Workload& workload,
                             const FrameworkProfile& framework, int ranks);

}  // namespace rackcast
