#pragma once
/// Why GPUs together do more than as many single ones.
#include <optional>
#include <vector>

#include "scenarios/evaluate/evaluator.hpp"

namespace rackcast {

struct ScalingRow;

/// The row with the highest efficiency, and the part of its step that is shorter than on one GPU with the
/// same work, where the efficiency is above 1 by more than rounding in print; else nothing. Nothing of one
/// GPU is shared, so such an efficiency has a cause that a reader must be told.
std::optional<doc::Reason> superlinear_note(Evaluator& evaluator, const Question& question,
                                            const std::vector<ScalingRow>& rows);

}  // namespace rackcast
