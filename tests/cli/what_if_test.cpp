// What the page says of other settings is what the program answers to them with --set.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/run_program.hpp"

using namespace rackcast;
using nlohmann::json;

namespace {

json answered(const std::string& arguments) {
  const Outcome out = run("size " + arguments + " --json");
  const std::size_t begin = out.output.find('{');
  REQUIRE_MESSAGE(begin != std::string::npos, arguments, ": ", out.output);
  return json::parse(out.output.substr(begin));
}

/// Every `every`-th outcome of a scenario's grid beside a run of its own; how many there were.
int compare_grid(const std::string& scenario, std::size_t every) {
  const json grid = answered(scenario)["plan"]["what_if"];
  int compared = 0;
  for (std::size_t at = 0; at < grid["outcomes"].size(); at += every) {
    std::string sets;
    std::size_t rest = at;
    for (auto input = grid["inputs"].rbegin(); input != grid["inputs"].rend(); ++input) {
      const std::size_t values = (*input)["values"].size();
      sets += " --set " + (*input)["path"].get<std::string>() + "=\"" +
              (*input)["values"][rest % values].get<std::string>() + "\"";
      rest /= values;
    }
    CAPTURE(sets);
    const json& computed = grid["outcomes"][at];
    const json own = answered(scenario + sets);
    ++compared;
    REQUIRE(own["answer"]["feasible"] == computed.contains("answer"));
    if (!computed.contains("answer")) {
      json limits = json::array();
      for (const json& conflict : own["plan"]["conflict_set"]) limits.push_back(conflict["limit"]);
      CHECK(limits == computed["conflict"]);
      continue;
    }
    CHECK(own["plan"]["chosen"] == computed["answer"]);
    CHECK(own["answer"]["nodes"] == computed["answer"]["nodes"]);
    CHECK(own["answer"]["spares"] == computed["answer"]["spares"]);
    if (computed.contains("probability"))
      CHECK(own["answer"]["deadline_probability"] == computed["probability"]);
  }
  return compared;
}

}  // namespace

TEST_CASE("every setting of the what-if is answered as by the program itself" * doctest::test_suite("long")) {
  CHECK(compare_grid("scenarios/power_limited_site.json", 1) >= 15);
  CHECK(compare_grid("scenarios/recommender.json", 1) >= 15);
  CHECK(compare_grid("scenarios/storage_bound_site.json", 1) >= 5);
  CHECK(compare_grid("scenarios/fleet_very_conservative.json", 11) >= 5);
}

TEST_CASE("settings are asked about only where one of them can help") {
  const std::string four = "scenarios/fleet_very_conservative.json --set goal.max_nodes=4";
  const json late = answered(four);
  REQUIRE(late["answer"]["feasible"] == false);
  CHECK(late["plan"]["what_if"]["inputs"][0]["path"] == "goal.deadline");
  // Memory is that of the GPU alone.
  const json large = answered(four + " --set workloads.0.batch_per_gpu=100000");
  REQUIRE(large["answer"]["feasible"] == false);
  REQUIRE(large["plan"]["what_if"]["inputs"].size() == 1);
  CHECK(large["plan"]["what_if"]["inputs"][0]["path"] == "cluster.node");
  CHECK(large["plan"]["what_if"]["outcomes"].size() == 3);
}
