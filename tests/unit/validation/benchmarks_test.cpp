// MLPerf Training: what NVIDIA's implementations add to results that leave it open.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "scenarios/validation/cases/case_reader.hpp"
#include "scenarios/validation/cases/software_of_case.hpp"
#include "scenarios/validation/report.hpp"
#include "scenarios/validation/settings/mlperf_training.hpp"
#include "sim/json/reader.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

ValidationCase result(const std::string& model, const std::string& framework, const std::string& more = "",
                      const std::string& round = R"("benchmark_round":"v3.0")") {
  const std::string text = fmt::format(R"({{"id":"x","series":"s/t/m","kind":"measurement",
        "system":{{"gpu":"h100_sxm5","gpus":8,"gpus_per_node":8,"nodes":1,"intra_node":"nvswitch"}},
        "workload":{{"model":"{}","task":"training","framework":{{"name":"{}","version":""}},{}
                    "extra":{{{}}}}},
        "measured":{{"metric":"time_to_train_s","value":1,"unit":"s"}}}})",
                                       model, framework, more, round);
  return read_case(parse_json(text, "case"), "case");
}

}  // namespace

TEST_CASE("a result without arithmetic has that of the benchmark's implementation and is not judged") {
  const ValidationCase bert = result("bert-large", "pytorch"), images = result("resnet50", "mxnet");
  CHECK(precision_of(bert) == Precision::fp8);
  CHECK(precision_of(images) == Precision::mixed);
  CHECK(case_set(bert, ProvenanceRegistry{}) == CaseSet::assumed);
  const ValidationCase stated = result("bert-large", "pytorch", R"("precision":"bf16",)");
  CHECK(precision_of(stated) == Precision::bf16);
  CHECK(case_set(stated, ProvenanceRegistry{}) == CaseSet::judged);
}

TEST_CASE("nothing is taken for what is no result of the benchmark") {
  CHECK_FALSE(training_benchmark_of(result("bert-large", "pytorch", "", "")));
  CHECK_FALSE(training_benchmark_of(result("minigo", "tensorflow")));
}

TEST_CASE("a result without framework runs the benchmark's, and its tuned scripts have a profile") {
  const Catalog catalog = Catalog::builtin();
  CHECK(profile_of(catalog, result("resnet50", "unknown")).id.starts_with("mxnet"));
  CHECK(profile_of(catalog, result("unet3d", "unknown")).id ==
        profile_of(catalog, result("unet3d", "mxnet")).id);
  CHECK(profile_of(catalog, result("stable-diffusion-v2", "pytorch")).id == "nemo-mlperf-graphs");
  CHECK(profile_of(catalog, result("bert-large", "unknown")).id == "pytorch-mlperf-bert");
  CHECK(profile_of(catalog, result("bert-large", "pytorch", "", "")).id != "pytorch-mlperf-bert");
}

TEST_CASE("fine-tuning that states no split is not judged") {
  const std::string round = R"("benchmark_round":"v5.0","finetune":"lora")";
  const ValidationCase open = result("llama2-70b", "nemo", R"("precision":"fp8",)", round);
  CHECK(case_set(open, ProvenanceRegistry{}) == CaseSet::assumed);
  const ValidationCase stated =
      result("llama2-70b", "nemo", R"("precision":"fp8","parallelism":{"tp":4},)", round);
  CHECK(case_set(stated, ProvenanceRegistry{}) == CaseSet::judged);
}
