#pragma once
/// Device memory that training takes on one GPU, and the largest batch that fits.
///
/// state        fp32 weights, gradients and optimizer state: one value per parameter for momentum, two for
///              Adam. 16-bit runs keep 16-bit copies of weights and gradients besides (Micikevicius et al.,
///              "Mixed Precision Training", ICLR 2018). What ZeRO shards of them: StateBytes.
/// activations  what the backward pass needs (models/README.md, "What is kept"), for the whole batch, and the
///              logits' copies in the loss (TrainerMemory::logit_bytes), which are there when all of it is.
/// workspace    scratch of the largest convolution: its unrolled input, at most the frameworks' limit.
/// tables       a GPU's part of large embedding tables that are split: fp32 rows and what the optimizer
///              keeps for each value of them (`"optimizer"` in the workload's file). Their gradients are
///              sparse, of the rows that the batch looked up, and written at once.
/// reserve      driver context and loaded kernels (models/data/host/gpu_memory.json).
/// graph        a framework that runs the network as a graph keeps what composed operators need besides, and
///              gradients only from the operator that makes them to the update (GraphMemory). The peak is the
///              largest of all points of the backward pass: activations that are still to be read and
///              gradients made so far; or the update, when all gradients and its temporaries are there.
/// update       where updated shards of weights are gathered through a flat copy (ZeRO's first stage by
///              torch.distributed's coalesced all-gather), that copy of the 16-bit weights and of the own
///              shard. Activations are gone.
/// buffers      of a split network: for gathered sequences, and the scratch of matrix products.
/// unusable     of a split network: results that wait for sums over GPUs, gaps of the allocator.
///
/// The reserve of a split network holds the buffers of its communicators, too. Gaps of the allocator of a
/// network that every GPU has whole are not in it (a few per cent).
#include <algorithm>
#include <limits>
#include <optional>

#include "models/memory/split_memory.hpp"
#include "models/networks/operator.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

enum class Optimizer { momentum, adam };

/// What the papers and reference scripts of a network train it with: Adam or a relative where it has
/// attention, else gradient descent with momentum.
Optimizer usual_optimizer(const Workload& workload);

enum class StageAsked { most, first, last };

struct MemoryOptions {
  double batch = 1;  ///< samples on this GPU; 0: the part that does not grow with it. A mesh has its own.
  Precision precision = Precision::fp32;
  Optimizer optimizer = Optimizer::momentum;
  bool fused_attention = false;  ///< flash attention keeps no scores
  /// Scratch that the framework lets one convolution use (its profile), where that is less than usual.
  Bytes workspace{std::numeric_limits<double>::infinity()};
  /// A network split over GPUs (models/split/split_training.hpp), whose activations are those of
  /// models/memory/split_memory.hpp. Absent: each GPU has all of the network.
  std::optional<Mesh> mesh = std::nullopt;
  TrainerMemory trainer = {};
  /// Of a split network, the GPU that is asked about: that of the stage that needs most, or of one end of the
  /// pipeline.
  StageAsked stage = StageAsked::most;
  bool wide_gradients = false;  ///< 16-bit runs add gradients up in 32 bits and keep no others
  /// GPUs over which large embedding tables are split (models/split/split_tables.hpp); 0: each has them
  /// whole.
  double table_ways = 0;
};

/// Of each trained parameter. With d GPUs in a shard group and Adam, ZeRO's first stage (Megatron-Core's
/// distributed optimizer) leaves on a GPU
///
///     16-bit weights and gradients   2 + 2 + (4 + 4 + 8) / d bytes
///     gradients added up in 32 bits  2 + 4 + (4 + 8) / d
///     all in 32 bits                 4 + 4 + 8 / d
///
/// (NVIDIA, Megatron Core developer guide, "Distributed Optimizer": theoretical memory per parameter).
struct StateBytes {
  Bytes weights{0}, gradients{0};                        ///< sharded from stage 3 and stage 2 on
  Bytes main_weights{0}, main_gradients{0}, moments{0};  ///< the optimizer's, sharded from stage 1 on
  [[nodiscard]] Bytes total() const { return weights + gradients + main_weights + main_gradients + moments; }
};
StateBytes state_bytes(Precision precision, Optimizer optimizer, bool wide_gradients);

struct MemoryUse {
  Bytes weights{0}, gradients{0}, optimizer{0}, tables{0}, activations{0}, workspace{0}, reserve{0};
  Bytes update{0};  ///< temporaries of the update, when activations are gone
  Bytes buffers{0}, unusable{0};
  [[nodiscard]] Bytes states() const { return weights + gradients + optimizer + tables; }
  /// What the framework's allocator has given out at most.
  [[nodiscard]] Bytes allocated() const {
    return states() + buffers + std::max(activations, update) + workspace;
  }
  /// What the allocator has taken from the driver.
  [[nodiscard]] Bytes reserved() const { return allocated() + unusable; }
  [[nodiscard]] Bytes total() const { return reserved() + reserve; }
};

/// Spread of ln(measured / computed) of the memory of a split network, and of what the allocator has given
/// out to one that a GPU has whole (models/data/host/gpu_memory.json, which names the cases that they were
/// taken from).
struct MemorySpread {
  double states = 0, reserved = 0, allocated = 0;
  double whole = 0;
};
MemorySpread memory_spread();

/// Odds, from 0 to 1, that a split network fits `available`: `computed` is spread log-normally.
double odds_of_fit(Bytes computed, Bytes available);

/// Somebody who looks for the largest batch tries some only: the largest that is reported is at least the
/// largest that fits divided by this.
double tried_batches();

/// Throws Error if the batch is negative, or the network cannot be split so.
MemoryUse training_memory(const Workload& workload, const MemoryOptions& options);

/// Large embedding tables in all, with their optimizer's state: what a checkpoint holds of them, too.
Bytes table_memory(const Workload& workload);

/// The least GPUs whose parts of the tables fit `available` beside everything else; nothing where the rest
/// alone does not fit.
std::optional<double> gpus_for_tables(const Workload& workload, MemoryOptions options, Bytes available);

/// The least GPUs, whole replicas of a split network, over which the states that ZeRO shards fit `available`
/// beside everything else; nothing where no number does. From two replicas on nothing grows with
/// their number, so more GPUs hold it too. Tables in parts are not counted on (gpus_for_tables()).
std::optional<double> gpus_for_states(const Workload& workload, MemoryOptions options, Bytes available);

/// The largest whole batch whose memory is within `available`; 0 if not even one sample fits.
double largest_batch(const Workload& workload, MemoryOptions options, Bytes available);

/// Device memory of answering requests in batches: weights in the precision, the two largest neighbours of
/// activations for the batch (a result and what it is made of; the others are freed on the way), workspace
/// and reserve. Throws Error if the batch is negative.
Bytes serving_memory(const Workload& workload, double batch, Precision precision);

}  // namespace rackcast
