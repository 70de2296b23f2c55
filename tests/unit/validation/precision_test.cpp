// Published runs meet the check of precisions that scenarios meet.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "scenarios/validation/cases/case_reader.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "sim/json/reader.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

PredictionOutcome outcome(const std::string& gpu, int gpus, const std::string& task,
                          const std::string& precision, const std::string& model = "resnet50") {
  const std::string text = fmt::format(
      R"({{"id":"x","series":"s/t/m","kind":"measurement","system":{{"gpu":"{}","gpus":{}}},
        "workload":{{"model":"{}","task":"{}","batch_per_gpu":32,"precision":"{}",
                    "framework":{{"name":"pytorch","version":""}}}},
        "measured":{{"metric":"images_per_s","value":1,"unit":"images/s"}}}})",
      gpu, gpus, model, task, precision);
  static const Catalog catalog = Catalog::builtin();
  PredictionContext context{catalog};
  return predict_case(context, read_case(parse_json(text, "case"), "case"));
}

}  // namespace

TEST_CASE(
    "issue 23, item 3: a published run in a precision that the GPU does not have is not predicted, with the "
    "reason") {
  for (const int gpus : {1, 4}) {
    CAPTURE(gpus);
    const PredictionOutcome bf16 = outcome("v100_sxm2_16gb", gpus, "training", "bf16");
    CHECK_FALSE(bf16.figure.has_value());
    CHECK(bf16.skipped_reason ==
          "NVIDIA Tesla V100 SXM2 16 GB does not support bf16 for training (supported for training: fp32, "
          "fp16, mixed)");
    CHECK(outcome("v100_sxm2_16gb", gpus, "training", "mixed").figure.has_value());
  }
  CHECK_FALSE(outcome("p100_sxm2", 1, "inference", "int8").figure.has_value());
  CHECK_FALSE(outcome("h100_sxm5", 1, "training", "int8").figure.has_value());
}

TEST_CASE("published answers in tf32, in mixed precision and by 32-bit products of 16-bit tensors are real") {
  CHECK(outcome("a100_sxm4_40gb", 1, "inference", "tf32").figure.has_value());
  CHECK(outcome("v100_sxm2_16gb", 1, "inference", "mixed").figure.has_value());
  CHECK(outcome("gtx_1080_ti", 1, "inference", "fp16").figure.has_value());
  CHECK(outcome("titan_x_pascal", 1, "inference", "int8").figure.has_value());
}
