// Cases that leave settings open, compare two runs, or take the length of their run from another row.
#include "scenarios/validation/settings/open_settings.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "scenarios/validation/cases/case_loader.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "scenarios/validation/report.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

/// A training of ResNet-50 on one V100, with more members at its end.
std::string training(const std::string& id, const std::string& more, const std::string& measured,
                     const std::string& extra = "{}") {
  return R"({"id": ")" + id +
         R"(", "system": {"gpu": "v100_sxm2_16gb", "gpus": 1}, "workload": {"model": "resnet50", "task": "training",
 "input": "224x224x3", "batch_per_gpu": 64, "precision": "fp32", "framework": {"name": "mxnet", "version": ""},
 "extra": )" +
         extra + R"(}, "measured": )" + measured + more + "}";
}

const std::string rate = R"({"metric": "images_per_s", "value": 300, "unit": "images/s"})";

ValidationReport report_of(const std::string& cases) {
  const std::vector<ValidationCase> all = parse_cases("[" + cases + "]", "cases.json");
  return validate_cases(Catalog::builtin(), all);
}

std::string why_not(const std::string& more) {
  const ValidationReport report = report_of(training("a", more, rate));
  CHECK_FALSE(report.cases.front().predicted);
  return report.cases.front().skipped_reason;
}

}  // namespace

TEST_CASE("every combination of the usual settings is a variant, and none of them leaves anything open") {
  const auto c = parse_cases(
      training(
          "a",
          R"(, "usual": {"workload.precision": ["fp32", "mixed"], "workload.batch_per_gpu": [32, 64, 128]})",
          rate),
      "cases.json");
  const std::vector<ValidationCase> variants = usual_variants(c.front());
  REQUIRE(variants.size() == 6);  // 2 * 3
  CHECK(variants.front().workload.precision == "fp32");
  CHECK(variants.front().workload.batch_per_gpu == 32);
  CHECK(variants.back().workload.precision == "mixed");
  CHECK(variants.back().workload.batch_per_gpu == 128);
  for (const ValidationCase& variant : variants) CHECK(usual_variants(variant).size() == 1);
}

TEST_CASE("a figure over open settings is their geometric mean, and right where one of them is") {
  const std::string open = R"(, "usual": {"workload.precision": ["fp32", "mixed"]})";
  const ValidationReport single =
      report_of(training("narrow", "", rate) + "," +
                training("wide", R"(, "usual": {"workload.precision": ["mixed"]})", rate) + "," +
                training("both", open, rate));
  const PredictedFigure &narrow = *single.cases[0].predicted, &wide = *single.cases[1].predicted,
                        &both = *single.cases[2].predicted;
  CHECK(both.value == doctest::Approx(std::sqrt(narrow.value * wide.value)));
  CHECK(both.least == narrow.value);
  CHECK(both.most == wide.value);
  CHECK(both.low == narrow.low);
  CHECK(both.high == wide.high);
  const auto error_at = [&](double measured, const std::string& more) {
    return *report_of(training("x", more,
                               R"({"metric": "images_per_s", "value": )" + std::to_string(measured) +
                                   R"(, "unit": "images/s"})"))
                .cases.front()
                .error;
  };
  CHECK(error_at((narrow.value + wide.value) / 2, open) == 0);
  CHECK(error_at(2 * wide.value, open) == doctest::Approx(-0.5));        // what is nearest is half of it
  CHECK(error_at(narrow.value / 2, open) == doctest::Approx(1));         // and twice
  CHECK(error_at(wide.value, open + R"(, "range_end": "low")") < -0.1);  // an end is compared with an end
  CHECK(single.cases[2].set == CaseSet::assumed);
}

TEST_CASE("an end of a range is the least or the largest figure over the open settings") {
  const std::string open = R"(, "usual": {"workload.batch_per_gpu": [16, 64]}, "range_end": )";
  const ValidationReport report =
      report_of(training("low", open + R"("low")", rate) + "," + training("high", open + R"("high")", rate) +
                "," + training("at64", "", rate));
  CHECK(report.cases[1].predicted->value == report.cases[2].predicted->value);
  CHECK(report.cases[0].predicted->value < report.cases[1].predicted->value);
  CHECK(why_not(open + R"("middle")").find("neither \"low\" nor \"high\"") != std::string::npos);
}

TEST_CASE("a comparison is the ratio of two predictions") {
  const ValidationReport report =
      report_of(training("a", R"(, "compared_with": {"workload.precision": "mixed"})", rate) + "," +
                training("narrow", "", rate) + "," +
                training("wide", R"(, "usual": {"workload.precision": ["mixed"]})", rate));
  CHECK(report.cases[0].predicted->value ==
        doctest::Approx(report.cases[1].predicted->value / report.cases[2].predicted->value));
}

TEST_CASE("what is open is open on both sides of a comparison") {
  const std::string open = R"(, "usual": {"workload.precision": ["fp32", "mixed"]})";
  const ValidationReport report = report_of(
      training("a", open + R"(, "compared_with": {"workload.batch_per_gpu": 32})", rate) + "," +
      training("own", open, rate) + "," +
      training("base",
               R"(, "usual": {"workload.precision": ["fp32", "mixed"], "workload.batch_per_gpu": [32]})",
               rate));
  CHECK(report.cases[0].predicted->value ==
        doctest::Approx(report.cases[1].predicted->value / report.cases[2].predicted->value));
}

TEST_CASE("the length of a run follows from another row, which is then no test of the model") {
  const std::string from = R"(, "length_from": "one")";
  const auto seconds = [](double value) {
    return R"({"metric": "time_to_train_s", "value": )" + std::to_string(value) + R"(, "unit": "s"})";
  };
  const ValidationReport report =
      report_of(training("one", from, seconds(1e6), R"({"dataset_tb": 2})") + "," +
                training("three", from, seconds(4e6), R"({"dataset_tb": 6})"));
  CHECK(report.cases[0].set == CaseSet::fit);
  CHECK(report.cases[0].predicted->inferred_length.value() > 1);
  // Three times the data on the same machine: 3e6 s.
  CHECK(report.cases[1].predicted->value == doctest::Approx(3e6));
  CHECK(*report.cases[1].error == doctest::Approx(-0.25));
  CHECK(report.scored.n == 1);
  const ValidationReport lost = report_of(training("two", from, seconds(1), R"({"dataset_tb": 2})"));
  CHECK(lost.cases.front().skipped_reason.find("\"one\", which is not among the cases") != std::string::npos);
}

TEST_CASE("settings that cannot be are refused with their path") {
  CHECK(why_not(R"(, "usual": 7)") == "\"usual\" is not an object of lists");
  CHECK(why_not(R"(, "usual": {"workload.precision": []})") ==
        "\"workload.precision\" of \"usual\" lists nothing");
  CHECK(why_not(R"(, "usual": {"workload.precision": "fp32"})") ==
        "\"workload.precision\" of \"usual\" lists nothing");
  CHECK(why_not(R"(, "usual": {"measured.value": [1]})") ==
        "the setting \"measured.value\" is neither of \"system\" nor of \"workload\"");
  CHECK(why_not(R"(, "usual": {"workload.batch_per_gpu": ["many"]})").find("batch_per_gpu") !=
        std::string::npos);
  CHECK(why_not(R"(, "compared_with": {})") == "what the case is compared with changes no setting");
  CHECK(why_not(R"(, "compared_with": {"id": "b"})").find("\"id\" is neither") != std::string::npos);
  std::string many = R"(, "usual": {)";
  for (const char* path : {"workload.extra.a", "workload.extra.b", "workload.extra.c"})
    many += (many.ends_with("{") ? "\"" : ", \"") + std::string{path} + "\": [1, 2, 3, 4, 5]";
  CHECK(why_not(many + "}") == "\"usual\" has over 64 combinations");  // 5 * 5 * 5
}
