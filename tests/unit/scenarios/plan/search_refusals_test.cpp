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
