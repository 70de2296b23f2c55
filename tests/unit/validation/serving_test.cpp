// MLPerf Inference: what its rules add to a case, copies on several GPUs, a server's limit.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "scenarios/validation/cases/case_reader.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "scenarios/validation/settings/mlperf_inference.hpp"
#include "sim/json/reader.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

ValidationCase result(const std::string& benchmark, const std::string& scenario, const std::string& model,
                      int gpus, const std::string& more = "") {
  const std::string text = fmt::format(R"({{"id":"x","series":"s/t/m","kind":"measurement",
        "system":{{"gpu":"h100_sxm5","gpus":{},"gpus_per_node":{},"nodes":1,"intra_node":"nvswitch"}},
        "workload":{{"model":"{}","task":"inference","framework":{{"name":"tensorrt","version":"10.2.0"}},
                    "extra":{{"scenario":"{}","benchmark":"{}"{}}}}},
        "measured":{{"metric":"samples_per_s","value":1,"unit":"samples/s"}}}})",
                                       gpus, gpus, model, scenario, benchmark, more);
  return read_case(parse_json(text, "case"), "case");
}

}  // namespace

TEST_CASE("the rules of a benchmark give precision, lengths and limits") {
  const auto bert = benchmark_of_case(result("bert-99", "Server", "bert-large", 1));
  REQUIRE(bert);
  CHECK(bert->server);
  CHECK(bert->precision == Precision::int8);
  CHECK(bert->tokens.value_or(0) > 100);
  CHECK(bert->latency.value_or(Duration{0}).base() == doctest::Approx(0.130));
  const auto llama = benchmark_of_case(result("llama2-70b-99", "Offline", "llama2-70b", 8));
  REQUIRE(llama);
  CHECK_FALSE(llama->server);
  CHECK_FALSE(llama->prompt);
  CHECK(llama->output.value_or(0) == doctest::Approx(294.45));
}

TEST_CASE("an image of a diffusion network is passes of it and a decoder") {
  const auto rules = benchmark_of_case(result("stable-diffusion-xl", "Offline", "stable-diffusion-xl", 1));
  REQUIRE(rules);
  CHECK(rules->passes == 20);
  CHECK(rules->samples_per_pass == 2);
  CHECK(rules->decoder == "stable-diffusion-decoder");
  const Catalog catalog = Catalog::builtin();
  PredictionContext context{catalog};
  const auto one = predict_case(context, result("stable-diffusion-xl", "Offline", "stable-diffusion-xl", 1));
  REQUIRE(one.figure);
  // 40 passes of 6 TFLOP at no more than the H100's 1,979 TFLOP/s in 8 bits.
  CHECK(one.figure->value < 1979 / (40 * 5.9));
  CHECK(one.figure->value > 0.2);
}

TEST_CASE("a sample of the recommender is many pairs, one of the segmentation many windows") {
  const auto pairs = benchmark_of_case(result("dlrm-v2-99", "Server", "dlrm-dcnv2", 8));
  REQUIRE(pairs);
  CHECK(pairs->samples_per_pass == 270);
  CHECK(pairs->latency.value_or(Duration{0}).base() == doctest::Approx(0.060));
  const auto windows = benchmark_of_case(result("3d-unet-99", "Offline", "unet3d", 8));
  REQUIRE(windows);
  CHECK(windows->passes == 69);
  const Catalog catalog = Catalog::builtin();
  PredictionContext context{catalog};
  const auto scans = predict_case(context, result("3d-unet-99", "Offline", "unet3d", 1));
  REQUIRE(scans.figure);
  // 69 windows of 0.955 TFLOP at no more than the H100's 1,979 TFLOP/s in 8 bits.
  CHECK(scans.figure->value < 1979 / (69 * 0.955));
  const auto answers = predict_case(context, result("dlrm-v2-99", "Offline", "dlrm-dcnv2", 1));
  REQUIRE(answers.figure);
  // 270 pairs look 214 rows of 128 bytes up, at no more than 3.35 TB/s.
  CHECK(answers.figure->value < 3.35e12 / (270 * 214 * 128.0));
}

TEST_CASE("what the rules do not know is said") {
  const auto reason = [](const ValidationCase& c) -> std::string {
    try {
      (void)benchmark_of_case(c);
    } catch (const Unpredictable& u) {
      return u.reason;
    }
    return {};
  };
  CHECK(reason(result("rnnt-99", "Offline", "rnn-t", 8)).find("rnnt-99") != std::string::npos);
  CHECK(reason(result("bert-99", "MultiStream", "bert-large", 8)).find("MultiStream") != std::string::npos);
  CHECK(reason(result("retinanet", "Offline", "retinanet-resnext50", 8, R"(,"system_power_w":2300)"))
            .find("power limit") != std::string::npos);
}

TEST_CASE("copies on eight GPUs answer eight times what one does, and a server no more than all at once") {
  const Catalog catalog = Catalog::builtin();
  PredictionContext context{catalog};
  const auto rate = [&](const std::string& scenario, int gpus) {
    const PredictionOutcome out = predict_case(context, result("resnet50", scenario, "resnet50", gpus));
    CAPTURE(out.skipped_reason);
    REQUIRE(out.figure);
    return out.figure->value;
  };
  CHECK(rate("Offline", 8) == doctest::Approx(8 * rate("Offline", 1)));
  CHECK(rate("Server", 8) < rate("Offline", 8));
  CHECK(rate("Server", 8) > 0.5 * rate("Offline", 8));
}
