// A precision that a GPU does not have is refused at its place, and no search chooses it.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "scenarios/answer/explain.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/listings/generation.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/serving/service_result.hpp"
#include "sim/base/error.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

Scenario training(const std::string& node, const std::string& precision, const std::string& rest = "") {
  const std::string text = fmt::format(
      R"({{"name": "x", "data": {{"samples": 1281167, "bytes_per_sample": "0.1 MB"}},
 "storage": {{"array": "none"}},
 "workloads": [{{"model": "resnet50", "epochs": 9, "batch_per_gpu": 64, "precision": "{}"}}],
 "cluster": {{"node": "{}"}}, "goal": {{"deadline": "10 h", "max_nodes": 8}}{}}})",
      precision, node, rest);
  return read_scenario(parse_json(text, "x.json"), "x.json");
}

template <class Function>
Error refusal_of(Function&& function) {
  try {
    function();
  } catch (const Error& e) {
    return e;
  }
  return Error{"not refused"};
}

void check_refused(const std::string& node, const std::string& precision, const std::string& supported) {
  const Scenario s = training(node, precision);
  CAPTURE(precision);
  for (const Error& e :
       {refusal_of([&] { (void)size(s, catalog()); }), refusal_of([&] { (void)simulate(s, catalog()); }),
        refusal_of([&] { check_names(s, catalog()); }),
        refusal_of([&] { (void)explain_step(s, catalog(), "", 5); })}) {
    CHECK(e.kind() == ErrorKind::invalid_input);
    CHECK(e.message().find("does not support " + precision + " for training") != std::string::npos);
    CHECK(e.hint() == "supported for training: " + supported);
    CHECK(e.where().pointer == "/workloads/0/precision");
  }
}

}  // namespace

TEST_CASE("issue 23, item 3: training in a precision that the GPU does not have is refused at its place") {
  for (const char* precision : {"int8", "fp8", "fp4", "bf16", "tf32"})
    check_refused("dgx1v_16gb", precision, "fp32, fp16, mixed");
  for (const char* precision : {"int8", "fp8", "fp4"})
    check_refused("dgx_a100_320gb", precision, "fp32, tf32, fp16, mixed, bf16");
  check_refused("dgx_h100", "fp4", "fp32, tf32, fp16, mixed, bf16, fp8");
}

TEST_CASE("issue 23, item 3: a search leaves out the precisions that a node's GPU does not have") {
  const Result r = size(
      training("dgx1v_16gb", "fp32", R"(, "search": {"precision": ["fp32", "fp8", "bf16"]})"), catalog());
  CHECK(r.answer.feasible);
  CHECK(r.workloads.front().spec.precision == Precision::fp32);
  const Result nodes = size(
      training("dgx1v_16gb", "bf16", R"(, "search": {"node": ["dgx1v_16gb", "dgx_a100_320gb"]})"), catalog());
  CHECK(nodes.answer.feasible);
  CHECK(nodes.answer.node == "dgx_a100_320gb");
  const Error none = refusal_of([&] {
    (void)size(training("dgx1v_16gb", "fp32", R"(, "search": {"precision": ["fp8", "bf16"]})"), catalog());
  });
  CHECK(none.message().find("does not support fp8 for training") != std::string::npos);
  CHECK(none.where().pointer == "/search/precision/0");
  CHECK(none.where().line == 4);
}

TEST_CASE(
    "issue 23, item 3: an alternative node whose GPU does not have the precision is no alternative and says "
    "so") {
  const Scenario s =
      read_scenario(parse_json(R"({"name": "x", "data": {"samples": 1281167, "bytes_per_sample": "0.1 MB"},
 "storage": {"array": "none"},
 "workloads": [{"model": "resnet50", "epochs": 9, "batch_per_gpu": 64, "precision": "bf16"}],
 "cluster": {"node": "dgx_a100_320gb"},
 "goal": {"deadline": "10 h", "max_nodes": 8, "alternatives": ["dgx1v_16gb"]}})",
                               "x.json"),
                    "x.json");
  const Result r = size(s, catalog());
  REQUIRE(r.workloads.front().alternatives.size() == 1);
  CHECK_FALSE(r.workloads.front().alternatives.front().feasible);
  CHECK(r.workloads.front().alternatives.front().binding_constraint == "precision");
}

TEST_CASE("issue 23, item 3: tokens in a precision that the GPU does not have are refused") {
  GenerationQuestion q;
  q.model = "llama3-8b";
  q.prompt = q.output = 100;
  const auto refused = [&](const char* node, Precision precision) {
    q.node = node;
    q.precision = precision;
    return refusal_of([&] { (void)explain_generation(catalog(), q); });
  };
  CHECK(refused("dgx_a100_640gb", Precision::fp8).hint() ==
        "supported for generation: fp32, fp16, bf16, int8");
  CHECK(refused("dgx_h100", Precision::fp4).message().find("does not support fp4") != std::string::npos);
  CHECK(refused("dgx_h100", Precision::mixed).message().find("does not support mixed") != std::string::npos);
  CHECK(refused("dgx_h100", Precision::fp8).message() == "not refused");
}

TEST_CASE("issue 23, item 3: a service whose only precision no GPU has is a wrong question, with its place") {
  const std::string text = R"({"name": "x", "serving": {"model": "resnet50", "precision": "int8",
 "rate": "100/s", "latency": "50 ms"}, "cluster": {"node": "dgx1_p100"}})";
  const Scenario s = read_serving_scenario(parse_json(text, "x.json"), "x.json");
  for (const Error& e : {refusal_of([&] { (void)size_service(s, catalog()); }),
                         refusal_of([&] { check_service_names(s, catalog()); })}) {
    CHECK(e.message().find("does not support int8 for inference") != std::string::npos);
    CHECK(e.hint() == "supported for inference: fp32, fp16");
    CHECK(e.where().pointer == "/serving/precision");
  }
}

TEST_CASE("a service whose searched precisions no GPU has is refused at the first of them") {
  const std::string text = R"({"name": "x", "serving": {"model": "resnet50", "precision": "fp16",
 "rate": "100/s", "latency": "50 ms"}, "cluster": {"node": "dgx1_p100"},
 "search": {"precision": ["int8", "fp8"]}, "goal": {"max_nodes": 4}})";
  const Scenario s = read_serving_scenario(parse_json(text, "x.json"), "x.json");
  for (const Error& e : {refusal_of([&] { (void)size_service(s, catalog()); }),
                         refusal_of([&] { check_service_names(s, catalog()); })}) {
    CHECK(e.message().find("does not support int8 for inference") != std::string::npos);
    CHECK(e.where().pointer == "/search/precision/0");
    CHECK(e.where().line == 3);
  }
}

TEST_CASE("a published run on GPUs that lack the question's precision is shown and not compared") {
  const std::string rest = R"(, "published": [
    {"label": "P100", "model": "resnet50", "time": "60 min", "source": "test", STATED
     "cluster": {"node": "dgx1_p100", "nodes": 2}}])";
  const auto with = [&](const std::string& stated) {
    std::string text = rest;
    text.replace(text.find("STATED"), 6, stated);
    return training("dgx_a100_640gb", "bf16", text);
  };
  const Result r = simulate(with(""), catalog());
  REQUIRE(r.workloads.front().published.size() == 1);
  const PublishedComparison& row = r.workloads.front().published.front();
  CHECK(row.predicted.unit.empty());
  CHECK(row.published.note.find("Not compared: ") == 0);
  CHECK(row.published.note.find("does not support bf16") != std::string::npos);
  // A precision that the row itself states is the user's to mend.
  CHECK_THROWS_AS((void)simulate(with(R"("precision": "bf16",)"), catalog()), Error);
}
