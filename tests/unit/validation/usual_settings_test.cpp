// A case that leaves out what its prediction needs is predicted over what was usual, and is not judged.
#include "scenarios/validation/settings/usual_settings.hpp"

#include <doctest/doctest.h>

#include <string>

#include "scenarios/validation/cases/case_loader.hpp"
#include "scenarios/validation/report.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

ValidationCase training(const std::string& system, const std::string& workload, const std::string& metric) {
  return parse_cases(
             R"([{"id":"a","series":"s/x","kind":"measurement","system":{"gpu":"v100_sxm2_16gb",)" + system +
                 R"(},"workload":{"model":"resnet50","task":"training","framework":{"name":"mxnet"},)" +
                 workload + R"(},"measured":{"metric":")" + metric + R"(","value":1000}}])",
             "f.json")
      .at(0);
}

CaseResult predicted(const ValidationCase& c) {
  const std::vector<ValidationCase> all{c};
  return validate_cases(Catalog::builtin(), all).cases.front();
}

}  // namespace

TEST_CASE("a fabric that is not stated is one of the usual ones, and the interval reaches over them") {
  const std::string batch = R"("batch_per_gpu":64,"precision":"mixed")";
  const std::string nodes =
      R"("gpus":16,"gpus_per_node":8,"nodes":2,"intra_node":"nvlink-hybrid-cube-mesh","fabric":)";
  const CaseResult open = predicted(training(nodes + R"({"link":"unknown"})", batch, "images_per_s"));
  REQUIRE(open.predicted);
  CHECK(open.set == CaseSet::assumed);
  CHECK(open.predicted->assumed == std::vector<std::string>{"fabric"});
  const auto with = [&](const std::string& fabric) {
    return *predicted(training(nodes + fabric, batch, "images_per_s")).predicted;
  };
  const PredictedFigure fast = with(R"({"link":"edr","links_per_node":4})"),
                        slow = with(R"({"link":"gbe25","links_per_node":1})");
  CHECK(open.predicted->low == doctest::Approx(slow.low));
  CHECK(open.predicted->high == doctest::Approx(fast.high));
  CHECK(open.predicted->value == doctest::Approx(with(R"({"link":"edr","links_per_node":1})").value));
}

TEST_CASE("batch, precision, samples and epochs are filled one after another") {
  const CaseResult open =
      predicted(training(R"("gpus":1)", R"("extra":{"dataset":"imagenet"})", "time_to_train_s"));
  REQUIRE(open.predicted);
  CHECK(open.predicted->assumed.size() == 4);
  CHECK(open.set == CaseSet::assumed);
  CHECK(open.predicted->low < open.predicted->value);
}

TEST_CASE("a last epoch says the number of epochs but for where the script begins to count") {
  const ValidationCase c =
      training(R"("gpus":1)", R"("extra":{"last_eval_epoch":[60,62]})", "time_to_train_s");
  const auto variants = with_usual(c, "epochs");
  REQUIRE(variants.size() == 2);
  CHECK(number_in(variants[0].workload.extra, "epochs") == 61);
  CHECK(number_in(variants[1].workload.extra, "epochs") == 62);
}

TEST_CASE("a setting of which nothing is known leaves the case without a prediction") {
  CHECK(with_usual(training(R"("gpus":1)", R"("batch_per_gpu":1)", "images_per_s"), "colour").empty());
  CHECK(with_usual(training(R"("gpus":1)", R"("extra":{"dataset":"our own"})", "epoch_time_s"), "samples")
            .empty());
}
