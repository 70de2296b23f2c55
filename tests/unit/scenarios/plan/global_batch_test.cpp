// The batch of all GPUs together: stated, it stays on any number of GPUs; not stated, its growth is named.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "models/networks/workload.hpp"
#include "reports/sentences/reason_sentences.hpp"
#include "reports/sentences/row_sentences.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/result/result.hpp"
#include "tests/document_faults.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

Scenario scenario(const std::string& workload, const std::string& cluster, const std::string& more = "") {
  const std::string text =
      fmt::format(R"({{"name": "x", "data": {{"samples": 1281167, "bytes_per_sample": "0.1 MB"}},
 "storage": {{"array": "none"}}, "workloads": [{{{}}}], "cluster": {{{}}}{}}})",
                  workload, cluster, more);
  return read_scenario(parse_json(text, "x.json"), "x.json");
}

const std::string kResnet = R"("model": "resnet50", "epochs": 1, "precision": "mixed")";
const std::string kBert =
    R"("model": "bert-large", "epochs": 1, "precision": "mixed", "sample": {"tokens": 128})";

std::string nodes(int count) {
  return fmt::format(R"("node": "dgx1v_16gb", "nodes": {})", count);
}

WorkloadResult run(const std::string& workload, const std::string& cluster) {
  return simulate(scenario(workload, cluster), catalog(), nullptr, {}).workloads.front();
}

std::string refusal(const std::string& workload, const std::string& cluster) {
  return error_text([&] { (void)run(workload, cluster); });
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("issue 23, item 12: a stated global batch stays the same on any number of GPUs") {
  for (const int count : {1, 2, 4}) {
    CAPTURE(count);
    const WorkloadResult w = run(kResnet + R"(, "global_batch": 1024)", nodes(count));
    CHECK(w.global_batch == 1024);
    CHECK(w.spec.batch_per_gpu == 1024 / (8 * count));
    CHECK(w.steps == 1252);  // 1,281,167 / 1024 = 1251.1
    CHECK(w.batch.stated);
  }
}

TEST_CASE("a stated global batch is that of the same batch for each GPU") {
  const WorkloadResult stated = run(kResnet + R"(, "global_batch": 1024)", nodes(2));
  const WorkloadResult each = run(kResnet + R"(, "batch_per_gpu": 64)", nodes(2));
  CHECK(stated.prediction.step_time.value == each.prediction.step_time.value);
  CHECK(stated.prediction.scaling_efficiency.value == each.prediction.scaling_efficiency.value);
}

TEST_CASE("passes of a stated batch are added up to the global batch") {
  // 4 passes of 64 on 16 GPUs make 4,096: four times the arithmetic, one exchange and one update.
  const WorkloadResult one = run(kResnet + R"(, "batch_per_gpu": 64)", nodes(2));
  const WorkloadResult four = run(kResnet + R"(, "batch_per_gpu": 64, "global_batch": 4096)", nodes(2));
  CHECK(four.global_batch == 4096);
  CHECK(four.spec.accumulation == 4);
  CHECK(four.prediction.step_time.value < 4 * one.prediction.step_time.value);
  CHECK(four.prediction.step_time.value > 3 * one.prediction.step_time.value);
}

TEST_CASE("a global batch in tokens is dealt out in sequences") {
  const WorkloadResult w = run(kBert + R"(, "global_batch": {"tokens": 65536})", nodes(2));
  CHECK(w.global_batch == 512);
  CHECK(w.spec.batch_per_gpu == 32);
  CHECK(w.batch.what.number("tokens") == 65'536);
}

TEST_CASE("issue 23, item 12: the micro-batches of a split network follow from the global batch") {
  const std::string split = R"("model": "gpt2-8.3b", "epochs": 1, "precision": "bf16", "global_batch": 64,
    "parallelism": {"tensor": 8, "micro_batch": 2)";
  const std::string cluster = R"("node": "dgx_a100_640gb", "nodes": )";
  const WorkloadResult one = run(split + "}", cluster + "1"), two = run(split + "}", cluster + "2");
  CHECK(one.global_batch == 64);
  CHECK(one.spec.parallelism->micro_batches == 32);
  CHECK(two.global_batch == 64);
  CHECK(two.spec.parallelism->micro_batches == 16);
  CHECK(contains(refusal(split + R"(, "micro_batches": 4})", cluster + "1"), "micro_batches"));
}

TEST_CASE("a global batch that cannot be dealt out evenly is refused with those that can") {
  const std::string text = refusal(kResnet + R"(, "global_batch": 1000)", nodes(3));
  CHECK(contains(text, "24 GPUs"));
  CHECK(contains(text, "1008 or 984"));
  CHECK(contains(refusal(kResnet + R"(, "global_batch": {"tokens": 1024})", nodes(1)), "takes no tokens"));
  CHECK(contains(refusal(kBert + R"(, "global_batch": {"tokens": 100})", nodes(1)), "128"));
  CHECK(contains(refusal(kResnet + R"(, "global_batch": 0)", nodes(1)), "global_batch"));
}

TEST_CASE("size looks at the numbers of nodes that deal the global batch out evenly") {
  // 768 = 3 x 256 samples on 8 GPUs a node: 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48 and 96 nodes.
  const Scenario asked =
      scenario(R"("model": "resnet50", "epochs": 90, "precision": "mixed", "global_batch": 768)",
               R"("node": "dgx1v_16gb")", R"(, "goal": {"deadline": "5 h", "max_nodes": 40})");
  const Result result = size(asked, catalog());
  REQUIRE(result.answer.feasible);
  CHECK(768 % (8 * result.answer.nodes) == 0);
  CHECK(result.workloads.front().global_batch == 768);
  CHECK(result.workloads.front().prediction.time_to_train.value <= 5 * 3600);
  REQUIRE(result.answer.why_not_fewer);
  CHECK(768 % (8 * result.answer.why_not_fewer->nodes) == 0);
}

TEST_CASE(
    "issue 23, item 12: the batch that grows with the GPUs is named, and past the largest useful one it is a "
    "warning") {
  const WorkloadResult w = run(kBert + R"(, "batch_per_gpu": 16)", nodes(4));
  CHECK(reports::batch_text(w.batch.what) == "512 samples (65,536 tokens)");
  CHECK(w.batch.what.number("times_of_one") == 32);
  CHECK_FALSE(w.batch.what.has("largest_useful"));

  const Result past = simulate(scenario(kBert + R"(, "batch_per_gpu": 16, "critical_batch": 256)", nodes(4)),
                               catalog(), nullptr, {});
  REQUIRE(past.warnings.size() >= 1);
  CHECK(contains(reports::reason_text(past.warnings.back()), "512 samples (65,536 tokens)"));
  CHECK(contains(reports::reason_text(past.warnings.back()), "256"));
  const std::string document = checked_json_text(past);
  CHECK(contains(document, "\"largest_useful\": 256"));
  CHECK(contains(document, "\"grows_with_gpus\": true"));
  const Result within = simulate(
      scenario(kBert + R"(, "batch_per_gpu": 16, "critical_batch": 512)", nodes(4)), catalog(), nullptr, {});
  for (const doc::Reason& warning : within.warnings) CHECK(warning.code() != "batch_past_useful");
}
