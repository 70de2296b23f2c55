#pragma once
/// Kernels on one GPU in the order in which the host starts them. Private to models/frameworks/gpu_step.cpp.
#include <algorithm>
#include <cmath>
#include <utility>

#include "models/frameworks/framework.hpp"
#include "models/frameworks/framework_parameters.hpp"
#include "models/frameworks/gpu_step.hpp"

namespace rackcast {

/// Host time of an operator of a Python program that records nothing for gradients, of that in training.
/// Chosen in view of forward passes in 16 bits (models/data/provenance.json).
inline constexpr double eager_without_gradients = 2.0 / 3;

/// The queue between host and GPU, and the same with a host that is slower by one standard deviation.
class Stream {
 public:
  Stream(const FrameworkProfile& framework, bool training, StepTime& out)
      : framework_{framework},
        out_{out},
        slower_{std::exp(host_log_sigma(framework))},
        forward_{training || framework.dispatch == Dispatch::graph ? 1 : eager_without_gradients} {
    keep_host_busy(framework.host_per_step);
  }

  /// `issues`: kernels that the host starts for it.
  void run(const Operator* op, Pass pass, Duration time, KernelCost::Limit limit, int issues = 1) {
    issue(pass, issues);
    keep_gpu_busy(time);
    out_.gpu_busy += time;
    out_.kernels.push_back({op, pass, time, limit, now_.gpu});
  }

  /// The host starts kernels whose time on the GPU is counted elsewhere.
  void issue(Pass pass, int kernels) {
    const double pace = pass == Pass::forward ? forward_ : framework_.host_backward;
    keep_host_busy(kernels * pace * framework_.host_per_kernel);
  }

  /// The GPUs wait for each other; no kernel of this network.
  void sum(const LayerSum& of) {
    keep_host_busy(framework_.host_per_sum + of.host);
    keep_gpu_busy(of.time);
  }

  void wait(Duration time) {
    for (Clocks* clocks : {&now_, &slow_}) {
      clocks->host += time;
      clocks->gpu = std::max(clocks->gpu, clocks->host);
    }
    out_.input = mark_ = now_.gpu;
  }

  /// The host waits for the GPU and reads back (models/frameworks/host_section.hpp); `shortest` is the time
  /// of a kernel that does next to nothing.
  void read_back(const HostSection& section, double batch, Duration shortest) {
    const double operations = section.operations_of(batch);
    if (!(operations > 0)) return;
    const Duration waits = section.waits_of(batch) * shortest;
    for (Clocks* clocks : {&now_, &slow_}) {
      const Duration issue = (clocks == &now_ ? 1 : slower_) * framework_.host_per_kernel;
      clocks->host = clocks->gpu =
          std::max(clocks->host, clocks->gpu) + operations * std::max(issue, shortest) + waits;
    }
    out_.gpu_busy += operations * shortest;
  }

  /// Time since the last mark.
  Duration lap() { return now_.gpu - std::exchange(mark_, now_.gpu); }
  [[nodiscard]] Duration now() const { return now_.gpu; }
  /// Spread of ln(time) because the host's pace is not known: 0 where the host runs far ahead.
  [[nodiscard]] double spread() const { return now_.gpu > Duration{0} ? std::log(slow_.gpu / now_.gpu) : 0; }

 private:
  struct Clocks {
    Duration host{0}, gpu{0};
  };

  void keep_host_busy(Duration time) {
    now_.host += time;
    slow_.host += slower_ * time;
  }
  void keep_gpu_busy(Duration time) {
    for (Clocks* clocks : {&now_, &slow_}) clocks->gpu = std::max(clocks->gpu, clocks->host) + time;
  }

  const FrameworkProfile& framework_;
  StepTime& out_;
  double slower_ = 1, forward_ = 1;
  Clocks now_, slow_;
  Duration mark_{0};
};

}  // namespace rackcast
