// Published trainings of translation networks: what their cases leave to data set and script.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "scenarios/validation/cases/case_reader.hpp"
#include "scenarios/validation/cases/software_of_case.hpp"
#include "scenarios/validation/cases/workload_of_case.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "sim/json/reader.hpp"

using namespace rackcast;

namespace {

ValidationCase run(const std::string& model, const std::string& set, const std::string& version,
                   const std::string& input, const std::string& more = "", const std::string& extra = "",
                   const std::string& metric = "tokens_per_s") {
  const std::string text = fmt::format(R"({{"id":"x","series":"s/t/m","kind":"measurement",
        "system":{{"gpu":"v100_sxm2_16gb","gpus":8,"gpus_per_node":8,"nodes":1}},
        "workload":{{"model":"{}","task":"training","input":{},"framework":{{"name":"pytorch","version":"{}"}},{}
                    "extra":{{"dataset":"{}"{}}}}},
        "measured":{{"metric":"{}","value":1,"unit":"x"}}}})",
                                       model, input, version, more, set, extra, metric);
  return read_case(parse_json(text, "case"), "case");
}

}  // namespace

TEST_CASE("sentences are computed with their padding and counted without") {
  const ValidationCase gnmt = run("gnmt", "wmt16-en-de", "NGC 19.05", R"({"max_seq_len":75})");
  CHECK(sequence_length(gnmt) == 38);
  CHECK(counted_tokens(gnmt) == 57.46);
  const ValidationCase unknown = run("gnmt", "wmt14-en-fr", "NGC 19.05", R"({"max_seq_len":75})");
  CHECK_FALSE(sequence_length(unknown));
  CHECK_THROWS_AS((void)counted_tokens(unknown), Unpredictable);
  // A stated length is the length.
  CHECK(counted_tokens(run("transformer-big", "other", "NGC 19.05", R"({"seq_len":40})")) == 40);
}

TEST_CASE("a batch of tokens is the README's where the case has none") {
  const auto batch = [](const std::string& precision, const std::string& input) {
    return batch_of_case(
        run("transformer-big", "wmt14-en-de", "NGC 19.06", input, R"("precision":")" + precision + R"(",)"));
  };
  CHECK(batch("mixed", "null") == batch("mixed", R"({"tokens_per_gpu":5120})"));
  CHECK(batch("fp32", "null") == batch("fp32", R"({"tokens_per_gpu":2560})"));
  // 2560 / 34.4 - 3.5 = 70.9 pairs of 31 tokens: 2,198 rows, 2,200 as a multiple of 8.
  CHECK(batch("fp32", "null") == doctest::Approx(2200.0 / 31));
  CHECK_THROWS_AS(batch("bf16", "null"), Unpredictable);
}

TEST_CASE("an epoch is the set's pairs and scripts count epochs in their own way") {
  const auto samples = [](const std::string& version, const std::string& metric, const std::string& epochs) {
    return length_of_run(run("gnmt", "wmt16-en-de", version, R"({"max_seq_len":75})", "",
                             R"(,"last_eval_epoch":)" + epochs, metric))
        .all_samples();
  };
  CHECK(samples("NGC 19.05", "epoch_time_s", "[4, 5]") == 3975116);
  CHECK(samples("NGC 19.05", "time_to_train_s", "[4]") == 4 * 3975116.0);
  CHECK(samples("NGC 19.05", "time_to_train_s", "[7, 8, 9]") == 8 * 3975116.0);
  CHECK(samples("NGC 19.05", "time_to_train_s", "[3, 4]") == 3.5 * 3975116.0);
  CHECK(samples("NGC 18.11", "time_to_train_s", "[2]") == 3 * 3498161.0);  // 0, 1, 2
  CHECK_THROWS_AS(samples("NGC 19.05", "time_to_train_s", "[]"), Unpredictable);
  CHECK_THROWS_AS(samples("NGC 19.05", "time_to_train_s", R"(["4"])"), Unpredictable);
  // -1, 0, 1
  CHECK(length_of_run(run("transformer-big", "wmt17-en-de", "NGC 18.11", R"({"tokens_per_gpu":5120})", "",
                          R"(,"last_eval_epoch":[1])", "time_to_train_s"))
            .all_samples() == 3 * 4575616.0);
  // Of other networks a list says nothing: how their scripts count is not known.
  CHECK_THROWS_AS(
      length_of_run(run("resnet50", "imagenet", "NGC 19.05", "null", "",
                        R"(,"samples_per_epoch":1281167,"last_eval_epoch":[61])", "time_to_train_s")),
      Unpredictable);
}
