#pragma once
/// The server of a language model that a case describes.
#include "models/collectives/comm_model.hpp"
#include "models/serving/token_generation.hpp"
#include "scenarios/validation/predict/predictor.hpp"

namespace rackcast {

struct ServerOfCase {
  TransformerShape shape;
  FrameworkProfile profile;
  const Cluster* cluster = nullptr;
  const GpuCostModel* gpu = nullptr;
  CommSpec comm;
  GenerationSpec spec;  ///< split, lengths, precision, habits and memory; as many requests as fit

  [[nodiscard]] int gpus() const { return spec.tensor * spec.pipeline * spec.replicas; }
  [[nodiscard]] GenerationPasses passes(std::optional<int> requests = {}) const;
};

/// `split` says how the network is cut: the case's own parallelism, or that of the GPUs that read prompts or
/// write answers. Throws Unpredictable.
ServerOfCase server_of_case(PredictionContext& context, const ValidationCase& c, const Json& split,
                            double prompt, double output);

}  // namespace rackcast
