#pragma once
/// Sums over the GPUs of a tensor-parallel group by kernels that read the other GPUs' memory themselves, in
/// the place of a communication library's rings: what servers of language models do with the short sums of a
/// token (vLLM, csrc/custom_all_reduce.cuh; TensorRT-LLM, customAllReduceKernels.cu).
///
/// Each GPU reads what the n - 1 others have and adds it up ("one shot"), or adds up its part alone and then
/// fetches the other parts ("two shots"); the faster of
///
///     start1 + (n - 1) payload / (share * links)      start2 + 2 (n - 1) / n payload / (share * links)
///
/// with links the rate of a GPU's links in one direction. Tokens go to their experts and back in the same way
/// (DeepEP, "low-latency kernels", github.com/deepseek-ai/DeepEP): every GPU writes a copy of a token for
/// each expert that the token chose, in
///
///     start + (n - 1) / n copies / (share * links)
///
/// Constants: models/data/host/serving.json.
/// Assumed: NVSwitches, so that every GPU reaches every other at its full rate.
#include <optional>

#include "sim/units/quantity.hpp"

namespace rackcast {

struct Cluster;

/// Time of a sum of `payload` over all ranks of the cluster. Nothing if the ranks are not behind the
/// NVSwitches of one node, or if `payload` is larger than servers use these kernels for.
std::optional<Duration> direct_sum_time(const Cluster& group, Bytes payload);

/// Time of an exchange among all ranks of the cluster, in which each rank sends `copies` bytes, all copies
/// counted. Nothing if the ranks are not behind the NVSwitches of one node.
std::optional<Duration> direct_exchange_time(const Cluster& group, Bytes copies);

}  // namespace rackcast
