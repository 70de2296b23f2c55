// The control flow around GPUs, with a driver that measures nothing. Its numbers are made up and say nothing
// about any GPU.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "calibrate/box/run.hpp"
#include "calibrate/gpu/gpu_experiments.hpp"
#include "tests/unit/calibrate/fake_driver.hpp"

namespace rackcast {
namespace {

MeasureOutcome run(const std::shared_ptr<FakeDriver>& driver) {
  double now = 0;
  GpuSuite suite = gpu_suite(driver, "", Effort::quick, 1);
  return measure(std::move(suite.experiments), {.budget = Duration{1e6}},
                 {[&] { return now += 0.01; },
                  [] {
                    return false;
                  }});
}

std::string reason_of(const GpuSuite& suite, const std::string& what) {
  for (const NotMeasured& n : suite.not_measured)
    if (n.what == what) return n.reason;
  return {};
}

TEST_CASE("without a driver or a device everything on GPUs is listed with the reason") {
  const GpuSuite none = gpu_suite(nullptr, "built without CUDA", Effort::quick, 1);
  CHECK(none.experiments.empty());
  CHECK(none.not_measured.size() == 10);
  CHECK(reason_of(none, "GPU memory") == "built without CUDA");
  const auto driver = std::make_shared<FakeDriver>();
  driver->count = 0;
  CHECK(reason_of(gpu_suite(driver, "", Effort::quick, 1), "GPU memory") == "no device");
}

TEST_CASE("a missing library and a lone GPU leave out what they must") {
  const auto driver = std::make_shared<FakeDriver>();
  driver->cudnn = false;
  const GpuSuite suite = gpu_suite(driver, "", Effort::quick, 1);
  CHECK(reason_of(suite, "GPU convolutions") == "built without cuDNN");
  CHECK(reason_of(suite, "NCCL collectives") == "one GPU only");
  CHECK(std::ranges::none_of(suite.experiments,
                             [](const Experiment& e) { return e.about.kind == "gpu_conv"; }));
  CHECK(suite.gpus.size() == 1);
}

TEST_CASE("every pair of GPUs is copied between, in both directions, and other GPUs are checked shortly") {
  const auto driver = std::make_shared<FakeDriver>();
  driver->count = 4;
  const GpuSuite suite = gpu_suite(driver, "", Effort::quick, 1);
  std::set<std::string> pairs, ids;
  int second = 0;
  for (const Experiment& e : suite.experiments) {
    if (e.about.kind == "gpu_peer_copy") pairs.insert(e.about.device);
    second += e.about.device == "gpu1";
    CHECK_MESSAGE(ids.insert(e.about.id).second, e.about.id);
  }
  CHECK(pairs.size() == 12);  // 4 * 3
  CHECK(second > 5);
  CHECK(reason_of(suite, "NCCL collectives").empty());
}

TEST_CASE("short kernels are repeated within a sample, and a sample is the time of one") {
  const auto driver = std::make_shared<FakeDriver>();
  const MeasureOutcome out = run(driver);
  REQUIRE_FALSE(out.measurements.empty());
  CHECK(out.not_measured.empty());
  // 2 ms / 10 us = 200 calls in each sample
  CHECK(driver->repeats.back() == 200);
  CHECK(out.measurements[0].samples[0] == doctest::Approx(1e-5));
  CHECK(*out.measurements[0].verified);
  CHECK(*out.measurements[0].conditions.power_w == 200);
}

TEST_CASE("an error of one kernel is listed and the next is measured") {
  const auto driver = std::make_shared<FakeDriver>();
  driver->prepare_error = "cudaMalloc: out of memory";
  const MeasureOutcome out = run(driver);
  CHECK(out.measurements.empty());
  CHECK(driver->prepared == static_cast<int>(out.not_measured.size()));
  CHECK(out.not_measured[0].reason == "cudaMalloc: out of memory");
}

TEST_CASE("a lost GPU is not asked again") {
  const auto driver = std::make_shared<FakeDriver>();
  driver->run_error = "cudaEventSynchronize: an illegal memory access was encountered";
  driver->fatal = true;
  const MeasureOutcome out = run(driver);
  CHECK(driver->prepared == 1);
  CHECK(out.measurements.empty());
  CHECK(out.not_measured.back().reason.starts_with("the GPU was lost before"));
}

TEST_CASE("a wrong result is reported and its time thrown away") {
  const auto driver = std::make_shared<FakeDriver>();
  driver->wrong = "element 3 is 5 instead of 4";
  const MeasureOutcome out = run(driver);
  CHECK(out.measurements.empty());
  CHECK(out.not_measured[0].reason.find("5 instead of 4") != std::string::npos);
}

TEST_CASE("throttling is kept with the measurement") {
  const auto driver = std::make_shared<FakeDriver>();
  driver->reading.throttle = {"thermal slowdown"};
  CHECK(run(driver).measurements[0].conditions.throttle == std::vector<std::string>{"thermal slowdown"});
}

TEST_CASE("the shapes place tiles just below, at and above a full wave") {
  const auto tasks = gemm_tasks({"fp16"}, 80, Effort::quick);
  const auto has = [&](std::int64_t m) {
    return std::ranges::any_of(tasks, [&](const NamedTask& t) {
      return t.task.numbers.at("m") == m && t.task.numbers.at("n") == 128 && t.task.numbers.at("k") == 4096;
    });
  };
  CHECK(has(79 * 128));
  CHECK(has(80 * 128));
  CHECK(has(81 * 128));
  CHECK(gemm_tasks({"fp16"}, 80, Effort::thorough).size() > tasks.size());
  // at least the 20 rows for each fit that models need
  CHECK(tasks.size() >= 20);
}

TEST_CASE("least traffic of vector kernels") {
  // add: two inputs and an output of four bytes
  CHECK(vector_bytes("add", 10, 100) == 12000);
  CHECK(vector_bytes("adam", 1, 1) == 28);
  CHECK(vector_bytes("nothing", 1, 1) == 0);
}

}  // namespace
}  // namespace rackcast
