#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "scenarios/validation/cases/case_loader.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

TEST_CASE("the measured power of nodes in training is predicted, but for the figure of the fit") {
  const Catalog catalog = Catalog::builtin();
  PredictionContext context{catalog};
  int judged = 0;
  for (const ValidationCase& c :
       load_cases(RACKCAST_SOURCE_DIR "/tests/validation/cases/modern/power_energy.json")) {
    CAPTURE(c.id);
    const PredictionOutcome outcome = predict_case(context, c);
    if (c.metric == "node_power_fraction_of_rating") {
      CHECK_FALSE(outcome.figure);
      CHECK(outcome.skipped_reason.find("fitted") != std::string::npos);
    }
    if (!c.metric.starts_with("node_power_") || !c.metric.ends_with("_w") || c.system.nodes != 1) continue;
    REQUIRE(outcome.figure);
    // Every single node was measured inside its interval; the worst is 18 % off.
    CHECK(std::clamp(*c.measured, outcome.figure->low, outcome.figure->high) == *c.measured);
    CHECK(outcome.figure->value == doctest::Approx(*c.measured).epsilon(0.2));
    ++judged;
  }
  CHECK(judged > 30);
}

TEST_CASE("the energy of a benchmark's run on one node is its predicted time at the predicted power") {
  const Catalog catalog = Catalog::builtin();
  PredictionContext context{catalog};
  int judged = 0, skipped = 0;
  for (const ValidationCase& c :
       load_cases(RACKCAST_SOURCE_DIR "/tests/validation/cases/modern/power_energy.json")) {
    if (c.metric != "energy_to_train_j") continue;
    CAPTURE(c.id);
    const PredictionOutcome outcome = predict_case(context, c);
    if (c.system.nodes != 1) {  // the network between the nodes is not stated
      if (outcome.figure) CHECK_FALSE(outcome.figure->assumed.empty());
      ++skipped;
      continue;
    }
    REQUIRE(outcome.figure);
    CHECK(std::clamp(*c.measured, outcome.figure->low, outcome.figure->high) == *c.measured);
    ++judged;
  }
  CHECK(judged == 16);
  CHECK(skipped > 10);
}
