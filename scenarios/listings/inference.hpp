#pragma once
/// Inference on one GPU: latency and throughput by batch and precision, and the load that it serves within a
/// latency.
#include <optional>
#include <string>

#include "sim/units/quantity.hpp"

namespace rackcast {

class Catalog;

struct InferenceQuestion {
  std::string model, gpu;
  std::string framework = "tensorrt";
  int max_batch = 128;
  std::optional<Frequency> rate;          ///< requests per second that arrive
  std::optional<Duration> latency_limit;  ///< for the 99th percentile
  std::uint64_t seed = 1;
};

/// A table document: forward passes at batch 1, 2, 4 … max_batch in fp32, fp16 and int8 as far as the GPU has
/// them; with `rate` the latency percentiles under that load, with `latency_limit` the highest load within
/// it. Throws Error for unknown names or numbers out of range.
std::string explain_inference(const Catalog& catalog, const InferenceQuestion& question);

}  // namespace rackcast
