// A job of a stated number of GPUs: which sizes hold it, and what the answer says binds.
#include <doctest/doctest.h>

#include <string>
#include <tuple>

#include "reports/pages/report.hpp"
#include "reports/result/result.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/answer/training_demand.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/result/result.hpp"
#include "tests/render_document.hpp"
#include "tests/unit/scenarios/plan/small_question.hpp"
#include "tests/unit/sim/error_text.hpp"

using namespace rackcast;

TEST_CASE("a fleet whose job has more GPUs than one node is planned on the nodes that hold the job") {
  const std::string file = std::string{RACKCAST_SOURCE_DIR} + "/scenarios/fleet_very_conservative.json";
  const Result r =
      simulate(load_scenario(file, {"cluster.nodes=10", "cluster.gpus_per_job=64", "published=[]"}),
               catalog(), nullptr, {});
  REQUIRE(r.growth.has_value());
  REQUIRE_FALSE(r.growth->plan.empty());
  for (const GrowthStep& step : r.growth->plan)
    if (step.nodes) CHECK(*step.nodes >= 8);  // 64 GPUs, eight of a node
}

TEST_CASE("what binds a job of a stated size is its size, and no objective") {
  const Result r = size(
      small({{"cluster.gpus_per_job", "16"}, {"search", "{}"}, {"goal.deadline", "60 days"}}), catalog());
  REQUIRE(r.answer.feasible);
  CHECK(r.answer.nodes == 2);
  CHECK(r.answer.binding_constraint == constraint::job);
}

TEST_CASE("a job that no allowed number of nodes holds is an error with its GPUs and what to change") {
  const std::string text = error_text([] {
    (void)size(small({{"cluster.gpus_per_job", "64"}, {"search", "{}"}}), catalog());
  });
  CHECK(text.find("no number of nodes that may be chosen has 64 GPUs") != std::string::npos);
  CHECK(text.find("goal.max_nodes") != std::string::npos);
}

TEST_CASE("issue 23, item 4: the box tells the GPUs of a job from those of its nodes") {
  for (const auto& [key, value, said] :
       {std::tuple{"cluster.gpus_per_job", "9", "2 × NVIDIA DGX-1V (V100 16 GB) (9 of 16 GPUs)"},
        std::tuple{"cluster.gpus_per_node", "3", "2 × NVIDIA DGX-1V (V100 16 GB) (6 of 16 GPUs)"},
        std::tuple{"cluster.gpus_per_job", "16", "2 × NVIDIA DGX-1V (V100 16 GB) (16 GPUs)"}}) {
    const char* changed = key;
    CAPTURE(changed);
    const Result r = simulate(
        small({{"cluster.node", "dgx1v_16gb"}, {"cluster.nodes", "2"}, {"search", "{}"}, {key, value}}),
        catalog(), nullptr, {});
    const std::string text = reports::render_text(reports::load_result(to_json_text(r), "x"), {});
    CAPTURE(text);
    CHECK(text.find(said) != std::string::npos);
  }
}

TEST_CASE("a search does not say that it simulated more sizes than it judged") {
  const Result r =
      size(small({{"goal.deadline", "1 h"}, {"search", "{}"}, {"site.prices.budget", "9 million USD"}}),
           catalog());
  CHECK_FALSE(r.answer.feasible);
  CHECK(r.plan->simulated <= r.plan->judged);
}
