// Ranges in scenarios, quasi-Monte Carlo against integrals known in closed form, and confidence.
#include "scenarios/uncertainty/uncertainty.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "scenarios/answer/planner.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/listings/templates.hpp"
#include "scenarios/result/result.hpp"
#include "sim/base/error.hpp"
#include "tests/answer_sentence.hpp"
#include "tests/unit/schema_faults.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const std::string kFleet = std::string{RACKCAST_SOURCE_DIR} + "/scenarios/fleet_very_conservative.json";

}  // namespace

TEST_CASE("a range stands for its middle, and whole ends mean whole values") {
  const Json text = parse_json(
      R"({"epochs": "40..60", "deadline": "10..14 days", "rate": "0.5..2", "name": "1..2", "x": [1, "3..3"]})",
      "t");
  const auto ranges = find_ranges(text);
  REQUIRE(ranges.size() == 4);
  CHECK(ranges[0].path == "epochs");
  CHECK(ranges[0].at(0) == "40");
  CHECK(ranges[0].at(0.5) == "50");
  CHECK(ranges[0].at(1) == "60");
  CHECK(ranges[1].at(0.5) == "12 days");
  CHECK(ranges[2].at(0.25) == "0.875");
  CHECK(ranges[3].path == "x.1");
  const Json middle = at_middle(text);
  CHECK(middle.require("epochs").integer() == 50);
  CHECK(middle.require("name").string() == "1..2");
  CHECK(load_scenario(kFleet, {"workloads.0.epochs=40..60"}).workloads[0].epochs == 50);
}

TEST_CASE("hostile ranges are refused, or are no ranges at all") {
  for (const char* set : {"workloads.0.epochs=60..40", "workloads.0.epochs=40..", "workloads.0.epochs=..60",
                          "workloads.0.epochs=40...60", "workloads.0.epochs=a..b",
                          "workloads.0.epochs=-5..-1", "goal.deadline=14..10 days", "goal.deadline=10..14 kg",
                          "goal.deadline=10..14", "workloads.0.epochs=1..1e400", "cluster.nodes=0.5..0.7"}) {
    CAPTURE(set);
    CHECK_THROWS_AS(load_scenario(kFleet, {set}), Error);
  }
}

TEST_CASE("the sequence is evenly spread: the mean of x y is a quarter") {
  double sum = 0;
  for (const auto& u : sobol_points(1024, 2, 1)) {
    CHECK(u[0] >= 0);
    CHECK(u[1] < 1);
    sum += u[0] * u[1] / 1024;
  }
  CHECK(sum == doctest::Approx(0.25).epsilon(0.005));
  CHECK(sobol_points(4, 3, 1) == sobol_points(4, 3, 1));
}

TEST_CASE("sensitivities of x + 2 y are 1/5 and 4/5") {
  const auto s = sobol_sensitivities([](std::span<const double> u) { return u[0] + 2 * u[1]; }, 512, 2, 1);
  CHECK(s[0].first == doctest::Approx(0.2).epsilon(0.05));
  CHECK(s[1].first == doctest::Approx(0.8).epsilon(0.05));
  CHECK(s[0].total == doctest::Approx(0.2).epsilon(0.05));
}

TEST_CASE("Ishigami's function: interactions show in the total only") {
  // a = 7, b = 0.1: first order 0.3139, 0.4424, 0; total 0.5576, 0.4424, 0.2437.
  const auto f = [](std::span<const double> u) {
    const auto x = [&](std::size_t i) {
      return std::numbers::pi * (2 * u[i] - 1);
    };
    return std::sin(x(0)) + 7 * std::pow(std::sin(x(1)), 2) + 0.1 * std::pow(x(2), 4) * std::sin(x(0));
  };
  const auto s = sobol_sensitivities(f, 8192, 3, 1);
  CHECK(s[0].first == doctest::Approx(0.3139).epsilon(0.05));
  CHECK(s[1].first == doctest::Approx(0.4424).epsilon(0.05));
  CHECK(s[2].first < 0.02);
  CHECK(s[0].total == doctest::Approx(0.5576).epsilon(0.05));
  CHECK(s[2].total == doctest::Approx(0.2437).epsilon(0.05));
  CHECK(sobol_sensitivities([](std::span<const double>) { return 3.0; }, 64, 2, 1)[0].total == 0);
}

TEST_CASE("more confidence takes more nodes, and epochs matter as much as they vary") {
  const Catalog catalog = Catalog::builtin();
  const Scenario s = load_scenario(kFleet, {"workloads.0.epochs=8..80"});
  const SampledAnswer r = uncertainty(s, catalog, 64);
  REQUIRE(r.confident.size() == 4);
  CHECK(r.confident[0].nodes <= r.confident[2].nodes);
  CHECK(r.confident[2].nodes > r.nodes);  // 90 % against the expected count
  CHECK(*r.confidence > 0.3);
  CHECK(*r.confidence < 0.9);
  REQUIRE(r.tornado.size() == 2);
  CHECK(r.tornado[0].input == "workloads.0.epochs");  // -82 to +82 %, the model about -49 to +98 %
  CHECK(r.tornado[0].high > 2 * r.tornado[0].low);
  CHECK(r.quantiles[0] < r.quantiles[4]);
  CHECK(uncertainty_document(s, r) == uncertainty_document(s, uncertainty(s, catalog, 64)));
}

TEST_CASE("what nodes lose to each other is a part of the model that one node has not") {
  const Catalog catalog = Catalog::builtin();
  const Scenario s = load_scenario(kFleet);
  Evaluator evaluator{catalog};
  Question q = question(s, s.workloads.front());
  const auto has_pace = [&](int nodes) {
    q.cluster.nodes = nodes;
    return std::ranges::any_of(evaluator.swings(q),
                               [](const PartSwing& part) { return part.name == "pace of nodes together"; });
  };
  CHECK(!has_pace(1));
  REQUIRE(has_pace(4));
  CHECK(evaluator.spread(q).scaling > 0);
  // The step of one GPU does not lose anything: the efficiency is as uncertain as that part alone, and more.
  const Prediction p = evaluator.predict(q);
  CHECK(std::log(p.scaling_efficiency.value / p.scaling_efficiency.low) > 1.6 * evaluator.spread(q).scaling);
}

TEST_CASE("the published schema knows ranges") {
  std::string text{template_text("time")};
  text.replace(text.find("\"epochs\": 90"), 12, "\"epochs\": \"80..100\"");
  CHECK(schema_faults(schema_text("scenario"), text) == "");
}

TEST_CASE("what would change the answer says so where nothing changes, and where no count is enough") {
  const auto statement = [](const std::string& input, const std::vector<std::string>& sets) {
    const Result r =
        size(load_scenario(std::string{RACKCAST_SOURCE_DIR} + "/scenarios/recommender.json", sets),
             Catalog::builtin());
    const reports::ResultDocument document = document_of(r);
    for (const reports::Answer::Change& change : document.answer.changes)
      if (change.input == input) return reports::change_text(document, document.answer, change);
    return std::string{"no such change"};
  };
  const std::string none = statement("confidence in the deadline", {"goal.max_nodes=6"});
  CHECK(none.starts_with("no count up to 6 is that sure; 5 nodes meet the deadline with a probability of"));
  CHECK(statement("confidence in the deadline", {}).starts_with("5 nodes meet the deadline"));
  // Half of the deadline asks for more samples in a step than are useful.
  CHECK(statement("deadline", {}).find("(critical_batch)") != std::string::npos);
  // One node is enough for twice the data, too.
  CHECK(statement("data", {"goal.deadline=\"1 h\""}) == "no change");
}
