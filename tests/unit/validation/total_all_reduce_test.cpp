// What the ranks of a training spend in its all-reduces, by the steps of the run.
#include <doctest/doctest.h>

#include <string>

#include "scenarios/validation/cases/case_loader.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "scenarios/validation/report.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

/// Four Titan X with one all-reduce of ResNet-50's gradients in each step.
std::string all_reduce(const std::string& id, const std::string& batch, const std::string& extra,
                       const std::string& metric) {
  return R"({"id": ")" + id +
         R"(", "system": {"gpu": "titan_x_maxwell", "node": "svail_titanx8", "gpus": 4, "gpus_per_node": 4},
 "workload": {"model": "resnet50", "task": "collective", "input": {"bytes": 102228128}, "batch_per_gpu": )" +
         batch + R"(, "precision": "fp32", "framework": {"name": "nccl", "version": "2.0"}, "extra": {)" +
         extra + R"(}}, "measured": {"metric": ")" + metric + R"(", "value": 1, "unit": "s"}})";
}

ValidationReport report_of(const std::string& cases) {
  return validate_cases(Catalog::builtin(), parse_cases("[" + cases + "]", "cases.json"));
}

}  // namespace

TEST_CASE("every step of a run has one all-reduce and the wait for its slowest rank") {
  const std::string total = "all_reduce_total_time_s",
                    long_run = R"("samples_per_epoch": 12800, "epochs": 2)";
  const ValidationReport report =
      report_of(all_reduce("total", "32", long_run, total) + "," +
                all_reduce("short", "32", R"("samples_per_epoch": 12800, "epochs": 1)", total) + "," +
                all_reduce("one", "32", "", "all_reduce_time_s"));
  for (const CaseResult& one : report.cases) REQUIRE_MESSAGE(one.predicted, one.skipped_reason);
  const double run = report.cases[0].predicted->value, one = report.cases[2].predicted->value;
  CHECK(run == doctest::Approx(2 * report.cases[1].predicted->value));
  // 2 * 12800 / (32 * 4) = 200 steps. A step takes some 0.4 s, of which the slowest of four waits 1.03 %.
  CHECK(run > 200 * one);
  CHECK(run < 200 * (one + 0.02));
}

TEST_CASE("without the batch of a GPU the number of all-reduces is unknown") {
  const ValidationReport report = report_of(
      all_reduce("total", "null", R"("samples_per_epoch": 12800, "epochs": 2)", "all_reduce_total_time_s"));
  CHECK_FALSE(report.cases.front().predicted);
  CHECK(report.cases.front().skipped_reason.find("batch per GPU not stated") != std::string::npos);
}

TEST_CASE("copies between host and GPU take NVLink where it reaches the CPU") {
  const auto copy = [](const std::string& id, const std::string& system) {
    return R"({"id": ")" + id + R"(", "system": )" + system +
           R"(, "workload": {"model": "copy", "task": "kernel", "precision": "fp32",
 "framework": {"name": "unknown", "version": ""}}, "measured": {"metric": "host_to_device_gb_per_s", "value": 1,
 "unit": "GB/s"}})";
  };
  const ValidationReport report = report_of(
      copy("nvlink",
           R"({"gpu": "v100_sxm2_16gb", "node": "ibm_ac922_4gpu", "gpus": 1, "gpus_per_node": 1})") +
      "," +
      copy("pcie", R"({"gpu": "v100_pcie_16gb", "node": "dell_c4140_b", "gpus": 1, "gpus_per_node": 1})"));
  for (const CaseResult& one : report.cases) REQUIRE_MESSAGE(one.predicted, one.skipped_reason);
  // Three links, on each of which large copies reach 20 of 25 GB/s, and PCIe 3.0 x16.
  CHECK(report.cases[0].predicted->value == doctest::Approx(60));
  CHECK(report.cases[1].predicted->value == doctest::Approx(12));
}
