// A case that a scenario can say is predicted as `simulate` answers that scenario.
#include <doctest/doctest.h>

#include <string>

#include "scenarios/answer/planner.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/validation/cases/case_loader.hpp"
#include "scenarios/validation/cases/to_scenario.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "sim/base/error.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

/// Empty where a scenario cannot say the case, or the case leaves out what every prediction needs.
std::string scenario_of(const ValidationCase& c) {
  try {
    return c.unreadable.empty() ? to_scenario(catalog(), c) : "";
  } catch (const Unsayable&) {
  } catch (const Unpredictable&) {
  }
  return "";
}

Estimate simulated(const ValidationCase& c, const std::string& text) {
  const Result result = simulate(read_scenario(parse_json(text, c.id), c.id), catalog(), nullptr, {});
  const AskedFigure asked = asked_figure(c);
  Estimate out = result.workloads.front().prediction.*asked.figure;
  for (double* value : {&out.value, &out.low, &out.high}) *value *= asked.units;
  return out;
}

ValidationCase one_gpu(const std::string& extra, const std::string& workload = "") {
  return parse_cases(R"({"id":"a","series":"s/x","system":{"gpu":"p100_sxm2","gpus":1},"workload":{
    "model":"resnet50","task":"training","batch_per_gpu":32,"precision":"fp32",
    "framework":{"name":"mxnet"},"extra":{)" +
                         extra + "}" + workload + R"(},"measured":{"metric":"images_per_s","value":200}})",
                     "f.json")
      .at(0);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("simulate answers the scenario of a case with the number and the interval of validate") {
  PredictionContext context{catalog()};
  int compared = 0;
  for (const ValidationCase& c : load_cases(std::string{RACKCAST_SOURCE_DIR} + "/tests/validation/cases")) {
    if (member_in(c.json, "usual") || member_in(c.json, "compared_with")) continue;
    const std::string text = scenario_of(c);
    if (text.empty()) continue;
    const PredictionOutcome outcome = predict_case(context, c);
    if (!outcome.figure) continue;
    ++compared;
    const Estimate answer = simulated(c, text);
    CHECK_MESSAGE(outcome.figure->value == doctest::Approx(answer.value).epsilon(1e-12), c.id);
    CHECK_MESSAGE(outcome.figure->low == doctest::Approx(answer.low).epsilon(1e-12), c.id);
    CHECK_MESSAGE(outcome.figure->high == doctest::Approx(answer.high).epsilon(1e-12), c.id);
  }
  CHECK(compared > 350);
}

TEST_CASE("the scenario of a case says what the case says") {
  const std::string text =
      scenario_of(one_gpu(R"("cudnn":"5.1","includes_optimizer":false,"layout":"nhwc")"));
  CHECK(has(text, R"("batch_per_gpu": 32)"));
  CHECK(has(text, R"("gpu": "p100_sxm2")"));
  CHECK(has(text, R"("gpus_per_job": 1)"));
  CHECK(has(text, R"("cudnn": "5.1")"));
  CHECK(has(text, R"("optimizer": "none")"));
  CHECK(has(text, R"("channels_last": true)"));
  CHECK(has(scenario_of(one_gpu(R"("optimizer":"lamb")")), R"("optimizer": "adam")"));
  CHECK(has(scenario_of(one_gpu(R"("accumulation_steps":4)")), R"("global_batch": 128)"));
}

TEST_CASE("a case that no scenario can say has a reason") {
  const auto why = [](const ValidationCase& c) {
    return error_text([&] { (void)shown_scenario(catalog(), c); });
  };
  ValidationCase several = one_gpu("");
  several.system.gpus = 8;
  CHECK(has(why(several), "several GPUs"));
  CHECK(has(why(one_gpu("", R"(,"parallelism":{"recompute":"full"})")), "computed again"));
  ValidationCase open = one_gpu("");
  open.workload.batch_per_gpu.reset();
  CHECK(has(why(open), "batch not stated"));
  ValidationCase forward = one_gpu("");
  forward.workload.task = "inference";
  CHECK(has(why(forward), "task \"inference\""));
}
