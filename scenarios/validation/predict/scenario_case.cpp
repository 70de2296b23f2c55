/// Cases that are asked as scenarios (scenarios/validation/cases/to_scenario.hpp).
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/validation/cases/open_settings.hpp"
#include "scenarios/validation/cases/to_scenario.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

PredictedFigure answer_of(PredictionContext& context, const ValidationCase& c) {
  const std::string text = to_scenario(context.catalog(), c);
  const Scenario scenario = resolve_clusters(read_scenario(parse_json(text, c.id), c.id), context.catalog());
  const Question q = question(scenario, scenario.workloads.front());
  const AskedFigure asked = asked_figure(c);
  const Prediction prediction = context.evaluator().predict(q);
  const Estimate& estimate = prediction.*asked.figure;
  PredictedFigure out{.value = estimate.value, .low = estimate.low, .high = estimate.high};
  out.binds = context.evaluator().run(q).binds;
  return scaled(std::move(out), asked.units);
}

/// The rule of a case that a scenario cannot say.
PredictedFigure by_own_rule(PredictionContext& context, const ValidationCase& c) {
  if (c.metric.starts_with("tokens")) return predict_tokens(context, c);
  if (c.metric == "step_time_s") return predict_step_time(context, c);
  if (c.metric == "time_to_train_s" || c.metric == "epoch_time_s") return predict_epochs(context, c);
  return predict_throughput(context, c);
}

}  // namespace

std::string shown_scenario(const Catalog& catalog, const ValidationCase& c) {
  const auto refuse = [&c](const std::string& why) {
    throw Error{"no scenario says case \"" + c.id + "\": " + why, Where{.file = c.file, .line = c.line},
                "`rackcast validate --only` predicts it by a rule of its own"};
  };
  if (!c.unreadable.empty()) refuse(c.unreadable);
  if (member_in(c.json, "compared_with")) refuse("its figure is a ratio of two runs");
  if (text_in(c.json, "length_from")) refuse("the length of its run is that of another case");
  std::string out;
  try {
    for (const ValidationCase& variant : usual_variants(c)) out += to_scenario(catalog, variant);
  } catch (const Unsayable& u) {
    refuse(u.reason);
  } catch (const Unpredictable& u) {
    refuse(u.reason);
  }
  return out;
}

PredictedFigure predict_training(PredictionContext& context, const ValidationCase& c) {
  try {
    return answer_of(context, c);
  } catch (const Unsayable&) {
    return by_own_rule(context, c);
  }
}

}  // namespace rackcast
