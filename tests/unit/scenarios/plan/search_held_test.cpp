// What a search keeps, which sizes it asks for, and how it counts money and splits.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "reports/sentences/reason_sentences.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/plan/plan_search.hpp"
#include "sim/json/reader.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& shipped() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

Scenario read(const std::string& workloads, const std::string& rest) {
  const std::string text = R"({"name": "x", "data": {"samples": 1000000, "bytes_per_sample": "4 kB"},
    "storage": {"array": "none"}, "workloads": [)" +
                           workloads + "], " + rest + "}";
  return read_scenario(parse_json(text, "x.json"), "x.json");
}

constexpr const char* kResnet =
    R"({"model": "resnet50", "epochs": 1, "batch_per_gpu": 32, "precision": "mixed"})";

/// A job of eight GPUs that no number of nodes makes fast enough.
Scenario impossible(int most) {
  return read(kResnet, fmt::format(R"("cluster": {{"node": "gb200_nvl72_rack", "gpus_per_job": 8}},
    "goal": {{"deadline": "1 s", "max_nodes": {}}})",
                                   most));
}

}  // namespace

TEST_CASE("issue 23, item 35: a job of so many GPUs is simulated at few of its numbers of nodes") {
  // Sizes grow by half; nothing differs between them, so no interval is halved.
  const Result r = size(impossible(300), shipped());
  CHECK_FALSE(r.answer.feasible);
  CHECK(r.plan->simulated < 40);
}

TEST_CASE(
    "issue 23, item 35: clusters are given back but for the last, and what was simulated on them is known") {
  const Scenario s = impossible(300);
  Evaluator evaluator{shipped()};
  Question q = question(s, s.workloads.front());
  for (const int nodes : {1, 20, 40}) {
    q.cluster.nodes = nodes;
    (void)evaluator.time_to_train(q);
  }
  CHECK(evaluator.clusters_held() == 3);
  evaluator.give_back();  // they are small
  CHECK(evaluator.clusters_held() == 3);
  evaluator.give_back(0);
  CHECK(evaluator.clusters_held() == 1);
  q.cluster.nodes = 1;
  (void)evaluator.time_to_train(q);  // needs no cluster
  CHECK(evaluator.clusters_held() == 1);
}

TEST_CASE("issue 23, item 35: a search holds no more clusters than it may") {
  const Scenario s = impossible(1500);
  Evaluator evaluator{shipped()};
  RunControl control;
  Scenario chosen;
  const PlanReport plan = make_plan(evaluator, s, control, chosen);
  const auto all = evaluator.clusters_held();
  CHECK(all < plan.simulated);
  evaluator.give_back();
  CHECK(evaluator.clusters_held() == all);
}

TEST_CASE("issue 23, item 35: whoever goes on to another size may give the last cluster back, too") {
  const Scenario s = impossible(300);
  Evaluator evaluator{shipped()};
  const Question q = question(s, s.workloads.front());
  (void)evaluator.time_to_train(q);
  CHECK(evaluator.clusters_held() == 1);
  evaluator.give_back(0, false);
  CHECK(evaluator.clusters_held() == 0);
  (void)evaluator.cluster(q);  // is built again
  CHECK(evaluator.clusters_held() == 1);
}

TEST_CASE("issue 23, item 35: where passes alone outlast the deadline, few sizes are simulated") {
  // A step takes tens of milliseconds at any number of nodes, and 196 nodes see all 50,000 images in one.
  const Scenario s =
      read(R"({"model": "resnet50", "epochs": 0.05, "batch_per_gpu": 32, "precision": "mixed"})",
           R"("cluster": {"node": "dgx1v_16gb"},
                             "goal": {"deadline": "1 ms", "max_nodes": 3000})");
  Evaluator evaluator{shipped()};
  Question q = question(s, s.workloads.front());
  for (const int nodes : {1, 3, 20}) {
    q.cluster.nodes = nodes;
    CAPTURE(nodes);
    CHECK(evaluator.least_time(q) > Duration{0.5 * evaluator.time_to_train(q).base()});
    CHECK(evaluator.least_time(q) < evaluator.time_to_train(q));
  }
  const Result r = size(s, shipped());
  CHECK_FALSE(r.answer.feasible);
  CHECK(r.plan->simulated < 40);
  REQUIRE(r.plan->nearest);
  CHECK(r.plan->nearest->nodes < 400);
  const std::string why = reports::why_text(r.answer.conflicts.front().why);
  CAPTURE(why);
  CHECK(why.find("None of 1 to 3000 nodes") != std::string::npos);
  CHECK(why.find("the forward and backward passes alone take") != std::string::npos);
  CHECK(why.find(fmt::format("{} nodes take", r.plan->nearest->nodes)) != std::string::npos);
}

TEST_CASE(
    "issue 23, item 35: no time is too short for a network whose kernels depend on the number of GPUs") {
  const Scenario s =
      read(R"({"model": "resnet50", "epochs": 1, "global_batch": 1024, "precision": "mixed"})",
           R"("cluster": {"node": "dgx1v_16gb"}, "goal": {"deadline": "1 ms", "max_nodes": 8})");
  Evaluator evaluator{shipped()};
  CHECK(evaluator.least_time(question(s, s.workloads.front())) == Duration{0});
}

TEST_CASE("issue 23, item 37: clusters that threads build ahead are named too") {
  const Scenario s = read(kResnet, R"("cluster": {"node": "dgx1v_16gb"})");
  std::set<int> told;
  RunControl control;
  control.threads = 2;
  control.on_building = [&told](int nodes) {
    told.insert(nodes);
  };
  Evaluator evaluator{shipped(), control};
  std::vector<Evaluator::Task> tasks;
  for (const int nodes : {4, 6}) {
    tasks.emplace_back([&s, nodes](Evaluator& worker) {
      Question q = question(s, s.workloads.front());
      q.cluster.nodes = nodes;
      (void)worker.cluster(q);
    });
  }
  evaluator.rehearse(tasks);
  CHECK(told == std::set{4, 6});
}

TEST_CASE("issue 23, item 37: whoever waits for a cluster to be built is told its number of nodes") {
  const Scenario s = read(kResnet, R"("cluster": {"node": "dgx1v_16gb", "nodes": 4})");
  int nodes = 0;
  RunControl control;
  control.on_building = [&nodes](int of) {
    nodes = of;
  };
  Evaluator evaluator{shipped(), control};
  (void)evaluator.cluster(question(s, s.workloads.front()));
  CHECK(nodes == 4);
}

TEST_CASE("issue 23, item 1: a conflict of GPU memory is told in bytes") {
  const Scenario s =
      read(R"({"model": "gpt3-175b", "epochs": 1, "batch_per_gpu": 64, "precision": "mixed"})",
           R"("cluster": {"node": "dgx1v_16gb"}, "goal": {"deadline": "1 h", "max_nodes": 4})");
  const Result r = size(s, shipped());
  REQUIRE(r.plan->conflict_set.size() == 1);
  const doc::Plan::Conflict& c = r.plan->conflict_set.front();
  CHECK(c.limit == "gpu_memory");
  CHECK(c.allowed == r.answer.conflicts.front().required);
  CHECK(c.needed == r.answer.conflicts.front().best);
}

TEST_CASE("more data come with more storage only where there is storage") {
  const Result r =
      size(read(kResnet, R"("cluster": {"node": "dgx1v_16gb"}, "goal": {"deadline": "10 min"})"), shipped());
  REQUIRE(r.answer.feasible);
  const auto data = std::ranges::find(r.answer.changes, std::string{"data"}, &Change::input);
  REQUIRE(data != r.answer.changes.end());
  CHECK(data->change == "twice as much");
}

TEST_CASE("nodes that a job leaves idle are spares before others are bought") {
  const auto asked = [](int nodes) {
    const Scenario s = read(kResnet, fmt::format(R"("cluster": {{"node": "dgx1v_16gb", "nodes": {},
      "gpus_per_job": 16}}, "failures": {{"spares": 2, "checkpoint_stall": "1 s"}})",
                                                 nodes));
    return question(s, s.workloads.front());
  };
  Evaluator evaluator{shipped()};
  CHECK(evaluator.spares(asked(2)) == 2);  // two nodes train
  CHECK(evaluator.spares(asked(3)) == 1);
  CHECK(evaluator.spares(asked(4)) == 0);
  CHECK(evaluator.spares(asked(7)) == 0);
  CHECK(evaluator.failures(asked(3))->spares == 2);
  CHECK(evaluator.failures(asked(7))->spares == 5);
}

TEST_CASE("a sum of money that leaves something out does not win by that") {
  Judged known, open;
  known.total = 2e6;
  open.total = 1e6;
  open.missing.prices.push_back("4 x a switch");
  CHECK(rank(Objective::lowest_cost, known) < rank(Objective::lowest_cost, open));
  CHECK_FALSE(better_by(1e-9, Objective::lowest_cost, open, known));
  CHECK_FALSE(better_by(1e-9, Objective::lowest_cost, known, open));  // by the sums it is dearer
  Judged cheaper = known;
  cheaper.total = 1.5e6;
  CHECK(better_by(1e-9, Objective::lowest_cost, cheaper, known));
}

TEST_CASE("each workload of a search has a split of its own") {
  // Four GPUs hold the weights of the large one, and eight sequences at once are faster for the small one.
  const std::string two =
      R"({"model": "gpt2-8.3b", "epochs": 1, "precision": "mixed", "framework": {"name": "megatron"},
          "parallelism": {"tensor": 8}},
         {"model": "gpt2-1.2b", "epochs": 1, "precision": "mixed", "framework": {"name": "megatron"},
          "parallelism": {"tensor": 8}})";
  const Scenario s =
      read(two, R"("cluster": {"node": "dgx2"}, "goal": {"deadline": "3000 days", "max_nodes": 2,
    "objective": "fastest"}, "search": {"parallelism": [{"tensor": 16}, {"tensor": 1, "micro_batch": 1}]})");
  const PlanReport plan = *size(s, shipped()).plan;
  CHECK(plan.designs == 4);
  REQUIRE(plan.chosen);
  CHECK(plan.chosen->workloads[0].parallelism != plan.chosen->workloads[1].parallelism);
}

TEST_CASE("too many splits for several workloads are refused at the first of them") {
  std::string workloads, splits;
  for (int w = 0; w < 3; ++w)
    workloads += fmt::format(R"({}{{"model": "gpt2-1.2b", "epochs": {}, "precision": "mixed",
      "framework": {{"name": "megatron"}}, "parallelism": {{"tensor": 1}}}})",
                             w > 0 ? ", " : "", w + 1);
  for (int m = 1; m <= 8; ++m)
    splits += fmt::format(R"({}{{"tensor": 1, "micro_batch": {}}})", m > 1 ? ", " : "", m);
  const Scenario s = read(workloads, R"("cluster": {"node": "dgx2"}, "goal": {"deadline": "10 days"},
    "search": {"parallelism": [)" + splits +
                                         "]}");
  try {
    (void)size(s, shipped());
    FAIL("accepted");
  } catch (const Error& e) {
    CHECK(e.message() == "8 splits for each of 3 workloads are more than 256 choices");
    CHECK(e.where().line > 0);
    CHECK(e.kind() == ErrorKind::invalid_input);
  }
}
