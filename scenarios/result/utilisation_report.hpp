#pragma once
/// Tokens per second and shares of the peak of a trained language model.
#include <optional>

#include "scenarios/result/result.hpp"

namespace rackcast {

class Evaluator;
struct Question;

/// With the interval of `prediction`. Nothing for a network that is no language model, and no shares where
/// the GPU has no unit for the precision.
std::optional<Utilisation> utilisation(Evaluator& evaluator, const Question& question,
                                       const Prediction& prediction);

}  // namespace rackcast
