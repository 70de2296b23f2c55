#pragma once
/// `rackcast calibrate run`: everything this machine can tell about itself, as one document.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/gpu/gpu_driver.hpp"
#include "calibrate/gpu/gpu_experiments.hpp"
#include "calibrate/measure/box.hpp"
#include "calibrate/measure/experiment.hpp"

namespace rackcast {

struct RunRequest {
  Effort effort = Effort::standard;
  Duration budget{0};              ///< 0: 2, 10 or 60 minutes, by effort
  std::vector<std::string> paths;  ///< folders whose storage is measured
  std::uint64_t seed = 1;
  std::string program, date;            ///< for the document
  std::vector<std::string> only;        ///< kinds ("cpu_gemm"); empty: all
  std::vector<int> gpus_of_nodes = {};  ///< of the NodeGroup that the driver is; empty: one node
  /// What an earlier run measured: kept, so that the rest alone is measured.
  std::optional<Box> before = {};
  std::string before_file = {};  ///< of `before`, for messages
};

/// Whether a resumed run keeps this measurement of the earlier one, or takes it again.
bool is_kept(const Measurement& earlier);

/// Takes the document so far, which is not complete.
using KeepBox = std::function<void(const Box&)>;

/// Measures until everything is known, time is out or `interrupted` says so; what was measured is kept.
/// `driver` may be null, with `reason` why. `keep` (may be empty) is called after a measurement, but at most
/// every five seconds. Throws Error for a path that cannot be measured, and if `before` is of another
/// program, effort, seed, machine or file system.
Box calibrate_run(const RunRequest& request, const std::shared_ptr<GpuDriver>& driver,
                  const std::string& reason, const MeasureHooks& hooks, const KeepBox& keep = {});

/// The kinds of measurement, for `only` and its messages.
std::vector<std::string> measurement_kinds();

}  // namespace rackcast
