// "parallelism": "auto": what the search takes, what it answers, and what it refuses.
#include "scenarios/splits/split_search.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "reports/pages/report.hpp"
#include "reports/result/result.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/result/result.hpp"
#include "sim/base/error.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

struct Asked {
  std::string split = "\"auto\"", batch = "64", model = "gpt3-2.7b", node = "dgx_a100_320gb", more = {};
  int nodes = 1;
  std::string fabric = "{}", of_workload = {};
};

Scenario scenario(const Asked& a) {
  const std::string text = fmt::format(
      R"({{"name": "x", "data": {{"samples": 20000, "bytes_per_sample": "4 kB"}}, "storage": {{"array": "none"}},
 "workloads": [{{"model": "{}", "epochs": 1, "precision": "bf16",
 "parallelism": {}{}{}}}],
 "cluster": {{"node": "{}", "nodes": {}, "fabric": {}}}{}}})",
      a.model, a.split, a.batch.empty() ? "" : ", \"global_batch\": " + a.batch, a.of_workload, a.node,
      a.nodes, a.fabric, a.more);
  return read_scenario(parse_json(text, "x.json"), "x.json");
}

SplitChoice choice(const Asked& a) {
  Evaluator evaluator{catalog()};
  const Scenario s = scenario(a);
  return *evaluator.split_choice(question(s, s.workloads.front()));
}

std::string refused(const Asked& a) {
  return error_text([&] { (void)simulate(scenario(a), catalog()); });
}

/// Where the refusal points.
std::string place_of_refusal(const Asked& a) {
  try {
    (void)simulate(scenario(a), catalog());
  } catch (const Error& e) {
    CHECK(e.where().line > 0);
    CHECK(e.where().column > 0);
    return e.where().pointer;
  }
  return {};
}

/// Bounds, memory and steps of invented meshes: by tensor ways.
SplitJudge invented(std::vector<double> least, std::vector<double> memory, std::vector<double> step) {
  const auto of = [](std::vector<double> list) {
    return [list = std::move(list)](const Mesh& m) {
      return list.at(static_cast<std::size_t>(m.tensor));
    };
  };
  return {[f = of(std::move(least))](const Mesh& m) { return Duration{f(m)}; },
          [f = of(std::move(memory))](const Mesh& m) { return Bytes{f(m)}; },
          [f = of(std::move(step))](const Mesh& m) {
            StepParts parts;
            parts.total = Duration{f(m)};
            return parts;
          }};
}

std::vector<Mesh> ways(int count) {
  std::vector<Mesh> out;
  for (int tensor = 0; tensor < count; ++tensor) {
    Mesh& mesh = out.emplace_back();
    mesh.tensor = tensor;
  }
  return out;
}

}  // namespace

TEST_CASE("a search simulates in the order of bounds until the fifth best is below the next bound") {
  // Bounds 1 to 8, steps 2 above. The fifth best is 7 from the fifth on; the bound 7 of the seventh might be
  // a step as short, the bound 8 of the eighth cannot.
  const SplitFindings found =
      search_splits(ways(8), Bytes{1},
                    invented({1, 2, 3, 4, 5, 6, 7, 8}, {1, 1, 1, 1, 1, 1, 1, 1}, {3, 4, 5, 6, 7, 8, 9, 10}));
  CHECK(found.simulated == 7);
  CHECK(found.cut_off == 1);
  REQUIRE(found.best.size() == 5);
  CHECK(found.best.front().mesh.tensor == 0);
  CHECK(found.best.back().step.total == Duration{7});
}

TEST_CASE("of equal steps the one with fewer cuts is better, whatever its bound") {
  const SplitFindings found = search_splits(ways(3), Bytes{1}, invented({3, 2, 1}, {1, 1, 1}, {5, 5, 5}));
  CHECK(found.best[0].mesh.tensor == 0);
  CHECK(found.best[2].mesh.tensor == 2);
}

TEST_CASE("where nothing fits, the split that needs least memory is named and nothing is simulated") {
  const SplitFindings found = search_splits(ways(3), Bytes{1}, invented({1, 2, 3}, {9, 4, 5}, {1, 1, 1}));
  CHECK(found.best.empty());
  CHECK(found.simulated == 0);
  CHECK(found.not_fitting == 3);
  CHECK(found.smallest->mesh.tensor == 1);
  CHECK(found.smallest->memory == Bytes{4});
}

TEST_CASE("a network that one GPU does not hold is cut over the GPUs of a layer") {
  // 2.65 billion parameters of 18 bytes are 48 GB; a GPU has 40 GiB. Over two they are 24 GB and fit.
  const Asked alone{.split = R"({"auto": true, "pipeline": 1, "context": 1, "zero_stage": 0})"};
  const SplitChoice best = choice(alone);
  REQUIRE(best.fits());
  CHECK(best.mesh().tensor >= 2);
  const SplitChoice whole =
      choice({.split = R"({"auto": true, "tensor": 1, "pipeline": 1, "context": 1, "zero_stage": 0})"});
  CHECK_FALSE(whole.fits());
  CHECK(whole.found.smallest->memory > Bytes{47e9});
  CHECK(whole.found.simulated == 0);
  // Sharded over the replicas the states are an eighth.
  CHECK(choice({}).fits());
}

TEST_CASE("over slow links stages win, over fast ones replicas do") {
  // With 8 GPUs to a layer two nodes hold two replicas or two stages. Replicas send gradients of 5.3 GB per
  // node, 4.2 s over 10 Gbit/s; stages send 64 x 2 x 10.5 MB, 1.1 s.
  const std::string split = R"({"auto": true, "tensor": 8, "context": 1})";
  const SplitChoice slow =
      choice({.split = split, .nodes = 2, .fabric = R"({"link": "gbe10", "links_per_node": 1})"});
  CHECK(slow.mesh().pipeline == 2);
  const SplitChoice fast = choice({.split = split, .nodes = 2});
  CHECK(fast.mesh().pipeline == 1);
  CHECK(fast.mesh().data == 2);
}

TEST_CASE("the chosen split is the one that a stated split of the same numbers gives") {
  Evaluator evaluator{catalog()};
  const Scenario s = scenario({.nodes = 2});
  const Question asked = question(s, s.workloads.front());
  const Question chosen = evaluator.with_split(asked);
  CHECK_FALSE(chosen.workload.split_search);
  CHECK(evaluator.run(asked).parts.total == evaluator.run(chosen).parts.total);
  CHECK(evaluator.memory_use(asked).total() == evaluator.memory_use(chosen).total());
  CHECK(evaluator.run(asked).samples_per_step == 64);
  CHECK(evaluator.split_choice(asked) == evaluator.split_choice(asked));  // remembered
  CHECK(evaluator.run(asked).parts.total == evaluator.split_choice(asked)->found.best.front().step.total);
}

TEST_CASE("fixed keys hold, and tokens state the batch as samples do") {
  const SplitChoice fixed =
      choice({.split = R"({"auto": true, "tensor": 4, "pipeline": 2, "micro_batch": 2, "zero_stage": 1,
                    "recompute": "full", "schedule": "zero_bubble"})",
              .batch = R"({"tokens": 131072})"});
  for (const JudgedSplit& one : fixed.found.best) {
    CHECK(one.mesh.tensor == 4);
    CHECK(one.mesh.pipeline == 2);
    CHECK(one.mesh.micro_batch == 2);
    CHECK(one.mesh.recompute == Recomputation::full);
    CHECK(one.mesh.schedule == PipelineSchedule::zero_bubble);
    CHECK(one.mesh.batch() * one.mesh.data == 64);
  }
}

TEST_CASE("a search that has no place, or divides nothing, is refused at its place") {
  CHECK(place_of_refusal({.batch = ""}) == "/workloads/0/parallelism");
  CHECK(contains(refused({.batch = ""}), "\"global_batch\""));
  CHECK(contains(refused({.split = "\"car\""}), "unknown split \"car\""));
  CHECK(contains(refused({.split = R"({"auto": false})"}), "true or left out"));
  CHECK(contains(refused({.split = R"({"auto": true, "micro_batches": 4})"}), "no \"micro_batches\""));
  CHECK(contains(refused({.split = R"({"auto": true, "tables": "split"})"}), "no \"tables\""));
  CHECK(contains(refused({.split = R"({"auto": true, "tensr": 4})"}), "tensor"));
  CHECK(contains(refused({.of_workload = R"(, "batch_per_gpu": 4)"}), "\"global_batch\" instead"));
  CHECK(contains(refused({.of_workload = R"(, "exchange": "parameter_server")"}), "all-reduce"));
  // 32 heads of GPT-3 2.7B.
  const std::string heads = refused({.split = R"({"auto": true, "tensor": 5})"});
  CHECK(contains(heads, "32 attention heads cannot be cut over 5 GPUs"));
  CHECK(place_of_refusal({.split = R"({"auto": true, "tensor": 5})"}) == "/workloads/0/parallelism/tensor");
  CHECK(contains(heads, "one of 1, 2, 4, 8"));
  CHECK(contains(refused({.split = R"({"auto": true, "pipeline": 33})"}), "32 layers make no 33 stages"));
  CHECK(contains(refused({.split = R"({"auto": true, "expert": 2})"}), "no experts"));
  CHECK(contains(refused({.split = R"({"auto": true, "micro_batch": 3})"}),
                 "no whole number of micro-batches"));
  CHECK(contains(refused({.batch = R"({"tokens": 1000})"}), "no whole number of samples"));
  // Three replicas, and 7 sequences.
  CHECK(
      contains(refused({.split = R"({"auto": true, "tensor": 8, "pipeline": 1})", .batch = "7", .nodes = 3}),
               "out evenly"));
  CHECK(contains(refused({.model = "resnet50"}), "no plain transformer"));
  CHECK(
      contains(refused({.more = R"(, "search": {"parallelism": [{"tensor": 2}]})"}), "has its own searched"));
  CHECK(contains(error_text([] {
                   (void)scenario(
                       {.more = R"(, "goal": {"deadline": "1 day"}, "search": {"parallelism": ["auto"]})",
                        .of_workload = ""});
                 }),
                 "searches its split"));
}

TEST_CASE("size searches a split for every number of nodes and gives the same bytes on any threads") {
  const Asked asked{.more = R"(, "goal": {"deadline": "40 min", "max_nodes": 4})"};
  std::string first;
  for (const int threads : {1, 2, 8}) {
    RunControl control;
    control.threads = threads;
    const std::string text = to_json_text(size(scenario(asked), catalog(), control));
    if (first.empty()) first = text;
    CHECK(text == first);
  }
  const auto document = nlohmann::json::parse(first);
  CHECK(document["answer"]["feasible"] == true);
  const auto& search = document["workloads"][0]["split_search"];
  CHECK(search["best"].size() == 5);
  CHECK(search["best"][0]["step_s"] <= search["best"][1]["step_s"]);
  CHECK(search["considered"] ==
        search["not_fitting"].get<int>() + search["cut_off"].get<int>() + search["simulated"].get<int>());
  CHECK(search["why"]["code"] == "split_wins");
  CHECK(document["plan"]["chosen"]["workloads"][0]["parallelism"] == document["workloads"][0]["parallelism"]);
}

TEST_CASE("where no split fits, the answer says what the smallest needs") {
  const Result result =
      simulate(scenario({.split = R"({"auto": true, "zero_stage": 0})", .model = "gpt3-175b"}), catalog());
  CHECK_FALSE(result.answer.feasible);
  REQUIRE_FALSE(result.workloads.front().answer.conflicts.empty());
  const Conflict& conflict = result.workloads.front().answer.conflicts.front();
  CHECK(conflict.limit == Limit::gpu_memory);
  CHECK(conflict.why->code() == "memory_of_any_split");
  CHECK(conflict.why->number("needed_bytes") > 300e9);  // 175 billion x 18 bytes over 8 GPUs
}
