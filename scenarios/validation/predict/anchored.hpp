#pragma once
/// The smallest configuration of each series taken as measured, and the others predicted conditioned on it:
/// what an owner gains who measures one small run (`validate --anchor smallest`).
///
/// Trainings are asked as scenarios whose evaluator has learnt the anchor's run. All other figures, and
/// trainings whose software differs from that of the anchor in settings that no scenario says, are moved by
/// the same update (scenarios/measured/posterior.hpp) on one factor for the whole figure.
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/validation/predict/predictor.hpp"

namespace rackcast {

/// For each case its anchor: the case with the fewest GPUs among those of its series with the same system,
/// network, framework, precision and family of metrics; of equals the one with the smallest batch, then the
/// first id. A case that is its own anchor stands for itself. Nothing: its metric is neither a rate nor a
/// time, or its group holds no anchor. `usable`: cases that are predicted and measured.
std::vector<std::optional<std::size_t>> choose_anchors(std::span<const ValidationCase> cases,
                                                       const std::vector<bool>& usable);

/// `figure`, predicted without it, conditioned on what the anchor measured. Never throws for what cases hold.
PredictedFigure predict_anchored(PredictionContext& context, const ValidationCase& c,
                                 const PredictedFigure& figure, const ValidationCase& anchor,
                                 const PredictedFigure& of_anchor);

}  // namespace rackcast
