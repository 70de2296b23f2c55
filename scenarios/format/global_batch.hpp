#pragma once
/// The batch of all GPUs together, and what it means for each of them: "global_batch" of a workload.
///
/// A workload that states it keeps it on any number of GPUs. What a GPU takes follows: with "batch_per_gpu"
/// as well, gradients of several passes of that size are added up before an exchange; of a split network, the
/// number of micro-batches of a replica. A workload that states the batch of one GPU alone takes more samples
/// in a step with every GPU.
#include <optional>
#include <string>

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

/// The workload with the batch of each GPU that its global batch gives on so many of them, and no global
/// batch; unchanged where it states none. Throws Error at the global batch where it cannot be dealt out
/// evenly, or where it is in tokens and `network` takes none.
WorkloadSpec on_gpus(const WorkloadSpec& spec, const Workload& network, int gpus);

/// Whether on_gpus() deals it out evenly.
bool deals_evenly(const WorkloadSpec& spec, const Workload& network, int gpus);

/// Samples beyond which more in a step are known not to train faster; nothing where the workload does not
/// say.
std::optional<double> largest_useful_batch(const WorkloadSpec& spec);

/// "131,072 samples (134,217,728 tokens)".
std::string batch_text(const Workload& network, double samples);

/// How the batch of a step comes about on so many GPUs, whether it grows with them, and the largest useful
/// one. `asked` is the workload as the scenario has it.
std::string batch_origin(const WorkloadSpec& asked, const Workload& network, double samples, int gpus);

}  // namespace rackcast
