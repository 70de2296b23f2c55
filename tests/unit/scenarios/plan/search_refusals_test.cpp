// What a search cannot be asked, each with its place and a hint.
#include <doctest/doctest.h>

#include <string>

#include "scenarios/answer/planner.hpp"
#include "scenarios/names/exchange_choice.hpp"
#include "sim/base/error.hpp"
#include "tests/unit/scenarios/plan/small_question.hpp"
#include "tests/unit/sim/error_text.hpp"

using namespace rackcast;

namespace {

std::string refusal(const std::string& path, const std::string& value) {
  return error_text([&] { check_names(small({{path, value}}), catalog()); });
}

}  // namespace

TEST_CASE("a search that cannot be says where and why") {
  CHECK(contains(refusal("goal.objective", "cheapest"), "lowest-cost"));
  CHECK(contains(refusal("search.node", "[]"), "empty list"));
  CHECK(contains(refusal("search.node", "[\"dgx9\"]"), "dgx9"));
  CHECK(contains(refusal("search.node", "[\"dgx2\", \"dgx2\"]"), "twice"));
  CHECK(contains(refusal("search.node", "\"dgx2\""), "is a list"));
  CHECK(contains(refusal("search.batch_per_gpu", "[64, 64]"), "twice"));
  CHECK(contains(refusal("search.batch_per_gpu", "[-1]"), "between"));
  CHECK(contains(refusal("search.batch_per_gpu", R"({"from": 8, "to": 4})"), "empty"));
  CHECK(contains(refusal("search.batch_per_gpu", R"({"from": 1, "to": 1000000})"), "4096"));
  CHECK(contains(refusal("search.batch_per_gpu", R"({"from": 1, "to": 9, "step": 0})"), "above 0"));
  CHECK(contains(refusal("search.batch_per_gpu", R"({"from": 1, "to": 9, "times": 1})"), "above 1"));
  CHECK(contains(refusal("search.batch_per_gpu", R"({"from": 1, "to": 4000})"), "combinations"));
  CHECK(contains(refusal("search.precision", "[\"fp33\"]"), "fp33"));
  CHECK(contains(refusal("search.exchange", "[\"gossip\"]"), "all_reduce"));
  CHECK(contains(refusal("search.storage", R"([{"array": "no_such"}])"), "no_such"));
  CHECK(contains(refusal("search.fabric", R"([{"kind": "two_level", "switch": "no_such"}])"), "no_such"));
  CHECK(contains(refusal("search.oversubscription", "[0.5]"), "between"));
  CHECK(contains(refusal("search.colour", "[1]"), "unknown key"));
  CHECK(contains(refusal("goal.availability", "0.9"), "failures"));
  const std::string text = error_text([] {
    Json json = parse_json(kSmall, "small.json").without("site");
    (void)read_scenario(json.with("goal.objective", parse_json_or_string("lowest-energy", "x")),
                        "small.json");
  });
  CHECK(contains(text, "needs a site"));
  CHECK(contains(error_text([] { (void)exchange_named("gossip"); }), "unknown exchange"));
}

TEST_CASE(
    "issue 23, item 1: a limit that no size keeps is told with what the smallest cluster needs, not the "
    "answer's") {
  // Six nodes keep the deadline; one alone draws more than the feed has.
  const Result r =
      size(small({{"site.power.feed", "1 W"}, {"goal.deadline", "9 days"}, {"search", "{}"}}), catalog());
  CHECK_FALSE(r.answer.feasible);
  REQUIRE(r.plan->conflict_set.size() == 1);
  CHECK(r.plan->conflict_set.front().limit == "site_power");
  REQUIRE(r.plan->conflict_set.front().at.has_value());
  CHECK(r.plan->conflict_set.front().at->nodes == 1);
  REQUIRE(r.answer.conflicts.size() == 1);
  CHECK(r.answer.conflicts.front().best == r.plan->conflict_set.front().needed);
}

TEST_CASE(
    "issue 23, item 1: where no cluster comes near an answer, a workload has no number of nodes either") {
  // Nobody states what a DGX H100 costs, so no size of it is known to be within the budget.
  const Result r = size(small({{"search.node", "[\"dgx_h100\"]"},
                               {"goal.objective", "lowest-cost"},
                               {"site.prices.budget", "2 million USD"}}),
                        catalog());
  REQUIRE_FALSE(r.answer.feasible);
  REQUIRE_FALSE(r.plan->nearest.has_value());
  for (const WorkloadResult& w : r.workloads) {
    CHECK(w.answer.nodes == 0);
    CHECK(w.answer.gpus == 0);
  }
}
