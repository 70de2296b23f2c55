// What a tenth more of each limit is worth to a training cluster: the row of a limit says what the search
// says when it is asked again with a tenth more of it.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "reports/sentences/plan_sentences.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/format/scenario.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

Result answer(const std::string& file, const std::vector<std::string>& sets = {}) {
  return size(load_scenario(std::string{RACKCAST_SOURCE_DIR} + "/scenarios/" + file, sets),
              Catalog::builtin());
}

const doc::Plan::Relaxation& of(const Result& r, const std::string& limit) {
  const auto found = std::ranges::find(r.plan->relaxations, limit, &doc::Plan::Relaxation::limit);
  REQUIRE(found != r.plan->relaxations.end());
  return *found;
}

std::string text_of(const Result& r, const std::string& limit) {
  return reports::relaxation_text(of(r, limit), *r.plan->chosen);
}

}  // namespace

TEST_CASE("a tenth more of what a rack or a GPU may draw is worth what the search then finds" *
          doctest::test_suite("long")) {
  // One rack: 20 kW hold fewer DGX-1V of typically 2.9 kW than 22 kW do.
  const std::vector<std::string> tight{"goal.objective=fastest",   "site.racks.max_racks=1",
                                       "site.racks.power=20 kW",   "site.racks.outlets=100",
                                       "site.power.gpu_cap=200 W", "goal.deadline=60 days",
                                       "storage.count=6"};
  const Result r = answer("fleet_very_conservative.json", tight);
  REQUIRE(r.plan->chosen.has_value());
  for (const auto& relaxed : std::vector<std::pair<std::string, std::string>>{
           {"rack_power", "site.racks.power=22 kW"}, {"gpu_cap", "site.power.gpu_cap=220 W"}}) {
    const std::string &limit = relaxed.first, &more = relaxed.second;
    CAPTURE(limit);
    const doc::Plan::Relaxation& row = of(r, limit);
    CHECK(row.binds);
    REQUIRE(row.answer.has_value());
    std::vector<std::string> sets = tight;
    sets.push_back(more);
    const doc::PlanCandidate then = *answer("fleet_very_conservative.json", sets).plan->chosen;
    CHECK(row.answer->nodes == then.nodes);
    CHECK(row.answer->time_s == then.time_s);
    CHECK(*then.time_s < *r.plan->chosen->time_s);
  }
  CHECK(of(r, "rack_power").now == "20 kW");
  CHECK(of(r, "rack_power").relaxed == "22 kW");
  CHECK_FALSE(of(r, "rack_outlets").binds);
  CHECK(text_of(r, "rack_outlets") == "nothing: it does not bind");
  CHECK(of(r, "max_racks").binds);
  CHECK(of(r, "max_racks").used == 1);
}

TEST_CASE("faster storage is worth nodes and time where runs wait for it, and nothing where none does") {
  const Result waits = answer("storage_bound_site.json", {"storage.count=2", "goal.objective=fastest"});
  const doc::Plan::Relaxation& row = of(waits, "storage_throughput");
  CHECK(row.binds);
  REQUIRE(row.answer.has_value());
  // Bound by storage: a tenth more throughput, a tenth less time.
  CHECK(*waits.plan->chosen->time_s / *row.answer->time_s == doctest::Approx(1.1).epsilon(0.02));
  CHECK(row.now == "2.2 GB/s of reads");

  const Result free = answer("storage_bound_site.json", {"storage.count=40", "goal.max_nodes=6"});
  CHECK_FALSE(of(free, "storage_throughput").binds);
  CHECK(text_of(free, "storage_throughput").starts_with("nothing: it does not bind; no candidate waits"));
}

TEST_CASE("GPU memory and the capacity of storage have a value where they bind, in their units") {
  const Result fits = answer("storage_bound_site.json", {"storage.count=2"});
  CHECK(of(fits, "gpu_memory").now == "34.4 GB of a GPU");
  CHECK(*of(fits, "gpu_memory").used < 0.2);
  CHECK(of(fits, "storage_capacity").now == "100 TB");
  CHECK(*of(fits, "storage_capacity").used == doctest::Approx(0.2));
  // Larger batches are faster, and the largest does not fit.
  const Result full = answer("storage_bound_site.json",
                             {"storage.array=none", "goal.objective=fastest", "goal.max_nodes=8",
                              "goal.deadline=40 days", R"(search={"batch_per_gpu": [64, 256, 1200]})"});
  CHECK(of(full, "gpu_memory").binds);
  CHECK(text_of(full, "gpu_memory").starts_with("nothing changes before "));
  CHECK(text_of(full, "gpu_memory").find(" GB of a GPU: ") != std::string::npos);
  const auto has_no_storage = std::ranges::none_of(
      full.plan->relaxations, [](const doc::Plan::Relaxation& r) { return r.limit.starts_with("storage"); });
  CHECK(has_no_storage);
}
