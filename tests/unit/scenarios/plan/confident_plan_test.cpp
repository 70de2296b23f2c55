// The plan that meets the deadline with 90 %: its price is that of a cluster of that many nodes, asked for by
// itself.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "scenarios/answer/neighbours.hpp"
#include "scenarios/answer/planner.hpp"
#include "tests/unit/scenarios/plan/small_question.hpp"

using namespace rackcast;

namespace {

using Sets = std::vector<std::pair<std::string, std::string>>;

Sets with(Sets more) {
  Sets all{{"search", "{}"}, {"goal.max_nodes", "64"}};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

TEST_CASE("the price of the 90 % plan is that of a search that may take no other number of nodes") {
  const Result r = size(small(with({})), catalog());
  REQUIRE(r.plan->confident);
  REQUIRE(r.plan->confident->at);
  const doc::PlanCandidate& sure = *r.plan->confident->at;
  CHECK(sure.nodes > r.plan->chosen->nodes);
  CHECK(r.answer.changes.back().nodes == static_cast<int>(sure.nodes));
  CHECK(*r.plan->confident->probability >= enough_confidence);
  const std::string nodes = std::to_string(sure.nodes);
  const Result alone = size(small(with({{"search", "{\"nodes\": [" + nodes + "]}"}})), catalog());
  REQUIRE(alone.plan->chosen);
  CHECK(sure.capex_usd == alone.plan->chosen->capex_usd);
  CHECK(sure.total_usd == alone.plan->chosen->total_usd);
  CHECK(sure.racks == alone.plan->chosen->racks);
  CHECK(sure.nameplate_w == alone.plan->chosen->nameplate_w);
  CHECK(sure.time_s == alone.plan->chosen->time_s);
  CHECK(*sure.time_s == doctest::Approx(alone.prediction.time_to_train.value));
  CHECK(*sure.time_high_s == doctest::Approx(alone.prediction.time_to_train.high));
  CHECK(*r.plan->confident->probability == doctest::Approx(*alone.answer.deadline_probability));
  CHECK(sure.breaks.empty());
  CHECK_FALSE(alone.plan->confident.has_value());  // its list says how many nodes
}

TEST_CASE("the 90 % plan names the limits that it breaks, and where none is sure how far was looked") {
  const Result free = size(small(with({})), catalog());
  const double between = (*free.plan->chosen->capex_usd + *free.plan->confident->at->capex_usd) / 2;
  const Result r =
      size(small(with({{"site.prices.budget", "\"" + std::to_string(std::llround(between)) + " USD\""}})),
           catalog());
  REQUIRE(r.plan->chosen);
  REQUIRE(r.plan->confident);
  REQUIRE(r.plan->confident->at);
  CHECK(r.plan->chosen->nodes == free.plan->chosen->nodes);
  CHECK(r.plan->confident->at->breaks == std::vector<std::string>{"budget"});
  const int nodes = static_cast<int>(r.plan->chosen->nodes);
  const Result few = size(small(with({{"goal.max_nodes", std::to_string(nodes)}})), catalog());
  REQUIRE(few.plan->confident);
  CHECK_FALSE(few.plan->confident->at);
  CHECK(few.plan->confident->most_nodes == nodes);
}

TEST_CASE("a search for the lowest cost has a 90 % plan of the design that it chose") {
  const Result r = size(small(with({{"goal.objective", "\"lowest-cost\""},
                                    {"search", R"({"node": ["dgx1v_16gb", "dgx1_p100"]})"}})),
                        catalog());
  REQUIRE(r.plan->confident);
  REQUIRE(r.plan->confident->at);
  CHECK(r.plan->confident->at->node == r.plan->chosen->node);
  CHECK(*r.plan->confident->at->total_usd > *r.plan->chosen->total_usd);
}
