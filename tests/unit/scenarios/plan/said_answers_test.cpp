// What an answer says of its bottleneck, of what would fit, and of what nobody can decide.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "models/frameworks/framework.hpp"
#include "models/frameworks/gpu_step.hpp"
#include "models/gpu/cost.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/networks/workload.hpp"
#include "models/step/training.hpp"
#include "reports/pages/report.hpp"
#include "reports/result/result.hpp"
#include "reports/sentences/decision_sentences.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/format/workload_choice.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/site/power_report.hpp"
#include "tests/document_faults.hpp"
#include "tests/render_document.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/gpu_spec.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

using Sets = std::vector<std::pair<std::string, std::string>>;

Scenario asked(const std::string& question, const Sets& sets) {
  Json json = parse_json(question, "said.json");
  for (const auto& [path, value] : sets) json = json.with(path, parse_json_or_string(value, path));
  return read_scenario(json, "said.json");
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string page_of(const Result& r) {
  return reports::render_markdown(reports::load_result(checked_json_text(r), "said"));
}

const std::string kImages = R"({
  "name": "said",
  "data": {"samples": 1281167},
  "workloads": [{"model": "resnet50", "epochs": 90, "batch_per_gpu": 16, "precision": "mixed",
                 "framework": {"name": "pytorch"}}],
  "cluster": {"node": "dgx_b200", "nodes": 2}
})";

const std::string kText = R"({
  "name": "said",
  "data": {"samples": 1000000},
  "workloads": [{"model": "llama3-8b", "epochs": 1, "precision": "bf16", "parallelism": {"tensor": 2}}],
  "cluster": {"node": "dgx_h100"},
  "goal": {"deadline": "30 days", "max_nodes": 16}
})";

}  // namespace

TEST_CASE("issue 23, sibling of 6: a step in which the GPU waits for the host is not bound by the GPU") {
  const Result small = simulate(asked(kImages, {}), catalog());
  const TrainingRun& run = small.workloads.front().run;
  CHECK(run.host_share > 0.5);
  CHECK(run.binds == gpu_or_host(run.host_share));
  CHECK(has(run.binds, "host"));
  CHECK(has(page_of(small), "The GPUs wait for the host"));
  const Result large =
      simulate(asked(kImages, {{"workloads", R"([{"model": "resnet50", "epochs": 90, "batch_per_gpu": 512,
                                         "precision": "mixed", "framework": {"name": "pytorch"}}])"}}),
               catalog());
  CHECK(large.workloads.front().run.host_share < 0.5);
  CHECK(large.workloads.front().run.binds == "GPU compute");
  CHECK_FALSE(has(page_of(large), "The GPUs wait for the host"));
}

TEST_CASE("issue 23, sibling of 6: a GPU that waits for the host runs no kernels, and draws less") {
  TrainingRun run;
  run.parts.forward = Duration{6};
  run.parts.backward = Duration{3};
  run.parts.total = Duration{10};
  CHECK(busy_fraction(run) == doctest::Approx(0.9));
  run.host_share = 0.5;
  CHECK(busy_fraction(run) == doctest::Approx(0.45));
}

TEST_CASE("issue 23, sibling of 5: a split network without a framework is run by one that splits networks") {
  const Scenario s = asked(kText, {});
  WorkloadSpec w = s.workloads.front();
  CHECK(framework_of(w, gpu_spec(catalog(), "h100_sxm5")) == "megatron-core");
  // Attention in one kernel came with Ampere.
  CHECK(framework_of(w, gpu_spec(catalog(), "v100_sxm2_16gb")) == "megatron");
  w.framework = "pytorch";
  CHECK(framework_of(w, gpu_spec(catalog(), "h100_sxm5")) == "pytorch");
  // One that nobody knows stands for no better guess.
  w.framework = "somebody's trainer";
  CHECK(lacks_profile(w));
  CHECK(framework_of(w, gpu_spec(catalog(), "h100_sxm5")) == "megatron-core");
  w.framework.clear();
  w.parallelism.reset();
  CHECK(framework_of(w, gpu_spec(catalog(), "h100_sxm5")).empty());

  Evaluator evaluator{catalog()};
  const Question q = question(s, s.workloads.front());
  CHECK(evaluator.memory_use(q).activations < Bytes{40e9});  // with its scores 97 GB
}

TEST_CASE("issue 23, sibling of 5: where memory binds, the first page says what would fit") {
  const Result r = size(asked(kText, {}), catalog());
  REQUIRE_FALSE(r.answer.feasible);
  const std::string page = page_of(r);
  CHECK(has(page, "Would fit"));
  CHECK(has(page, "stage: 1"));

  // Where no single change is enough, two are tried together.
  const Result pair =
      size(asked(kText, {{"cluster.node", "dgx1v_32gb"}, {"workloads", R"([{"model": "llama3-8b", "epochs": 1,
                                           "precision": "mixed", "parallelism": {"tensor": 2}}])"}}),
           catalog());
  REQUIRE_FALSE(pair.answer.feasible);
  REQUIRE_FALSE(pair.answer.changes.empty());
  for (const Change& change : pair.answer.changes) {
    CHECK(change.less_memory);
    CHECK(has(change.input, " and "));
  }
}

TEST_CASE("issue 23, sibling of 12: a global batch alone names the passes that take fewer nodes") {
  const std::string batch = R"([{"model": "bert-large", "epochs": 3, "global_batch": 65536,
                                 "precision": "mixed", "framework": {"name": "pytorch"}}])";
  const Result r = size(asked(kText, {{"workloads", batch},
                                      {"cluster.node", "dgx_a100_640gb"},
                                      {"goal", R"({"deadline": "4 h", "max_nodes": 256})"}}),
                        catalog());
  REQUIRE(r.answer.feasible);
  REQUIRE(r.answer.binding_constraint == "gpu_memory");
  const auto passes = std::ranges::find(r.answer.changes, true, &Change::less_memory);
  REQUIRE(passes != r.answer.changes.end());
  CHECK(passes->input == "batch_per_gpu");
  CHECK(*passes->nodes < r.answer.nodes);
  const std::string page = page_of(r);
  CHECK(has(page, "Fewer nodes"));
  CHECK(has(page, "do not deal it out evenly"));
}

TEST_CASE("issue 23, sibling of 10: TensorRT is no slower where more formats are allowed") {
  const Workload network = load_workload("bert-base");
  const GpuSpec spec = gpu_spec(catalog(), "l4");
  const auto pass = [&](Precision precision, bool mixes) {
    FrameworkProfile framework = framework_profile({.name = "tensorrt", .training = false});
    CHECK(framework.mixes_formats);
    framework.mixes_formats = mixes;
    StepOptions options;
    options.batch = 32;
    options.precision = precision;
    options.training = false;
    return step_time(network, GpuCostModel::create(gpu_rates(spec), framework.lowering()), framework, options)
        .total;
  };
  CHECK(pass(Precision::int8, true) <= pass(Precision::fp16, true));
  CHECK(pass(Precision::int8, false) > pass(Precision::fp16, false));  // what made it necessary
  CHECK(pass(Precision::fp16, true) == pass(Precision::fp16, false));
}

TEST_CASE("issue 23, sibling of 10: allowing TF32 never makes a step longer") {
  for (const char* gpu : {"a10", "a100_sxm4_80gb", "rtx_3090", "rtx4090", "l40s", "h100_pcie", "h200_sxm",
                          "b200_sxm", "rtx_pro_6000_blackwell_se", "mi300x"}) {
    const GpuRates rates = gpu_rates(gpu_spec(catalog(), gpu));
    for (const char* name : {"alexnet", "resnet50", "vgg16", "bert-base"}) {
      const Workload network = load_workload(name);
      for (const char* software : {"generic", "pytorch"}) {
        const FrameworkProfile framework = framework_profile({.name = software, .training = true});
        const GpuCostModel model = GpuCostModel::create(rates, framework.lowering());
        StepOptions options;
        options.batch = 32;
        options.precision = Precision::fp32;
        const Duration wide = step_time(network, model, framework, options).total;
        options.precision = Precision::tf32;
        INFO(gpu, " ", name, " ", software);
        CHECK(step_time(network, model, framework, options).total <= wide * (1 + 1e-12));
      }
    }
  }
}

TEST_CASE("issue 23, sibling of 8: the price of racks is not the price of nodes that have none") {
  const Sets priced{{"site", R"({"prices": {"date": "2018-10-31"}})"}, {"cluster.node", "dgx1v_16gb"}};
  Sets unpriced = priced;
  unpriced.back().second = "dgx_h200";
  const auto headline = [](const Sets& sets) {
    return reports::recommendation(
        reports::load_result(checked_json_text(simulate(asked(kImages, sets), catalog())), "said"));
  };
  CHECK(has(headline(priced), " USD"));
  CHECK_FALSE(has(headline(unpriced), " USD"));
  const Result r = simulate(asked(kImages, unpriced), catalog());
  CHECK(has(page_of(r), "whose price is not known"));
}

TEST_CASE("issue 23, sibling of 8: where only facts are missing, the answer is not that it is impossible") {
  const Sets open{{"cluster.node", "aws_p5_48xlarge"},
                  {"site", R"({"power": {"feed": "500 kW"}, "racks": {"max_racks": 10}})"}};
  Sets wanted = open;
  wanted.push_back({"goal", R"({"deadline": "2 h"})"});
  const Result undecided = size(asked(kImages, wanted), catalog());
  CHECK_FALSE(undecided.answer.feasible);
  const reports::ResultDocument document = reports::load_result(checked_json_text(undecided), "said");
  CHECK(reports::undecided(document));
  CHECK(reports::verdict(document).words == "Not decided: facts are missing");
  CHECK_FALSE(has(page_of(undecided), "Not possible"));
  CHECK(has(page_of(undecided), "cannot be decided without"));
  const auto nodes = document.answer.nodes.value_or(0);
  CHECK(nodes > 1);  // the figures of the cluster that would do, and what it lacks
  CHECK(has(page_of(undecided), fmt::format("of {} × ", nodes)));

  // What is known to break is impossible, whatever is missing besides.
  wanted.back().second = R"({"deadline": "1 min", "max_nodes": 4})";
  const reports::ResultDocument broken =
      reports::load_result(checked_json_text(size(asked(kImages, wanted), catalog())), "said");
  CHECK_FALSE(reports::undecided(broken));
  CHECK(reports::verdict(broken).words == "Not possible");
}

TEST_CASE("issue 23, sibling of 1: the nearest cluster breaks no limit that it need not break") {
  const Result r = size(asked(kText, {{"workloads", R"([{"model": "llama3-8b", "epochs": 1,
                                        "precision": "bf16", "framework": {"name": "generic"},
                                        "parallelism": {"tensor": 2, "zero_stage": 1}}])"},
                                      {"goal", R"({"deadline": "30 days", "max_nodes": 200})"}}),
                        catalog());
  REQUIRE_FALSE(r.answer.feasible);
  REQUIRE(r.plan->nearest);
  CHECK(r.plan->nearest->breaks == std::vector<std::string>{"gpu_memory"});
  // Hundreds of nodes would save a hundredth of what a GPU lacks.
  CHECK(r.plan->nearest->nodes < 60);
}
