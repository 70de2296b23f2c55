#include "scenarios/validation/report.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "scenarios/evidence/statistics.hpp"
#include "scenarios/validation/cases/case_loader.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "sim/base/error.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

ValidationCase make(const std::string& json) {
  return parse_cases(json, "f.json").at(0);
}

CaseResult result(const std::string& series, double measured, double predicted, double half_width) {
  CaseResult r;
  r.id = series + std::to_string(predicted);
  r.series = series;
  r.gpus = 1;
  r.measured = measured;
  r.predicted = PredictedFigure{predicted, predicted - half_width, predicted + half_width};
  r.error = signed_error(predicted, measured);
  return r;
}

}  // namespace

TEST_CASE("quantiles interpolate between order statistics") {
  CHECK_FALSE(quantile({}, 0.5));
  CHECK(*quantile({3}, 0.9) == 3);
  CHECK(*quantile({4, 1, 3, 2}, 0.5) == doctest::Approx(2.5));  // between 2 and 3
  // Place 0.9 * 4 = 3.6 in 1 2 3 4 10: 4 + 0.6 * 6 = 7.6.
  CHECK(*quantile({1, 2, 3, 4, 10}, 0.9) == doctest::Approx(7.6));
}

TEST_CASE("a summary counts errors of both signs and coverage") {
  // Errors: +10 %, -20 %, +30 %, and one without a prediction. Absolute 0.1 0.2 0.3: median and mean 0.2,
  // 90th percentile 0.2 + 0.8 * 0.1 = 0.28. Intervals of +-15: 110 holds 100, 80 and 130 do not: 1 of 3.
  std::vector<CaseResult> results{result("a", 100, 110, 15), result("a", 100, 80, 15),
                                  result("b", 100, 130, 15)};
  results.emplace_back().skipped_reason = "why";
  const ErrorSummary s = summarize(results);
  CHECK(s.n == 4);
  CHECK(s.predicted == 3);
  CHECK(s.skipped == 1);
  CHECK(*s.median_abs_error == doctest::Approx(0.2));
  CHECK(*s.mean_abs_error == doctest::Approx(0.2));
  CHECK(*s.p90_abs_error == doctest::Approx(0.28));
  CHECK(*s.median_error == doctest::Approx(0.1));
  CHECK(*s.coverage_90 == doctest::Approx(1.0 / 3));
  // Series a: median of 0.1 and 0.2 is 0.15; series b: 0.3; median of both 0.225.
  CHECK(*s.median_abs_error_by_series == doctest::Approx(0.225));
}

TEST_CASE("the interval score is the width, and twenty times the miss") {
  // 0.5 to 2 holds 1: ln 4. It misses 4 by ln 2 above, and 0.25 by ln 2 below: 2 / 0.1 = 20 times that more.
  CHECK(interval_score(0.5, 2, 1) == doctest::Approx(std::log(4)));
  CHECK(interval_score(0.5, 2, 4) == doctest::Approx(std::log(4) + 20 * std::log(2)));
  CHECK(interval_score(0.5, 2, 0.25) == doctest::Approx(interval_score(0.5, 2, 4)));
  // A kept bound says nothing of the interval.
  std::vector<CaseResult> results{result("a", 100, 100, 50), result("b", 100, 200, 50)};
  results[1].set = CaseSet::bound;
  results[1].error = 0;
  CHECK(*summarize(results).interval_score == doctest::Approx(std::log(150.0 / 50)));
  CHECK_FALSE(summarize({}).interval_score);
  ValidationReport report;
  report.summary.interval_score = 2;
  CHECK(missed_bounds(report, parse_bounds("score=1.5")).size() == 1);
  CHECK(missed_bounds(report, parse_bounds("score=2.5")).empty());
}

TEST_CASE("a summary of nothing has no errors") {
  const ErrorSummary s = summarize({});
  CHECK(s.n == 0);
  CHECK_FALSE(s.median_abs_error);
  CHECK_FALSE(s.coverage_90);
}

TEST_CASE("what may be judged follows from kind, marks and fits") {
  const ProvenanceRegistry fitted{{{"a fit", {"f"}, {}}}};
  const auto set_of = [&](const std::string& json) {
    return case_set(make(json), fitted);
  };
  CHECK(set_of(R"({"id":"a","kind":"measurement"})") == CaseSet::judged);
  CHECK(set_of(R"({"id":"a"})") == CaseSet::judged);
  CHECK(set_of(R"({"id":"f"})") == CaseSet::fit);
  CHECK(set_of(R"({"id":"a","kind":"projection"})") == CaseSet::not_scored);
  CHECK(set_of(R"({"id":"a","workload":{"extra":{"suspect":"too fast"}}})") == CaseSet::not_scored);
  CHECK(set_of(R"({"id":"a","workload":{"extra":{"suspect":false}}})") == CaseSet::judged);
  CHECK(set_of(R"({"id":"f","workload":{"extra":{"superseded":true}}})") == CaseSet::not_scored);
  CHECK(set_of(R"({"id":"a","kind":"derived"})") == CaseSet::derived);
  CHECK(set_of(R"({"id":"a","workload":{"extra":{"approximate":true}}})") == CaseSet::approximate);
  CHECK(set_of(R"({"id":"a","workload":{"extra":{"bound":"upper"}}})") == CaseSet::bound);
  CHECK(set_of(R"({"id":"a","system":{"gpu_assumed":true}})") == CaseSet::assumed);
  CHECK(set_of(R"({"id":"a","system":{"fabric":{"link":"edr","assumed":true}}})") == CaseSet::assumed);
  // What an MLPerf result leaves to the benchmark's rules; stated, it is judged.
  const std::string mlperf = R"("extra":{"scenario":"Offline","benchmark":"resnet50"}})";
  CHECK(set_of(R"({"id":"a","workload":{)" + mlperf + "}") == CaseSet::assumed);
  CHECK(set_of(R"({"id":"a","workload":{"precision":"int8",)" + mlperf + "}") == CaseSet::judged);
}

TEST_CASE("headline errors are those of judged cases, counts are those of all") {
  std::vector<CaseResult> results{result("a", 100, 110, 15), result("b", 100, 200, 15)};
  results[1].set = CaseSet::fit;
  const ValidationReport report = summarize_report(results);
  CHECK(report.summary.n == 2);
  CHECK(report.summary.predicted == 2);
  CHECK(*report.summary.median_abs_error == doctest::Approx(0.1));
  CHECK(report.worst == std::vector<std::size_t>{0});
}

TEST_CASE("bounds are read strictly and say what was missed") {
  const ValidationBounds bounds = parse_bounds("median=0.08,p90=0.25");
  CHECK(*bounds.median == 0.08);
  CHECK(*bounds.p90 == 0.25);
  CHECK_FALSE(bounds.coverage);
  for (const char* wrong : {"", "median", "median=", "median=x", "median=0.1x", "median=-1", "median=nan",
                            "mode=1", "median=0.1,median=0.2", "median=0.1,"})
    CHECK_THROWS_AS((void)parse_bounds(wrong), Error);
  ValidationReport report;
  report.summary.median_abs_error = 0.10;
  report.summary.p90_abs_error = 0.20;
  CHECK(missed_bounds(report, bounds).size() == 1);
  CHECK(missed_bounds(ValidationReport{}, bounds).size() == 2);
  report.summary.coverage_90 = 0.8;
  CHECK(missed_bounds(report, parse_bounds("coverage=0.85")).size() == 1);
  CHECK(missed_bounds(report, parse_bounds("coverage=0.75")).empty());
}

TEST_CASE("a bound may be of one row of a table") {
  const ValidationBounds bounds = parse_bounds("task/training, 1 GPU:median=0.08,coverage=0.85");
  CHECK(bounds.table == "task");
  CHECK(bounds.group == "training, 1 GPU");
  CHECK(*bounds.median == 0.08);
  for (const char* wrong : {":median=0.1", "task:median=0.1", "task/:median=0.1", "/x:median=0.1", "task/x:"})
    CHECK_THROWS_AS((void)parse_bounds(wrong), Error);
  ValidationReport report;
  report.summary.median_abs_error = 0.5;  // of all cases: not asked for
  ErrorSummary row;
  row.median_abs_error = 0.07;
  row.coverage_90 = 0.8;
  report.tables.push_back({"task", {{"training, 1 GPU", row}}});
  const std::vector<std::string> missed = missed_bounds(report, bounds);
  REQUIRE(missed.size() == 1);
  CHECK(missed[0].starts_with("training, 1 GPU: coverage"));
  CHECK(missed_bounds(report, parse_bounds("task/inference, 1 GPU:median=0.1")).size() == 1);
  CHECK_THROWS_AS((void)missed_bounds(report, parse_bounds("tasks/training, 1 GPU:median=0.1")), Error);
}

TEST_CASE("every case is predicted or skipped with a reason, whatever it holds") {
  const Catalog catalog = Catalog::builtin();
  const std::vector<std::string> texts{
      R"({})",
      R"({"id":"gpu","system":{"gpu":"abacus","gpus":1},"workload":{"model":"resnet50","task":"training","batch_per_gpu":8,"precision":"fp32"},"measured":{"metric":"images_per_s","value":1}})",
      R"({"id":"model","system":{"gpu":"k80","gpus":1},"workload":{"model":"no such net","task":"training","batch_per_gpu":8,"precision":"fp32"},"measured":{"metric":"images_per_s","value":1}})",
      R"({"id":"path","system":{"gpu":"k80","gpus":1},"workload":{"model":"../x.json","task":"training","batch_per_gpu":8,"precision":"fp32"},"measured":{"metric":"images_per_s","value":1}})",
      R"({"id":"metric","system":{"gpu":"k80","gpus":1},"workload":{"model":"resnet50","task":"training"},"measured":{"metric":"happiness","value":1}})",
      R"({"id":"task","measured":{"metric":"m","value":1}})",
      R"({"id":"zero","measured":{"metric":"m","value":0}})",
      R"({"id":"batch","system":{"gpu":"k80","gpus":1},"workload":{"model":"resnet50","task":"training","batch_per_gpu":-4,"precision":"fp32"},"measured":{"metric":"images_per_s","value":1}})",
      R"({"id":"huge","system":{"gpu":"k80","gpus":1},"workload":{"model":"gemm","task":"kernel","precision":"fp32","input":{"op":"gemm","m":1e300,"n":2,"k":2}},"measured":{"metric":"kernel_time_s","value":1}})",
      R"({"id":"many","system":{"gpu":"k80","gpus":4000},"workload":{"model":"resnet50","task":"training"},"measured":{"metric":"images_per_s","value":1}})",
      R"({"id":"shape","system":{"gpu":"k80","gpus":1},"workload":{"model":"x","task":"training","batch_per_gpu":1,"precision":"fp32","transformer":{"layers":1e8,"hidden":3,"heads":2}},"measured":{"metric":"step_time_s","value":1}})"};
  std::vector<ValidationCase> cases;
  for (const std::string& text : texts) cases.push_back(make(text));
  const ValidationReport report = validate_cases(catalog, cases);
  REQUIRE(report.cases.size() == texts.size());
  for (const CaseResult& r : report.cases) {
    CAPTURE(r.id);
    if (r.id == "many") {  // batch, precision, software and network are what was usual
      REQUIRE(r.predicted);
      CHECK_FALSE(r.predicted->assumed.empty());
      continue;
    }
    CHECK_FALSE(r.predicted);
    CHECK_FALSE(r.skipped_reason.empty());
  }
}

TEST_CASE("a training rate on one GPU is predicted with an interval around it") {
  const Catalog catalog = Catalog::builtin();
  const std::vector<ValidationCase> cases{make(
      R"({"id":"a","system":{"gpu":"p100_sxm2","gpus":1},"workload":{"model":"resnet50","task":"training","input":"224x224x3","batch_per_gpu":64,"precision":"fp32","framework":{"name":"tensorflow","version":"1.1"}},"measured":{"metric":"images_per_s","value":219}})")};
  const ValidationReport report = validate_cases(catalog, cases);
  REQUIRE(report.cases[0].predicted);
  const PredictedFigure p = *report.cases[0].predicted;
  CHECK(p.low < p.value);
  CHECK(p.value < p.high);
  CHECK(p.value > 100);
  CHECK(p.value < 400);
}

TEST_CASE("a profile is chosen by name, version and container") {
  CHECK(framework_profile({.name = "TensorFlow", .version = "1.1 (b1e174e)", .cudnn = "5.1"}).library ==
        LibraryGeneration::cudnn6);
  CHECK(framework_profile({.name = "tensorflow", .version = "1.x NGC 19.02"}).id == "tensorflow-ngc");
  CHECK(framework_profile({.name = "tensorflow", .version = "1.x NGC 20.12"}).library ==
        LibraryGeneration::cudnn8);
  CHECK(framework_profile({.name = "pytorch", .version = "0.3.0"}).id == "pytorch-0");
  CHECK(framework_profile({.name = "pytorch", .version = "1.11"}).id == "pytorch-1");
  CHECK(framework_profile({.name = "never heard of", .version = ""}).id == "generic");
}

TEST_CASE("absurd shapes of a readable case are refused quickly") {
  const Catalog catalog = Catalog::builtin();
  const std::vector<ValidationCase> cases{make(
      R"({"id":"a","system":{"gpu":"v100_sxm2_16gb","gpus":1},"workload":{"model":"x","task":"training","batch_per_gpu":1,"precision":"fp32","transformer":{"layers":1e9,"hidden":1e9,"heads":1,"ffn":1e9,"vocab":1e9,"seq_len":1e6}},"measured":{"metric":"step_time_s","value":1}})")};
  const ValidationReport report = validate_cases(catalog, cases);
  CHECK_FALSE(report.cases[0].predicted);
  CHECK_FALSE(report.cases[0].skipped_reason.empty());
}

TEST_CASE("a profile that names a library older than the GPU gets the oldest that supports it") {
  const Catalog catalog = Catalog::builtin();
  PredictionContext context{catalog};
  const FrameworkProfile old = framework_profile({.name = "cudnn"});
  CHECK(context.gpu("k80", old).options().library == LibraryGeneration::cudnn5);
  CHECK(context.gpu("v100_sxm2_16gb", old).options().library == LibraryGeneration::cudnn7);
  CHECK(context.gpu("h100_sxm5", old).options().library == LibraryGeneration::cudnn8);
}
