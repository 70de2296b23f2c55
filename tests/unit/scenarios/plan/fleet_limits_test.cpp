// The limits of the shipped automotive fleets: all are stated, all are kept, and each is one.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "scenarios/answer/planner.hpp"
#include "scenarios/format/scenario.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

TEST_CASE("each limit that a fleet states is one: just too little of it conflicts with the deadline" *
          doctest::test_suite("long")) {
  const std::string file = std::string{RACKCAST_SOURCE_DIR} + "/scenarios/fleet_very_conservative.json";
  const Result r = size(load_scenario(file), Catalog::builtin());
  REQUIRE(r.plan->chosen.has_value());
  const doc::PlanCandidate& c = *r.plan->chosen;
  std::vector<std::string> stated;
  for (const doc::Plan::Relaxation& x : r.plan->relaxations) stated.push_back(x.limit);
  CHECK(stated == std::vector<std::string>{"gpu_memory", "useful_batch", "storage_capacity", "deadline",
                                           "availability", "max_nodes", "max_racks", "rack_units",
                                           "floor_area", "site_power", "budget", "opex_budget",
                                           "total_budget", "storage_throughput", "rack_power"});
  // A little less than what the answer takes; of what comes in whole ones, one less.
  const double year = *c.opex_usd_per_year;
  for (const auto& [path, value, limit] : std::vector<std::array<std::string, 3>>{
           {"site.prices.budget", fmt::format("{} USD", 0.99 * *c.capex_usd), "budget"},
           {"site.prices.opex_budget", fmt::format("{} USD/year", 0.99 * year), "opex_budget"},
           {"site.prices.total_budget", fmt::format("{} USD", 0.99 * *c.total_usd), "total_budget"},
           {"site.racks.max_units", fmt::format("{}", *c.rack_units - 1), "rack_units"},
           {"site.racks.max_racks", fmt::format("{}", *c.racks - 1), "max_racks"},
           {"site.floor.area", "5.1 m2", "floor_area"},  // two racks take 5.2
           {"site.power.feed", "44 kW", "site_power"},   // typically 28.7 kW, with a PUE of 1.56
           {"goal.availability", "0.995",
            "availability"},  // a failure each 52 days, and waits for repair: 0.994
           {"workloads.0.critical_batch", fmt::format("{}", 64 * c.gpus - 1), "useful_batch"}}) {
    const std::string too_little{path};
    CAPTURE(too_little);
    const Result less = size(load_scenario(file, {path + "=" + value}), Catalog::builtin());
    CHECK_FALSE(less.answer.feasible);
    REQUIRE(less.plan->conflict_set.size() == 2);
    const std::size_t it = less.plan->conflict_set[0].limit == "deadline" ? 1 : 0;
    CHECK(less.plan->conflict_set[1 - it].limit == "deadline");
    CHECK(less.plan->conflict_set[it].limit == limit);
    CHECK(less.plan->conflict_set[1 - it].alone);
    // The answer names both, and the workload that asks for most has no number of nodes.
    REQUIRE(less.answer.conflicts.size() == 2);
    CHECK(to_string(less.answer.conflicts[it].limit) == limit);
    CHECK_FALSE(less.workloads[0].answer.feasible);
  }
}

TEST_CASE("both shipped fleets state the same limits, and keep them" * doctest::test_suite("long")) {
  const std::string folder = std::string{RACKCAST_SOURCE_DIR} + "/scenarios/";
  const auto stated = [&](const std::string& name) {
    std::vector<std::string> out;
    const Result r = size(load_scenario(folder + name + ".json"), Catalog::builtin());
    CHECK(r.answer.feasible);
    for (const doc::Plan::Relaxation& x : r.plan->relaxations) out.push_back(x.limit);
    return out;
  };
  CHECK(stated("fleet_conservative") == stated("fleet_very_conservative"));
}
