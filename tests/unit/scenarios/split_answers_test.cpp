// Answers about networks that are split over GPUs: memory, the parts of the step, its timeline, what
// `explain` says, and shares of the peak.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "models/memory/memory.hpp"
#include "models/networks/low_rank.hpp"
#include "models/networks/workload.hpp"
#include "models/split/utilisation.hpp"
#include "reports/pages/report.hpp"
#include "reports/result/result.hpp"
#include "scenarios/answer/explain.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/sweep/sweep.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/error.hpp"
#include "sim/engine/trace.hpp"
#include "tests/render_document.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "tests/unit/sim/temporary_folder.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

struct Asked {
  std::string split, model = "llama3-70b", node = "dgx_h100", more = {};
  int nodes = 8;
  std::string framework = "megatron-core";
};

std::string text_of(const Asked& a) {
  return fmt::format(
      R"({{"name": "x", "data": {{"samples": 2000000, "bytes_per_sample": "4 kB"}},
 "storage": {{"array": "none"}}, "workloads": [{{"model": "{}", "epochs": 1, "precision": "bf16",
 "framework": {{"name": "{}"}}{}}}], "cluster": {{"node": "{}", "nodes": {}}}{}}})",
      a.model, a.framework, a.split.empty() ? "" : ", \"parallelism\": " + a.split, a.node, a.nodes, a.more);
}

Scenario scenario(const Asked& a) {
  return read_scenario(parse_json(text_of(a), "x.json"), "x.json");
}

MemoryUse memory(const Asked& a) {
  Evaluator evaluator{catalog()};
  const Scenario s = scenario(a);
  return evaluator.memory_use(question(s, s.workloads.front()));
}

nlohmann::json document(const Result& result) {
  return nlohmann::json::parse(to_json_text(result)).at("workloads").at(0);
}

const std::string deep = R"({"tensor": 8, "pipeline": 8, "micro_batches": 16, "zero_stage": 1})";

}  // namespace

TEST_CASE("issue 23, item 5: Llama 3 70B at tensor 8, pipeline 8, one sequence takes tens of gigabytes") {
  const MemoryUse use = memory({.split = deep});
  // 34 h s / 8 without dropout, keys of 8 heads and a gated MLP: 80 layers of 0.36 GB.
  CHECK(use.activations > Bytes{20e9});
  CHECK(use.activations < Bytes{40e9});
  CHECK(use.total() < Bytes{80e9});
  CHECK(simulate(scenario({.split = deep}), catalog()).answer.feasible);
  // Without the sequence split, still tens.
  const MemoryUse whole =
      memory({.split = R"({"tensor": 8, "pipeline": 8, "micro_batches": 16, "zero_stage": 1,
    "sequence_parallel": false})"});
  CHECK(whole.activations > 2 * use.activations);
  CHECK(whole.activations < Bytes{80e9});
  const MemoryUse full =
      memory({.split = R"({"tensor": 8, "pipeline": 8, "micro_batches": 16, "zero_stage": 1,
    "recompute": "full"})"});
  CHECK(full.activations < 0.2 * use.activations);
}

TEST_CASE("issue 23, item 5: a network of 30 billion parameters at tensor 4 fits where it does") {
  const Asked nano{.split = R"({"tensor": 4, "zero_stage": 1, "micro_batches": 8})",
                   .model = "nemotron3-nano-30b",
                   .nodes = 4};
  const MemoryUse use = memory(nano);
  // A quarter of 31.6 billion parameters, 2 + 4 bytes each and 12 over eight replicas.
  const double own = load_workload("nemotron3-nano-30b").parameters() / 4;
  CHECK((use.weights + use.gradients + use.optimizer).base() == doctest::Approx(own * 7.5).epsilon(0.02));
  CHECK(use.total() < Bytes{80e9});
  CHECK(simulate(scenario(nano), catalog()).answer.feasible);
}

TEST_CASE(
    "issue 23, item 6: every answer names the pipeline's bubble, and exposed time is busy time at most") {
  Asked asked{
      .split = R"({"tensor": 8, "pipeline": 8, "micro_batches": 4, "zero_stage": 1, "recompute": true})",
      .nodes = 16};
  const Result r = simulate(scenario(asked), catalog());
  const auto step = document(r).at("step");
  double sum = 0, bubble = 0, exposed = 0;
  for (const auto& part : step.at("parts")) {
    const double seconds = part.at("seconds").get<double>();
    sum += seconds;
    if (part.at("name") == "pipeline bubble") bubble = seconds;
    if (part.at("name") == "all-reduce, exposed") exposed = seconds;
  }
  CHECK(sum == doctest::Approx(step.at("total_s").get<double>()));
  CHECK(bubble > 0.5 * sum);
  CHECK(exposed <= step.at("all_reduce_busy_s").get<double>());
  CHECK(exposed < 0.2 * sum);
  CHECK(step.at("binds") == "filling and draining the pipeline");
  CHECK(contains(explain_step(scenario(asked), catalog(), "", 3), "pipeline bubble"));
}

TEST_CASE("issue 23, item 14: the timeline of a split network is that of its stages") {
  const Result r = simulate(scenario({.split = deep}), catalog());
  const StepTimeline& t = r.workloads.front().timeline;
  REQUIRE(t.lanes.size() == 9);
  CHECK(t.lanes[0].name == "Critical path");
  CHECK(t.lanes[1].name == "Stage 1 of 8, node 0, GPU 0");
  Duration path{0};
  for (const StepTimeline::PathPart& part : t.path) path += part.time;
  CHECK(path.base() == doctest::Approx(t.length.base()).epsilon(1e-9));
  CHECK(t.length.base() == doctest::Approx(r.workloads.front().run.parts.total.base()));
  Duration longest{0};
  for (const StepTimeline::Lane& lane : t.lanes) {
    Duration sum{0};
    for (const StepTimeline::Span& span : lane.spans) {
      CHECK(span.start >= Duration{-1e-9});
      sum += span.length;
    }
    longest = std::max(longest, sum);
    CHECK(sum > 0.99 * t.length);  // a stage with fewer weights has updated them earlier
  }
  CHECK(longest.base() == doctest::Approx(t.length.base()).epsilon(1e-6));
  Tracer tracer{Clock{TickLength::picosecond}};
  (void)simulate(scenario({.split = deep}), catalog(), &tracer);
  CHECK(tracer.size() > 8 * 2 * 16);
  // Hundreds of micro-batches are more boxes than a page draws: the narrow ones are joined, none is lost.
  const Result many =
      simulate(scenario({.split = R"({"tensor": 8, "pipeline": 8, "micro_batches": 512, "zero_stage": 1})"}),
               catalog());
  for (const StepTimeline::Lane& lane : many.workloads.front().timeline.lanes) {
    CHECK(lane.spans.size() <= 400);
    CHECK(lane.spans.back().start + lane.spans.back().length > 0.99 * many.workloads.front().timeline.length);
  }
  const Result odd =
      simulate(scenario({.split = R"({"tensor": 8, "pipeline": 8, "interleave": 2, "micro_batches": 12})"}),
               catalog());
  CHECK(odd.workloads.front().timeline.lanes.empty());
  CHECK(contains(odd.workloads.front().no_timeline, "There is no timeline"));
}

TEST_CASE("issue 23, item 7: explain says what a split step does, or refuses as simulate does") {
  const Asked asked{.split = deep};
  const std::string text = explain_step(scenario(asked), catalog(), "", 3);
  CHECK_FALSE(contains(text, "unsplit"));
  CHECK(contains(text, "tensor 8 x pipeline 8, stage "));
  CHECK(contains(text, "The step on 64 GPUs"));
  CHECK(contains(text, "exchange of activations"));
  CHECK(contains(text, "largest micro-batch that fits"));
  for (const Asked& wrong :
       {Asked{.split = R"({"tensor": 8, "pipeline": 3})"}, Asked{.split = R"({"tensor": 3})", .nodes = 3},
        Asked{.split = R"({"pipeline": 96})", .nodes = 12},
        Asked{.split = R"({"tensor": 2})", .model = "resnet50"}}) {
    const std::string simulated = error_text([&] { (void)simulate(scenario(wrong), catalog()); });
    CHECK_FALSE(simulated.empty());
    CHECK(error_text([&] { (void)explain_step(scenario(wrong), catalog(), "", 3); }) == simulated);
  }
}

TEST_CASE(
    "issue 23, item 7: explain and simulate say of figures of what does not fit that they are as if it did") {
  const Scenario unsplit =
      read_scenario(parse_json(R"({"name": "x", "data": {"samples": 1000, "bytes_per_sample": "8 kB"},
                     "storage": {"array": "none"}, "cluster": {"node": "dgx_h100", "nodes": 1},
                     "workloads": [{"model": "llama3-70b", "epochs": 1, "batch_per_gpu": 1, "precision": "bf16"}]})",
                               "x.json"),
                    "x.json");
  CHECK(contains(explain_step(unsplit, catalog(), "", 3), "as if it fitted the GPU's memory"));
  const Result r = simulate(unsplit, catalog());
  CHECK(contains(reports::render_markdown(reports::load_result(to_json_text(r), "x")),
                 "(as if the memory of a GPU were enough)"));
}

TEST_CASE("issue 23, item 7: products far above the machine's balance are bound by arithmetic") {
  for (const char* node : {"dgx_h100", "dgx_b200"}) {
    const std::string text = explain_step(scenario({.split = deep, .node = node}), catalog(), "", 40);
    CAPTURE(node);
    const auto tables = nlohmann::json::parse(text).at("tables");
    int products = 0;
    for (const auto& table : tables) {
      if (!contains(table.at("caption").get<std::string>(), "The longest kernels")) continue;
      for (const auto& row : table.at("rows")) {
        const std::string name = row.at(0).get<std::string>();
        if (!contains(name, "mlp.up") && !contains(name, "mlp.down")) continue;
        ++products;
        CHECK(row.at(2) == "compute");
      }
    }
    CHECK(products > 0);
  }
}

TEST_CASE("issue 23, item 29: a context of several GPUs is a part of the split that a scenario states") {
  const Asked two{.split = R"({"tensor": 4, "pipeline": 2, "context": 2, "micro_batches": 8, "zero_stage": 1,
    "recompute": "selective"})"};
  const Result r = simulate(scenario(two), catalog());
  CHECK(r.workloads.front().global_batch == 4 * 8);  // 64 GPUs are four groups of 16
  const Asked one{.split = R"({"tensor": 4, "pipeline": 2, "micro_batches": 8, "zero_stage": 1,
    "recompute": "selective"})"};
  CHECK(memory(two).activations < 0.6 * memory(one).activations);
  CHECK(memory(two).optimizer == memory(one).optimizer);  // sharded over all that have the same weights
  CHECK(contains(
      error_text([&] { (void)simulate(scenario({.split = R"({"tensor": 8, "context": 3})"}), catalog()); }),
      "64 GPUs are no multiple of 8 x 1 x 3, tensor x pipeline x context"));
  CHECK(contains(error_text([&] { (void)scenario({.split = R"({"recompute": "some"})"}); }),
                 "unknown recomputation \"some\""));
}

TEST_CASE("issue 23, item 29: MFU and HFU are those of their papers") {
  // GPT-3 2.7B: 6 N + 12 L H Q T per token, N without the position table that nothing multiplies.
  const Workload gpt = load_workload("gpt3-2.7b");
  const double layers = 32, hidden = 2560, tokens = 2048, words = 50257;
  const double n = 12 * layers * hidden * hidden + words * hidden;
  const TrainingArithmetic plain = training_arithmetic(gpt, Recomputation::none);
  CHECK(plain.model.base() / tokens == doctest::Approx(6 * n + 12 * layers * hidden * tokens).epsilon(0.002));
  CHECK(plain.hardware == plain.model);
  // Korthikanti et al., section 6.3: selective recomputation adds attention's 4 s^2 h, full a forward pass.
  const TrainingArithmetic selective = training_arithmetic(gpt, Recomputation::selective);
  CHECK((selective.hardware - selective.model).base() ==
        doctest::Approx(layers * 4 * tokens * tokens * hidden).epsilon(0.001));
  const TrainingArithmetic full = training_arithmetic(gpt, Recomputation::full);
  CHECK((full.hardware - full.model).base() ==
        doctest::Approx(plain.model.base() / 3 - 2 * tokens * hidden * words).epsilon(0.002));
  // Frozen weights have no gradient: 4 N instead of 6 N, and 6 for each weight of the adapters of attention's
  // products, hidden to 3 hidden and hidden to hidden.
  const double rank = 16, of_adapters = layers * rank * ((hidden + 3 * hidden) + (hidden + hidden));
  const TrainingArithmetic tuned = training_arithmetic(with_adapters(gpt, {.rank = 16}), Recomputation::none);
  CHECK(tuned.model.base() / tokens ==
        doctest::Approx(4 * n + 12 * layers * hidden * tokens + 6 * of_adapters).epsilon(0.002));
}

TEST_CASE("issue 23, item 29: answers of language models have tokens per second and shares of the peak") {
  const Result r = simulate(scenario({.split = R"({"tensor": 8, "pipeline": 8, "micro_batches": 64,
    "zero_stage": 1, "recompute": "full"})"}),
                            catalog());
  const WorkloadResult& w = r.workloads.front();
  REQUIRE(w.utilisation);
  const Utilisation& u = *w.utilisation;
  CHECK(u.tokens_per_s.value == doctest::Approx(8192 * w.prediction.samples_per_s.value));
  CHECK(u.tokens_per_s_per_gpu.value == doctest::Approx(u.tokens_per_s.value / 64));
  CHECK(u.peak.base() == doctest::Approx(989.5e12).epsilon(0.01));
  CHECK(u.mfu.value ==
        doctest::Approx(u.tokens_per_s_per_gpu.value * u.model_flop_per_token.base() / u.peak.base()));
  CHECK(u.mfu.value > 0.2);
  CHECK(u.mfu.value < 0.7);
  CHECK(u.hfu.value > 1.25 * u.mfu.value);
  CHECK(u.hfu.value < 1.34 * u.mfu.value);
  CHECK(u.mfu.low < u.mfu.value);
  const auto json = document(r);
  CHECK(json.at("utilisation").at("mfu").at("value") == u.mfu.value);
  CHECK(json.at("parallelism") == "tensor 8 x pipeline 8");
  CHECK(json.at("memory_bytes_per_gpu").get<double>() > 1e10);
  CHECK_FALSE(
      document(simulate(scenario({.split = "", .model = "resnet50"}), catalog())).contains("utilisation"));
}

TEST_CASE("issue 23, item 29: a search chooses among splits, a sweep has their memory") {
  const std::string goal = R"(, "goal": {"deadline": "12 days", "max_nodes": 16},
    "search": {"parallelism": [{"tensor": 8, "zero_stage": 1, "micro_batches": 64},
      {"tensor": 8, "pipeline": 2, "zero_stage": 1, "micro_batches": 64, "recompute": "full"},
      {"tensor": 8, "pipeline": 4, "zero_stage": 1, "micro_batches": 64}]})";
  const Asked asked{.split = "", .more = goal};
  const Result r = size(scenario(asked), catalog());
  REQUIRE(r.answer.feasible);
  REQUIRE(r.plan);
  CHECK(r.plan->designs == 3);
  REQUIRE(r.plan->chosen);
  const doc::PlanCandidate::Workload& chosen = r.plan->chosen->workloads.front();
  CHECK_FALSE(chosen.parallelism.empty());
  REQUIRE(chosen.memory_bytes_per_gpu);
  CHECK(*chosen.memory_bytes_per_gpu < 80e9);
  // As sizing each split by itself: none takes fewer nodes.
  int least = 1000;
  for (const char* split :
       {R"({"tensor": 8, "zero_stage": 1, "micro_batches": 64})",
        R"({"tensor": 8, "pipeline": 2, "zero_stage": 1, "micro_batches": 64, "recompute": "full"})",
        R"({"tensor": 8, "pipeline": 4, "zero_stage": 1, "micro_batches": 64})"}) {
    const Result alone =
        size(scenario({.split = split, .more = R"(, "goal": {"deadline": "12 days", "max_nodes": 16})"}),
             catalog());
    if (alone.answer.feasible) least = std::min(least, alone.answer.nodes);
  }
  CHECK(r.answer.nodes == least);
  CHECK(contains(error_text([&] {
                   (void)scenario({.split = "", .more = R"(, "goal": {"deadline": "12 days"},
            "search": {"parallelism": [{"tensor": 8}], "batch_per_gpu": [1]})"});
                 }),
                 "no \"batch_per_gpu\" of their own"));

  const TemporaryFolder folder;
  const std::string file = folder / "split.json";
  write_file_atomically(file, text_of({.split = deep}));
  SweepSpec spec;
  spec.scenario = file;
  spec.axes = {read_axis("workloads.0.parallelism.tensor=4,8")};
  SweepStore store{folder / "sweep.db", sweep_question(spec)};
  run_sweep(spec, catalog(), store);
  const std::string csv = sweep_csv(store);
  CHECK(contains(csv, "goodput,parallelism,memory_bytes,tokens_per_s,mfu,hfu,binds"));
  CHECK(contains(csv, "tensor 8 x pipeline 8"));
}
