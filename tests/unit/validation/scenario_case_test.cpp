// A case that a scenario can say is predicted as `simulate` answers that scenario.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "scenarios/answer/planner.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/validation/cases/case_loader.hpp"
#include "scenarios/validation/cases/to_scenario.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "sim/base/error.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

/// Empty where a scenario cannot say the case, or the case leaves out what every prediction needs.
std::string scenario_of(const ValidationCase& c) {
  try {
    return c.unreadable.empty() ? to_scenario(catalog(), c) : "";
  } catch (const Unsayable&) {
  } catch (const Unpredictable&) {
  }
  return "";
}

Estimate simulated(const ValidationCase& c, const std::string& text) {
  const Result result = simulate(read_scenario(parse_json(text, c.id), c.id), catalog(), nullptr, {});
  return asked_figure(c).of(result.workloads.front().prediction);
}

/// Whether the answer to a scenario has the figure of the case.
bool answers_itself(const ValidationCase& c) {
  try {
    (void)asked_figure(c);
    return true;
  } catch (const Unsayable&) {
  } catch (const Unpredictable&) {
  }
  return false;
}

ValidationCase one_gpu(const std::string& extra, const std::string& workload = "") {
  return parse_cases(R"({"id":"a","series":"s/x","system":{"gpu":"p100_sxm2","gpus":1},"workload":{
    "model":"resnet50","task":"training","batch_per_gpu":32,"precision":"fp32",
    "framework":{"name":"mxnet"},"extra":{)" +
                         extra + "}" + workload + R"(},"measured":{"metric":"images_per_s","value":200}})",
                     "f.json")
      .at(0);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("simulate answers the scenario of a case with the number and the interval of validate") {
  PredictionContext context{catalog()};
  // One case of each metric of each source, on up to 32 GPUs: all together take an hour.
  std::set<std::string> seen;
  int compared = 0;
  for (const ValidationCase& c : load_cases(std::string{RACKCAST_SOURCE_DIR} + "/tests/validation/cases")) {
    if (member_in(c.json, "usual") || member_in(c.json, "compared_with")) continue;
    const bool is_large = c.system.gpus.value_or(64) > 32;
    if (is_large || seen.contains(c.source + c.metric) || !answers_itself(c)) continue;
    const std::string text = scenario_of(c);
    if (text.empty()) continue;
    const PredictionOutcome outcome = predict_case(context, c);
    if (!outcome.figure) continue;
    seen.insert(c.source + c.metric);
    ++compared;
    const Estimate answer = simulated(c, text);
    CHECK_MESSAGE(outcome.figure->value == doctest::Approx(answer.value).epsilon(1e-12), c.id);
    CHECK_MESSAGE(outcome.figure->low == doctest::Approx(answer.low).epsilon(1e-12), c.id);
    CHECK_MESSAGE(outcome.figure->high == doctest::Approx(answer.high).epsilon(1e-12), c.id);
  }
  CHECK(compared > 30);
}

TEST_CASE("the scenario of a case says what the case says") {
  const std::string text =
      scenario_of(one_gpu(R"("cudnn":"5.1","includes_optimizer":false,"layout":"nhwc")"));
  CHECK(has(text, R"("batch_per_gpu": 32)"));
  CHECK(has(text, R"("gpu": "p100_sxm2")"));
  CHECK(has(text, R"("gpus_per_job": 1)"));
  CHECK(has(text, R"("cudnn": "5.1")"));
  CHECK(has(text, R"("optimizer": "none")"));
  CHECK(has(text, R"("channels_last": true)"));
  CHECK(has(scenario_of(one_gpu(R"("optimizer":"lamb")")), R"("optimizer": "adam")"));
  CHECK(has(scenario_of(one_gpu(R"("accumulation_steps":4)")), R"("accumulation": 4)"));
  CHECK(has(scenario_of(one_gpu("", R"(,"parallelism":{"recompute":"full"})")), R"("recompute": "full")"));
}

TEST_CASE("the scenario of a case on several GPUs says its machine, its exchange and its split") {
  ValidationCase c = one_gpu(R"("ps_servers":2,"transport":"tcp")");
  c.system.gpus = 8;
  c.system.gpus_per_node = 4;
  c.system.intra_node = "pcie";
  c.system.fabric = parse_json(R"({"link":"gbe25","links_per_node":2,"gbit_per_s":20})", "f");
  c.workload.gradient_sync = "parameter-server";
  const std::string text = scenario_of(c);
  CHECK(has(text, R"("node": "pcie_server")"));
  CHECK(has(text, R"("gpus_in_node": 4)"));
  CHECK(has(text, R"("nodes": 2)"));
  CHECK(has(text, R"("link_rate": "20 Gbit/s")"));
  CHECK(has(text, R"("links_per_node": 2)"));
  CHECK(has(text, R"("method": "ps_lite")"));
  CHECK(has(text, R"("servers": 2)"));
  CHECK(has(text, R"("stack": "tcp")"));
  ValidationCase old = c;
  old.workload.framework = "tensorflow";
  old.workload.framework_version = "1.1 ";
  old.workload.gradient_sync = "nccl-allreduce";
  CHECK(has(scenario_of(old), R"("gpu_links": false)"));
  ValidationCase split = c;
  split.workload.model = "own";
  split.workload.gradient_sync = "";
  split.workload.framework = "megatron-lm";
  split.workload.transformer =
      parse_json(R"({"layers":8,"hidden":1024,"heads":16,"vocab":32000,"seq_len":1024})", "t");
  split.workload.parallelism = parse_json(R"({"tp":2,"pp":2,"zero_stage":1})", "p");
  split.workload.global_batch = 16;
  split.workload.micro_batch = 2;
  const std::string cut = scenario_of(split);
  CHECK(has(cut, R"("transformer": {)"));
  CHECK(has(cut, R"("tensor": 2)"));
  CHECK(has(cut, R"("pipeline": 2)"));
  CHECK(has(cut, R"("zero_stage": 1)"));
  CHECK(has(cut, R"("micro_batch": 2)"));
  CHECK(has(cut, R"("global_batch": 16)"));
}

TEST_CASE("a case that no scenario can say has a reason") {
  const auto why = [](const ValidationCase& c) {
    return error_text([&] { (void)shown_scenario(catalog(), c); });
  };
  ValidationCase several = one_gpu("");
  several.system.gpus = 16;
  several.system.gpus_per_node = 8;
  several.system.intra_node = "nvlink-hybrid-cube-mesh";
  CHECK(has(why(several), "fabric between the nodes not stated"));
  ValidationCase open = one_gpu("");
  open.workload.batch_per_gpu.reset();
  CHECK(has(why(open), "batch not stated"));
  ValidationCase forward = one_gpu("");
  forward.workload.task = "inference";
  CHECK(has(why(forward), "task \"inference\""));
}
