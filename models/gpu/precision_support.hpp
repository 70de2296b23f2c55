#pragma once
/// In which precisions a GPU trains, answers requests and generates tokens: models/data/precisions.json says
/// which rate each takes, and the GPU's file of the catalogue which rates it has.
#include <string>
#include <string_view>
#include <vector>

#include "models/networks/operator.hpp"

namespace rackcast {

struct GpuRates;

enum class PrecisionUse {
  training,
  inference,   ///< batches of requests, one pass each
  generation,  ///< tokens of a language model, one after the other
};

/// In the order of the enum.
std::vector<Precision> supported_precisions(const GpuRates& gpu, PrecisionUse use);
/// What any GPU supports.
std::vector<Precision> known_precisions(PrecisionUse use);

bool supports(const GpuRates& gpu, Precision precision, PrecisionUse use);

/// "fp32, fp16, mixed".
std::string names_of(const std::vector<Precision>& precisions);

/// Why `gpu`, which people call `title`, does not do it: "Tesla V100 has no bf16 for training". Hint: what it
/// supports instead.
struct PrecisionRefusal {
  std::string message, hint;
};
PrecisionRefusal precision_refusal(const GpuRates& gpu, std::string_view title, Precision precision,
                                   PrecisionUse use);

}  // namespace rackcast
