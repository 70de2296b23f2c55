/// Cases that are asked as scenarios (scenarios/validation/cases/to_scenario.hpp).
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/validation/cases/to_scenario.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "scenarios/validation/predict/scenario_run.hpp"
#include "scenarios/validation/settings/open_settings.hpp"
#include "sim/base/error.hpp"

namespace rackcast {

PredictedFigure ScenarioRun::rate() const {
  const Estimate& rate = prediction.samples_per_s;
  return {.value = rate.value, .low = rate.low, .high = rate.high, .binds = training.binds};
}

Question question_of_case(PredictionContext& context, const ValidationCase& c) {
  const std::string text = to_scenario(context.catalog(), c);
  const Scenario scenario = resolve_clusters(read_scenario(parse_json(text, c.id), c.id), context.catalog());
  return question(scenario, scenario.workloads.front());
}

ScenarioRun run_scenario(PredictionContext& context, const ValidationCase& c) {
  ScenarioRun out;
  out.question = question_of_case(context, c);
  Evaluator& evaluator = context.evaluator();
  out.prediction = evaluator.predict(out.question, false);
  out.training = evaluator.run(out.question);
  out.gpus = out.training.ranks;
  return out;
}

std::string shown_scenario(const Catalog& catalog, const ValidationCase& c) {
  const auto refuse = [&c](const std::string& why) {
    throw Error{"no scenario says case \"" + c.id + "\": " + why, Where{.file = c.file, .line = c.line},
                "`rackcast validate --only` predicts it by a rule of its own"};
  };
  if (!c.unreadable.empty()) refuse(c.unreadable);
  if (text_in(c.json, "length_from")) refuse("the length of its run is that of another case");
  std::string out;
  try {
    for (const ValidationCase& variant : usual_variants(c)) out += to_scenario(catalog, variant);
    if (const Json* changes = member_in(c.json, "compared_with"))
      for (const ValidationCase& variant : usual_variants(with_settings(c, *changes)))
        out += to_scenario(catalog, variant);
    if (const auto other = slower_run(c)) out += to_scenario(catalog, *other);
  } catch (const Unsayable& u) {
    refuse(u.reason);
  } catch (const Unpredictable& u) {
    refuse(u.reason);
  }
  return out;
}

PredictedFigure predict_training(PredictionContext& context, const ValidationCase& c) {
  const AskedFigure asked = asked_figure(c);
  const ScenarioRun run = run_scenario(context, c);
  const Estimate out = asked.of(run.prediction);
  return {.value = out.value, .low = out.low, .high = out.high, .binds = run.training.binds};
}

}  // namespace rackcast
