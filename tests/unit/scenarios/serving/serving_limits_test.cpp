// What a tenth more of each limit is worth to a fleet that serves, and what a stated number of nodes keeps.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "reports/sentences/plan_sentences.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/serving/service_result.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

Scenario scenario(const std::string& serving, const std::string& rest) {
  const std::string text = R"({"name": "photos", "serving": {"model": "resnet50-v1.5", "precision": "fp16",
      "rate": "60000/s", "peak": 2, "latency": "20 ms", "max_batch": 32)" +
                           serving + R"(}, "cluster": {"node": "dgx1v_16gb")" + rest + "}";
  return read_serving_scenario(parse_json(text, "fleet.json"), "fleet.json");
}

/// Two kinds of node on so many rack units: few DGX-2 take more of them than many DGX-1V.
ServiceResult within(int units) {
  return size_service(scenario("", fmt::format(R"(}}, "search": {{"node": ["dgx1v_16gb", "dgx2"]}},
      "goal": {{"max_nodes": 60}}, "site": {{"racks": {{"max_units": {}, "basis": "typical"}}}})",
                                               units)),
                      Catalog::builtin());
}

const doc::Plan::Relaxation& of(const ServiceResult& r, const std::string& limit) {
  const auto found = std::ranges::find(r.relaxations, limit, &doc::Plan::Relaxation::limit);
  REQUIRE(found != r.relaxations.end());
  return *found;
}

}  // namespace

TEST_CASE("a tenth more of the limit that excludes the better node is worth that node" *
          doctest::test_suite("long")) {
  const ServiceResult enough = within(10'000);
  CHECK(enough.answer.node == "dgx2");
  CHECK_FALSE(of(enough, "rack_units").binds);
  CHECK(reports::is_idle(of(enough, "rack_units")));
  const int needed = static_cast<int>(std::stod(within(1).options[1].conflicts.front().best));

  const ServiceResult little = within(needed - 1);
  CHECK(little.answer.node == "dgx1v_16gb");
  const doc::Plan::Relaxation& units = of(little, "rack_units");
  CHECK(units.binds);
  REQUIRE(units.answer);
  CHECK(reports::candidate_text(*units.answer) ==
        fmt::format("{} x NVIDIA DGX-2 in fp16", enough.answer.nodes));
  CHECK_FALSE(of(little, "latency").binds);  // the arithmetic binds
  CHECK_FALSE(of(little, "max_nodes").binds);

  const ServiceResult less = within(needed * 8 / 10);
  CHECK(less.answer.node == "dgx1v_16gb");
  CHECK(of(less, "rack_units").binds);
  CHECK_FALSE(of(less, "rack_units").answer);
  REQUIRE(of(less, "rack_units").later);
  CHECK(of(less, "rack_units").later->at == fmt::format("{} units", needed));
  CHECK(of(less, "rack_units").later->answer.node == "dgx2");
}

TEST_CASE("of a stated number of nodes all that the busiest hour does not take are spare") {
  const auto own = [](const std::string& availability, int nodes) {
    return simulate_service(
        scenario(R"(, "availability": )" + availability, fmt::format(R"(, "nodes": {}}})", nodes)),
        Catalog::builtin());
  };
  const ServiceResult plenty = own("0.999", 20);
  CHECK(plenty.answer.feasible);
  CHECK(plenty.chosen.needed + plenty.chosen.spares == 20);
  const int needed = plenty.chosen.needed;
  // Exactly as many as it takes: a node is down about a thousandth of the time, and there are several.
  const ServiceResult bare = own("0.9999", needed);
  CHECK_FALSE(bare.answer.feasible);
  CHECK(bare.answer.binding_constraint == "availability");
  CHECK(bare.chosen.spares == 0);
  CHECK(own("0.5", needed).answer.feasible);
  const ServiceResult few = own("0.5", needed - 1);
  CHECK_FALSE(few.answer.feasible);
  CHECK(few.answer.binding_constraint == "latency");
}
