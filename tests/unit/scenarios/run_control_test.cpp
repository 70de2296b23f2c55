#include "scenarios/names/run_control.hpp"

#include <doctest/doctest.h>

#include <string>

#include "scenarios/answer/planner.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/result/result.hpp"
#include "sim/base/error.hpp"
#include "tests/document_faults.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

Scenario saturn_v(const std::vector<std::string>& sets = {}) {
  return load_scenario(RACKCAST_SOURCE_DIR "/scenarios/saturn_v.json", sets);
}

}  // namespace

TEST_CASE("limits are times and numbers of events") {
  CHECK_FALSE(read_limits({}).limited());
  const RunControl both = read_limits({"10 s", "events=1e6"});
  CHECK(both.wall_clock.base() == 10);
  CHECK(both.max_events == 1'000'000);
  for (const char* wrong : {"3", "events=", "events=-1", "events=2x", "soon", "-1 s"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(read_limits({wrong}), Error);
  }
}

TEST_CASE("the SATURNV scenario names what the catalogue has") {
  check_names(saturn_v(), catalog());
  const Scenario scenario = resolve_clusters(saturn_v(), catalog());
  CHECK(scenario.cluster.nodes == 660);
  CHECK(scenario.cluster.node == "dgx1v_16gb");
}

TEST_CASE("a run that a limit ends says so and keeps what it has found") {
  const Scenario scenario = saturn_v({"cluster={\"node\": \"dgx1v_16gb\", \"nodes\": 2}"});
  const Result whole = simulate(scenario, catalog());
  CHECK_FALSE(whole.partial);
  CHECK(checked_json_text(whole).find("\"partial\"") == std::string::npos);

  // Enough for the steps themselves, not for the intervals.
  const Result some = simulate(scenario, catalog(), nullptr, read_limits({"events=150"}));
  CHECK(some.partial);
  CHECK(some.workloads.front().prediction.time_to_train.value ==
        doctest::Approx(whole.workloads.front().prediction.time_to_train.value).epsilon(0.5));
  CHECK(checked_json_text(some).find("\"partial\": true") != std::string::npos);

  const Result none = simulate(scenario, catalog(), nullptr, read_limits({"events=2"}));
  CHECK(none.partial);
  CHECK_FALSE(none.answer.feasible);
  CHECK(none.answer.binding_constraint == "limit");
}

TEST_CASE("issue 23, item 37: a limit leaves the answer of a cluster with a slow node") {
  const Scenario slow =
      saturn_v({R"(cluster={"node": "dgx1v_16gb", "nodes": 2, "stragglers": [{"compute": 0.5}]})"});
  const Result whole = simulate(slow, catalog());
  const Result some = simulate(slow, catalog(), nullptr, read_limits({"events=150"}));
  CHECK(some.partial);
  CHECK(some.answer.feasible);
  CHECK(some.workloads.front().prediction.time_to_train.value ==
        doctest::Approx(whole.workloads.front().prediction.time_to_train.value).epsilon(0.5));
}

TEST_CASE("issue 23, item 37: building a large cluster can be interrupted") {
  // 160,000 GPUs have as many hops in every ring: some forty looks at the clock before the first step.
  const Scenario scenario = saturn_v({R"(cluster={"node": "dgx1v_16gb", "nodes": 20000})"});
  RunControl control;
  int looks = 0;
  control.cancelled = [&] {
    return ++looks >= 20;
  };
  const Result none = simulate(scenario, catalog(), nullptr, control);
  CHECK(none.partial);
  CHECK_FALSE(none.answer.feasible);
  CHECK(none.answer.binding_constraint == "limit");
  CHECK(looks < 40);  // not many more once it is over
}

TEST_CASE("the rows of a scaling table tell how far they are, in nodes") {
  const Scenario scenario = saturn_v({"cluster={\"node\": \"dgx1v_16gb\", \"nodes\": 4}"});
  std::vector<std::size_t> heard;
  RunControl control;
  control.on_nodes = [&](std::size_t done, std::size_t all) {
    CHECK(all == 1 + 2 + 4 + 8);
    heard.push_back(done);
  };
  simulate(scenario, catalog(), nullptr, control);
  CHECK(heard == std::vector<std::size_t>{1, 3, 7, 15});
}

TEST_CASE("simulating every GPU, link and step gives the time of the folded run") {
  // 90 epochs of 2,000 samples in global batches of 2 x 8 x 32: 352 steps, all of them.
  const Scenario scenario =
      saturn_v({"cluster={\"node\": \"dgx1v_16gb\", \"nodes\": 2}", "data.samples=2000"});
  RunControl in_full;
  in_full.fold = false;
  const Result folded = simulate(scenario, catalog());
  const Result full = simulate(scenario, catalog(), nullptr, in_full);
  CHECK(full.workloads.front().run.steps == static_cast<std::uint64_t>(full.workloads.front().steps));
  CHECK(folded.workloads.front().run.steps < 10);
  CHECK(full.prediction.time_to_train.value ==
        doctest::Approx(folded.prediction.time_to_train.value).epsilon(1e-9));
  CHECK(full.prediction.step_time.value == doctest::Approx(folded.prediction.step_time.value).epsilon(1e-9));
}
