// How many nodes a split network needs: never a count whose GPUs cannot hold it or are no multiple of its
// split.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "models/memory/memory.hpp"
#include "reports/sentences/reason_sentences.hpp"
#include "scenarios/answer/node_counts.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/answer/training_demand.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/uncertainty/uncertainty.hpp"
#include "tests/answer_sentence.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

struct Asked {
  std::string model = "gpt2-8.3b", split, node = "dgx1v_16gb", deadline = "3000 days";
  int nodes = 1, max_nodes = 64;
};

Scenario scenario(const Asked& a) {
  const std::string text = fmt::format(
      R"({{"name": "x", "data": {{"samples": 2000000, "bytes_per_sample": "4 kB"}},
 "storage": {{"array": "none"}}, "workloads": [{{"model": "{}", "epochs": 1, "precision": "mixed",
 "framework": {{"name": "megatron"}}, "parallelism": {}}}], "cluster": {{"node": "{}", "nodes": {}}},
 "goal": {{"deadline": "{}", "max_nodes": {}}}}})",
      a.model, a.split, a.node, a.nodes, a.deadline, a.max_nodes);
  return read_scenario(parse_json(text, "x.json"), "x.json");
}

Result sized(const Asked& a) {
  return size(scenario(a), catalog());
}

/// Of the memory of a GPU that so many nodes leave it.
double use_at(Evaluator& evaluator, const Scenario& s, int nodes) {
  Question q = question(s, s.workloads.front());
  q.cluster.nodes = nodes;
  return training_memory(evaluator.workload(q.workload), evaluator.memory(q)).total() /
         evaluator.node(q.cluster).gpu_memory;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const Change* row_of(const Answer& answer, const std::string& input, const std::string& change) {
  for (const Change& c : answer.changes)
    if (c.input == input && c.change == change) return &c;
  return nullptr;
}

const std::string zero3 = R"({"zero_stage": 3, "recompute": true})";
const std::string zero1 = R"({"tensor": 2, "zero_stage": 1, "recompute": true})";
const std::string stages = R"({"tensor": 8, "pipeline": 4, "micro_batches": 16, "zero_stage": 1,
 "recompute": true})";

}  // namespace

TEST_CASE("states sharded over the replicas: memory and not the deadline says how many nodes") {
  // 8.3 billion parameters of 20 bytes: 21 GB on each of eight GPUs of 16 GB, 10 GB on each of 16.
  const Asked asked{.split = zero3};
  const Result r = sized(asked);
  REQUIRE(r.answer.feasible);
  CHECK(r.answer.nodes == 2);
  CHECK(r.workloads.front().answer.nodes == 2);
  CHECK(r.answer.binding_constraint == "gpu_memory");
  CHECK(contains(answer_sentence(r), "Memory binds and not the deadline: 2 nodes at least."));
  REQUIRE(r.answer.why_not_fewer);
  CHECK(r.answer.why_not_fewer->nodes == 1);
  CHECK(r.answer.why_not_fewer->fails == "gpu_memory");
  CHECK(contains(reports::why_text(r.answer.why_not_fewer->why), "8.32 GB of optimizer state"));
  CHECK(contains(reports::why_text(r.answer.why_not_fewer->why), "fit from 12 GPUs on"));
  REQUIRE(r.plan);
  REQUIRE(r.plan->chosen);
  CHECK(r.plan->chosen->nodes == 2);
  for (const Change& c : r.answer.changes)
    if (c.nodes) CHECK(*c.nodes >= 2);
  // And the other command says the same.
  CHECK_FALSE(simulate(scenario({.split = zero3, .nodes = 1}), catalog()).answer.feasible);
  CHECK(simulate(scenario({.split = zero3, .nodes = 2}), catalog()).answer.feasible);
}

TEST_CASE("a deadline that more nodes than hold the network must meet still binds") {
  const Result r = sized({.split = zero3, .deadline = "12 hours"});
  REQUIRE(r.answer.feasible);
  CHECK(r.answer.nodes > 2);
  CHECK(r.answer.binding_constraint == "deadline");
  CHECK_FALSE(contains(answer_sentence(r), "Memory binds"));
}

TEST_CASE("what no number of GPUs holds is infeasible, with the splits that would do") {
  // Half of 8.3 billion parameters: 4 bytes each stay whole, 16.6 GB.
  const Asked asked{.split = zero1};
  const Result r = sized(asked);
  CHECK_FALSE(r.answer.feasible);
  CHECK(r.answer.binding_constraint == "gpu_memory");
  CHECK(contains(answer_sentence(r), "No number of GPUs is enough"));
  for (const int stage : {2, 3}) {
    const Change* row = row_of(r.workloads.front().answer, "zero_stage", fmt::format("{}", stage));
    REQUIRE(row);
    REQUIRE(row->nodes);
    Asked other = asked;
    other.split = fmt::format(R"({{"tensor": 2, "zero_stage": {}, "recompute": true}})", stage);
    const Result then = sized(other);
    CHECK(then.answer.feasible);
    CHECK(then.answer.nodes == *row->nodes);
  }
}

TEST_CASE("a pipeline over nodes: the answer is a count that simulate takes") {
  // 8 x 4 GPUs to a copy: four nodes, eight, twelve.
  const Asked asked{.model = "llama3-70b", .split = stages, .node = "dgx_h100", .deadline = "20 days"};
  const Result r = sized(asked);
  REQUIRE(r.answer.feasible);
  CHECK(r.answer.nodes == 4);
  CHECK(r.answer.binding_constraint == "configuration");
  REQUIRE(r.answer.why_not_fewer);
  CHECK(contains(reports::why_text(r.answer.why_not_fewer->why), "24 GPUs are no multiple of 32"));
  Asked at = asked;
  at.nodes = r.answer.nodes;
  CHECK(simulate(scenario(at), catalog()).answer.feasible);

  Asked quick = asked;
  quick.deadline = "6 days";
  const Result faster = sized(quick);
  REQUIRE(faster.answer.feasible);
  CHECK(faster.answer.nodes > 4);
  CHECK(faster.answer.nodes % 4 == 0);
  CHECK(faster.plan->chosen->nodes == faster.answer.nodes);
  REQUIRE(faster.answer.why_not_fewer);
  CHECK(faster.answer.why_not_fewer->nodes == faster.answer.nodes - 4);
  CHECK(faster.answer.why_not_fewer->fails == "deadline");
  for (const Change& c : faster.answer.changes)
    if (c.nodes) CHECK(*c.nodes % 4 == 0);
}

TEST_CASE("fewer nodes than one copy takes: max_nodes conflicts") {
  const Result r = sized({.model = "llama3-70b", .split = stages, .node = "dgx_h100", .max_nodes = 3});
  CHECK_FALSE(r.answer.feasible);
  CHECK(r.answer.binding_constraint == "max_nodes");
  CHECK(contains(answer_sentence(r), "takes 32 GPUs, whole nodes from 4 nodes on"));
  CHECK_FALSE(r.plan->chosen);
}

TEST_CASE("the least nodes are those of trying every one") {
  Evaluator evaluator{catalog()};
  int held_at_once = 0, later = 0, never = 0;
  for (const char* split :
       {R"({"zero_stage": 0})", R"({"zero_stage": 1})", R"({"zero_stage": 2, "recompute": true})",
        R"({"zero_stage": 3, "recompute": true})", R"({"tensor": 4, "zero_stage": 1, "recompute": true})",
        R"({"tensor": 8, "pipeline": 3, "zero_stage": 1, "recompute": true})"})
    for (const char* node : {"dgx1v_16gb", "dgx1v_32gb", "dgx_a100_320gb"})
      for (const char* model : {"gpt2-1.2b", "gpt2-8.3b", "llama3-70b"}) {
        const Scenario s = scenario({.model = model, .split = split, .node = node});
        const NodeCounts counts = node_counts(evaluator, question(s, s.workloads.front()), 40);
        INFO(model << " " << split << " on " << node);
        const int step = contains(split, "pipeline") ? 3 : 1, most = counts.taken.back();
        CHECK(counts.taken.front() == step);
        CHECK(most == 40 / step * step);
        const int answered = counts.taken[counts.least];
        int least = 0;
        for (int nodes = most; nodes > 0; nodes -= step) {
          const bool holds = use_at(evaluator, s, nodes) <= 1;
          if (holds && (least == nodes + step || nodes == most)) least = nodes;
        }
        if (least == 0) {
          CHECK(answered == most);
          CHECK(use_at(evaluator, s, most) > 1);
        } else {
          CHECK(answered == least);
        }
        ++(least == 0 ? never : least == step ? held_at_once : later);
      }
  CHECK(held_at_once > 3);  // so that all three are tried
  CHECK(later > 3);
  CHECK(never > 3);
}

TEST_CASE("the nodes for a confidence hold the network, too") {
  const SampledAnswer r = uncertainty(scenario({.split = zero3}), catalog(), 16);
  CHECK(r.nodes == 2);
  REQUIRE_FALSE(r.confident.empty());
  for (const auto& c : r.confident) CHECK(c.nodes == 2);
  const SampledAnswer wide = uncertainty(
      scenario({.model = "llama3-70b", .split = stages, .node = "dgx_h100", .deadline = "6 days"}), catalog(),
      16);
  for (const auto& c : wide.confident) {
    REQUIRE(c.nodes);
    CHECK(*c.nodes % 4 == 0);
  }
}
