// The scenario's "failures": what is read, what is refused, and what it does to time to train.
#include <doctest/doctest.h>

#include <string>

#include "scenarios/answer/planner.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/listings/templates.hpp"
#include "sim/base/error.hpp"
#include "tests/document_faults.hpp"
#include "tests/unit/schema_faults.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

Scenario saturn(const std::string& failures) {
  return load_scenario(std::string{RACKCAST_SOURCE_DIR} + "/scenarios/saturn_v.json",
                       {"cluster.nodes=16", "failures=" + failures});
}

}  // namespace

TEST_CASE("failures lengthen the training by one over the goodput") {
  const Catalog catalog = Catalog::builtin();
  const Result without = simulate(
      load_scenario(std::string{RACKCAST_SOURCE_DIR} + "/scenarios/saturn_v.json", {"cluster.nodes=16"}),
      catalog);
  const Result with = simulate(saturn(R"({"checkpoint_stall": "30 s", "node_mtbf": "100 h"})"), catalog);
  REQUIRE(with.workloads.front().reliability);
  const ReliabilityReport& r = *with.workloads.front().reliability;
  CHECK(r.plan.nodes == 16);
  CHECK(r.plan.spec.mttf.base() == doctest::Approx(100 * 3600.0 / 16));
  CHECK(r.goodput.value < 1);
  CHECK(with.prediction.time_to_train.value * r.goodput.value ==
        doctest::Approx(without.prediction.time_to_train.value));
  CHECK(r.goodput.low < r.goodput.value);
  CHECK(r.interruptions.high > r.interruptions.low);
  CHECK(schema_faults(schema_text("result"), checked_json_text(with)) == "");
}

TEST_CASE("a fixed interval worse than Daly's costs goodput") {
  const Catalog catalog = Catalog::builtin();
  const auto goodput = [&](const std::string& rule) {
    const Result r = simulate(
        saturn(R"({"checkpoint_stall": "30 s", "node_mtbf": "100 h", "checkpoint": ")" + rule + "\"}"),
        catalog);
    return r.workloads.front().reliability->goodput.value;
  };
  CHECK(goodput("5 h") < goodput("daly"));
  CHECK(goodput("young") <= goodput("daly") + 1e-3);
}

TEST_CASE("hostile failures are refused at their place") {
  for (const char* text :
       {R"({"spares": -1})", R"({"spares": 1.5})", R"({"node_mtbf": "0 h"})", R"({"node_mtbf": 5000})",
        R"({"node_mtbf": "-5 h"})", R"({"repair": "1 kg"})", R"({"checkpoint": "sometimes"})",
        R"({"checkpoint": "0 s"})", R"({"mtbf": "5 h"})", R"([])", R"({})", R"({"checkpoint": 30})"}) {
    CAPTURE(text);
    try {
      saturn(text);
      FAIL("accepted");
    } catch (const Error& e) {
      CHECK(e.where().line > 0);
      CHECK(e.kind() == ErrorKind::invalid_input);
    }
  }
}

TEST_CASE("issue 23, item 36: nodes that fail all the time are the input's doing, and no time to train") {
  const auto said = [](const char* failures, bool sized) {
    Scenario s = saturn(failures);
    return error_text([&] {
      if (!sized) return (void)simulate(s, Catalog::builtin());
      s = load_scenario(std::string{RACKCAST_SOURCE_DIR} + "/scenarios/saturn_v.json",
                        {R"(goal={"deadline": "1 h", "max_nodes": 4})", std::string{"failures="} + failures});
      (void)size(s, Catalog::builtin());
    });
  };
  for (const bool sized : {false, true}) {
    CAPTURE(sized);
    for (const char* failures : {R"({"checkpoint_stall": "1 h", "node_mtbf": "1 s"})",
                                 R"({"checkpoint_stall": "1 s", "node_mtbf": "1 ns"})"}) {
      const std::string text = said(failures, sized);
      CAPTURE(text);
      CHECK(contains(text, "no training gets done: the job fails every "));
      CHECK(contains(text, "state a longer \"node_mtbf\""));
    }
  }
  CHECK(said(R"({"checkpoint_stall": "1 s", "node_mtbf": "100 h"})", false).empty());
}

TEST_CASE("saves of a network split over GPUs are paid for") {
  const Scenario split = load_scenario(
      std::string{RACKCAST_SOURCE_DIR} + "/scenarios/saturn_v.json",
      {"cluster.nodes=2", R"(storage.array="nfs_10gbe")", R"(failures={"node_mtbf": "1000 h"})",
       R"(workloads=[{"model": "gpt2-xl", "epochs": 1, "precision": "mixed", "framework": {"name": "megatron"},
                      "parallelism": {"tensor": 1, "pipeline": 4, "micro_batch": 4, "micro_batches": 8}}])"});
  const Result r = simulate(split, Catalog::builtin());
  const FailurePlan& plan = r.workloads.front().reliability->plan;
  CHECK(plan.save.checkpoint > Bytes{1e9});
  CHECK(plan.save.stall >= plan.save.checkpoint / Bandwidth{1.25e9});  // 10 GbE at best
  CHECK(plan.spec.interval > plan.save.stall);
}
