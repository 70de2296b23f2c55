#pragma once
/// The batch of all GPUs together, and what it means for each of them: "global_batch" of a workload.
///
/// A workload that states it keeps it on any number of GPUs. What a GPU takes follows: with "batch_per_gpu"
/// as well, gradients of several passes of that size are added up before an exchange; of a split network, the
/// number of micro-batches of a replica. A workload that states the batch of one GPU alone takes more samples
/// in a step with every GPU.
#include <optional>
#include <string>

#include "scenarios/document/form/reason.hpp"
#include "sim/base/error.hpp"

namespace rackcast {

class Json;
struct Workload;
struct WorkloadSpec;

/// In samples, or of a language model in tokens. One of them is 0.
struct GlobalBatch {
  double samples = 0, tokens = 0;
  Where where;
};

/// 4096 (samples), or {"tokens": 4194304}. Throws Error at the place of anything else.
GlobalBatch read_global_batch(const Json& json);

/// Its samples. Throws Error if it counts tokens that are no whole number of them.
double sequences_of(const GlobalBatch& batch, const Workload& network);

/// The workload with its global batch divided over `gpus` GPUs: it states the batch of one GPU, and no global
/// batch. Unchanged if it states no global batch. Throws Error at the global batch if it does not divide
/// evenly, or if it counts tokens and `network` has none. A split that is searched has been found before
/// (Evaluator::with_split).
WorkloadSpec on_gpus(const WorkloadSpec& spec, const Workload& network, int gpus);

/// Whether the global batch divides evenly over `gpus` GPUs; true if the workload states none.
bool deals_evenly(const WorkloadSpec& spec, const Workload& network, int gpus);

/// The global batch, in samples, beyond which a larger one is known not to train faster; nothing if the
/// workload does not state it.
std::optional<double> largest_useful_batch(const WorkloadSpec& spec);

/// "131,072 samples (134,217,728 tokens)".
std::string batch_text(const Workload& network, double samples);

/// How the batch of a step follows from `gpus`, whether it grows with them, and the largest useful batch.
/// `asked` is the workload as the scenario states it.
doc::Reason batch_reason(const WorkloadSpec& asked, const Workload& network, double samples, int gpus);

}  // namespace rackcast
