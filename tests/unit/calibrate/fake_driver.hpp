#pragma once
/// A driver that measures nothing. Its numbers are made up and say nothing about any GPU.
#include <memory>
#include <string>
#include <vector>

#include "calibrate/gpu/gpu_driver.hpp"

namespace rackcast {

struct FakeDriver : GpuDriver {
  int count = 1;
  bool cudnn = true;
  std::string prepare_error, run_error, wrong;
  bool fatal = false;
  double seconds_each = 1e-5;
  int prepared = 0, alive = 0;
  std::vector<GpuTask> tasks;
  std::vector<GpuMeeting> meetings;
  std::string join_error;
  std::vector<int> repeats;
  GpuReading reading{1500, 200, 60, {}};

  struct Work : GpuWork {
    explicit Work(FakeDriver& d) : driver(d) { ++driver.alive; }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    ~Work() override { --driver.alive; }
    GpuOutcome run(int n, double& seconds) override {
      driver.repeats.push_back(n);
      seconds = driver.seconds_each * n;
      return {driver.run_error, driver.fatal};
    }
    GpuOutcome verify(std::string& out) override {
      out = driver.wrong;
      return {};
    }
    [[nodiscard]] bool verifies() const override { return true; }
    FakeDriver& driver;
  };

  GpuOutcome devices(std::vector<GpuFacts>& out) override {
    for (int i = 0; i < count; ++i) {
      GpuFacts f;
      f.name = "Fake";
      f.sm_count = 10;
      f.precisions = {"fp32", "fp16"};
      out.push_back(f);
    }
    return {};
  }
  GpuReading read(int) override { return reading; }
  GpuOutcome prepare(int, const GpuTask& task, std::unique_ptr<GpuWork>& out) override {
    ++prepared;
    tasks.push_back(task);
    if (!prepare_error.empty()) return {prepare_error, fatal};
    out = std::make_unique<Work>(*this);
    return {};
  }
  [[nodiscard]] bool has(GpuTaskKind kind) const override {
    return cudnn || kind != GpuTaskKind::convolution;
  }
  GpuOutcome unique_id(std::string& out) override {
    out = std::string("\0\x7f\xff id", 6);  // bytes that are no text
    return {};
  }
  GpuOutcome join(const GpuMeeting& meeting) override {
    meetings.push_back(meeting);
    return {join_error, false};
  }
};

}  // namespace rackcast
