#pragma once
/// A training case, asked as the scenario that it is.
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/validation/predict/predictor.hpp"

namespace rackcast {

/// The question of the case's scenario. Throws Unsayable or Unpredictable as to_scenario() does.
Question question_of_case(PredictionContext& context, const ValidationCase& c);

/// A question and its answer.
struct ScenarioRun {
  Question question;
  Prediction prediction;
  TrainingRun training;
  double gpus = 1;

  /// Samples per second, with the interval of the answer.
  [[nodiscard]] PredictedFigure rate() const;
};
ScenarioRun run_scenario(PredictionContext& context, const ValidationCase& c);

}  // namespace rackcast
