#pragma once
/// The line between deciding what to measure on GPUs and doing it. Everything above it is plain C++ and is
/// tested with a fake; the one implementation below it is calibrate/cuda, a module that the program loads
/// when it measures, so that rackcast starts on machines without any CUDA library.
///
/// Nothing throws across this line: the module may have been built by another compiler run.
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace rackcast {

enum class GpuTaskKind {
  gemm,         ///< precision; m, n, k, count
  convolution,  ///< precision, pass; n, c, h, w, k, r, s, pad, stride
  vector,       ///< operation; rows, columns
  attention,    ///< precision; batch, heads, sequence, depth
  memory,       ///< pattern; bytes
  launch,       ///< pattern "kernel" or "graph"; count: kernels of a graph
  host_copy,    ///< pattern "h2d" or "d2h", pinned; bytes
  peer_copy,    ///< peer; bytes
  collective,   ///< pattern "all_reduce", ...; ranks, bytes; across nodes also nodes, see GpuMeeting
};

/// One thing to time. Counts are plain; unused members stay as they are.
struct GpuTask {
  GpuTaskKind kind = GpuTaskKind::gemm;
  std::string precision = "fp32";  ///< fp32, tf32, fp16, bf16, int8, fp64
  std::string pattern = {};        ///< conv: forward, data_gradient, weight_gradient; else see the kinds
  std::map<std::string, std::int64_t> numbers = {};
  int peer = 0;
  bool pinned = true;
  std::uint64_t seed = 1;  ///< of the test data
};

struct GpuFacts {
  std::string name, compute_capability, driver, runtime;
  std::map<std::string, std::string> libraries;
  int sm_count = 0;
  double memory_bytes = 0, l2_bytes = 0, memory_bytes_per_s = 0, clock_mhz = 0;
  std::vector<std::string> precisions;  ///< of gemm, that the device has units for
};

/// Readings of NVML; negative: not to be had.
struct GpuReading {
  double clock_mhz = -1, power_w = -1, temperature_c = -1;
  std::vector<std::string> throttle;
};

/// How a call across the line went. `error` is empty for success, else the failing call with CUDA's words.
struct GpuOutcome {
  std::string error;
  bool fatal = false;  ///< the device is lost or its context is broken: no further call can succeed
};

/// A prepared task: memory allocated, data filled on the device, library handles made.
class GpuWork {
 public:
  virtual ~GpuWork() = default;
  /// Runs the task `repeats` times back to back, each on the next of the rotating buffers, and sets
  /// `seconds` to the whole time.
  virtual GpuOutcome run(int repeats, double& seconds) = 0;
  /// Compares what the last run left with a reference computed on the CPU; sets `wrong` (empty: right).
  virtual GpuOutcome verify(std::string& wrong) = 0;
  [[nodiscard]] virtual bool verifies() const = 0;
  /// What the task did beyond what was asked: {"algorithm": "..."}.
  [[nodiscard]] virtual std::map<std::string, std::string> labels() const { return {}; }
};

/// The GPUs of several nodes brought together for collectives: one process on each node, which calls join()
/// at the same time as the others. A collective whose number "nodes" is more than 1 then runs on the meeting
/// of as many GPUs as its number "ranks".
struct GpuMeeting {
  std::string id;              ///< of unique_id(), made by one of the processes; any bytes
  int first_rank = 0;          ///< of this node's GPUs
  int ranks = 0, devices = 0;  ///< GPUs of all nodes, of this one
};

class GpuDriver {
 public:
  virtual ~GpuDriver() = default;
  virtual GpuOutcome devices(std::vector<GpuFacts>& out) = 0;
  virtual GpuReading read(int device) = 0;
  virtual GpuOutcome prepare(int device, const GpuTask& task, std::unique_ptr<GpuWork>& out) = 0;
  /// Whether the libraries for this kind of task were there when the module was built.
  [[nodiscard]] virtual bool has(GpuTaskKind kind) const = 0;
  /// A new name for a meeting.
  virtual GpuOutcome unique_id(std::string& out) = 0;
  /// Waits for all others of the meeting.
  virtual GpuOutcome join(const GpuMeeting& meeting) = 0;
};

/// The driver of this build, or null and the reason why there is none ("built without CUDA", ...).
std::shared_ptr<GpuDriver> open_gpu_driver(std::string& reason);

/// What the module exports under this name. The number is raised with every change of this file.
inline constexpr int gpu_driver_version = 2;
using GpuDriverFactory = GpuDriver* (*)(int version, char* reason, int reason_size);
inline constexpr const char* gpu_driver_symbol = "rackcast_open_gpu_driver";

}  // namespace rackcast
