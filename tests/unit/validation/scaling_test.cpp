// Failures of scaling that sources report, as they come out of the cases of those sources; and the curves.
#include "scenarios/validation/scaling.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "models/step/straggler.hpp"
#include "reports/pages/scaling_report.hpp"
#include "scenarios/validation/cases/case_loader.hpp"
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

std::vector<ValidationCase> cases(const std::string& file) {
  return load_cases(std::string{RACKCAST_SOURCE_DIR} + "/tests/validation/cases/" + file + ".json");
}

std::map<std::string, double> ratios(const std::string& file) {
  PredictionContext context{catalog()};
  std::map<std::string, double> out;
  for (const ValidationCase& c : cases(file)) {
    if (!c.measured || c.workload.task != "training") continue;
    const PredictionOutcome outcome = predict_case(context, c);
    if (outcome.figure) out[c.id] = outcome.figure->value / *c.measured;
  }
  return out;
}

std::string curve(const std::string& points) {
  return R"({"format": "rackcast-scaling", "version": 1, "curves": [{"system": "A & B", "title": "net",
  "source": "s", "unit": "images/s per GPU", "reason": "", "points": )" +
         points + "}]}";
}

}  // namespace

TEST_CASE("IBM's speed-ups on 8 to 256 P100 are within 3 %") {
  const auto all = ratios("seed_decks");
  for (const char* gpus : {"8", "16", "32", "64", "128", "256"}) {
    CAPTURE(gpus);
    CHECK(std::abs(all.at(std::string{"seed-ibm-ddl-rn50-"} + gpus) - 1) < 0.03);
  }
}

TEST_CASE("efficiency on 1,088 GPUs of ABCI is within five points") {
  CHECK(std::abs(ratios("landmark_papers_largescale").at("mikami-1088-eff") - 1) * 0.9162 < 0.05);
}

TEST_CASE("what nodes lose to each other has a spread that a node alone has not") {
  CHECK(scaling_log_sigma(1) == 0);
  CHECK(scaling_log_sigma(128) == scaling_log_sigma(2));
  PredictionContext context{catalog()};
  std::map<std::string, double> half;  // of the interval, in logarithms
  for (const ValidationCase& c : cases("seed_decks")) {
    if (!c.id.ends_with("rn50-8")) continue;
    const PredictionOutcome outcome = predict_case(context, c);
    if (outcome.figure) half[c.id] = std::log(outcome.figure->high / outcome.figure->low) / 2;
  }
  CHECK(half.at("seed-ibm-ddl-rn50-8") >= 1.6 * scaling_log_sigma(2));  // two nodes against one
}

TEST_CASE("images of all GPUs of a node come from the memory of one socket") {
  // MXNet hands every GPU its images before each step: sixteen dies of a p2.16xlarge share the way.
  PredictionContext context{catalog()};
  std::map<std::string, double> rate;
  for (const ValidationCase& c : cases("mxnet_benchmarks"))
    if (c.id.starts_with("mxnet-p2-alexnet")) rate[c.id] = predict_case(context, c).figure->value;
  const double one = rate.at("mxnet-p2-alexnet-1gpu");
  CHECK(rate.at("mxnet-p2-alexnet-2gpu") <= 2 * one);
  CHECK(rate.at("mxnet-p2-alexnet-16gpu") < 0.9 * 16 * one);
  CHECK(rate.at("mxnet-p2-alexnet-8gpu") / 8 > rate.at("mxnet-p2-alexnet-16gpu") / 16);
}

TEST_CASE("curves hold published sizes and powers of two between them") {
  const auto all = scaling_curves(catalog(), cases("mxnet_benchmarks"));
  const auto found = std::find_if(all.begin(), all.end(), [](const ScalingCurve& c) {
    return c.system == "aws-p2-16xlarge" && c.title.starts_with("resnet152");
  });
  REQUIRE(found != all.end());
  CHECK(found->points.size() == 9);
  for (const ScalingPoint& p : found->points) {
    CAPTURE(p.gpus);
    REQUIRE(p.measured);
    REQUIRE(p.predicted);
    CHECK(p.predicted->low < p.predicted->value);
    CHECK(std::abs(p.predicted->value / *p.measured - 1) < 0.2);
  }
  // Clusters of the catalogue are there whatever the cases are, from one node to all of it.
  const auto summit =
      std::find_if(all.begin(), all.end(), [](const ScalingCurve& c) { return c.system == "ORNL Summit"; });
  REQUIRE(summit != all.end());
  CHECK(summit->points.front().gpus == 6);
  CHECK(summit->points.back().gpus == 27648);
  CHECK(summit->points.back().predicted->value < summit->points.front().predicted->value);
}

TEST_CASE("a drawing for each system, and a page of all") {
  const auto files =
      reports::scaling_files(curve(R"([{"gpus": 1, "measured": 10, "predicted": 11, "low": 9, "high": 13},
                {"gpus": 8, "predicted": 10, "low": 8, "high": 12}])"),
                             "c.json");
  REQUIRE(files.size() == 2);
  CHECK(files[0].name == "README.md");
  CHECK(files[0].text.find("1: +10 %") != std::string::npos);
  CHECK(files[1].name == "a-b.svg");
  CHECK(files[1].text.find("A &amp; B") != std::string::npos);
  CHECK(files[1].text.find("<circle") != std::string::npos);
}

TEST_CASE("documents that are no curves are refused") {
  const auto refusal = [](const std::string& text) {
    return error_text([&] { (void)reports::scaling_files(text, "c.json"); });
  };
  CHECK(refusal("{").find("c.json:1") != std::string::npos);
  CHECK(refusal(R"({"format": "x"})").find("not a document of scaling curves") != std::string::npos);
  CHECK(refusal(curve("[]")).find("needs points") != std::string::npos);
  CHECK(refusal(curve(R"([{"gpus": 0}])")).find("must be from 1") != std::string::npos);
  CHECK(refusal(curve(R"([{"gpus": 2}, {"gpus": 1}])")).find("ascend") != std::string::npos);
  CHECK(refusal(curve(R"([{"gpus": 1, "measured": -1}])")).find("must be") != std::string::npos);
  CHECK(refusal(curve(R"([{"gpus": 1, "predicted": 1}])")).find("low") != std::string::npos);
  CHECK(refusal(curve(R"({})")).find("array") != std::string::npos);
  CHECK(refusal(curve(R"([{"gpus": "1"}])")).find("number") != std::string::npos);
  CHECK(refusal(curve(R"([{"gpus": 1, "note": 1}])")).find("unknown key") != std::string::npos);
}
