#pragma once
/// The measurement document ("format": "rackcast-box", version 1): what `rackcast calibrate run` measured on
/// one machine, with every raw sample and the conditions it was taken under. Schema: `rackcast schema box`.
///
/// A measurement is the time of a known amount of work, so that its rate is amount / median. It names neither
/// host nor user, path, address or serial number: only what decides speed.
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/fit/statistics.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

/// What could disturb a measurement. Absent: could not be read here.
struct Conditions {
  std::optional<double> load;           ///< runnable processes besides ours, per core, before it
  std::optional<double> clock_mhz;      ///< of the measured device, mean of before and after
  std::optional<double> clock_drop;     ///< relative fall of the clock during it (0.1: 10 % lower at the end)
  std::optional<double> power_w;        ///< of the GPU, highest of the readings
  std::optional<double> temperature_c;  ///< of the GPU, highest of the readings
  std::vector<std::string> throttle;    ///< reasons that the device gave, e.g. "power cap"

  friend bool operator==(const Conditions&, const Conditions&) = default;
};

struct Measurement {
  std::string id;                         ///< unique in the document: "cpu_gemm/fp32/m512/n512/k512/threads1"
  std::string kind;                       ///< "cpu_gemm", "storage_read", "gpu_gemm", ...
  std::string device;                     ///< "cpu", "gpu0", "gpu0-gpu1", "path1"
  std::map<std::string, double> numbers;  ///< shape: {"m": 512}; plain counts and bytes
  std::map<std::string, std::string> labels;  ///< {"precision": "fp32"}
  double amount = 1;                          ///< work of one sample
  std::string amount_unit;                    ///< "FLOP", "B", "images", "calls", "files", "reads"
  std::vector<double> samples;                ///< seconds for `amount`
  int warm_up = 0;                            ///< samples thrown away first
  SampleEnd stop = SampleEnd::samples;
  std::optional<bool> verified;  ///< against a reference; absent: nothing to verify
  Conditions conditions;

  [[nodiscard]] SampleSummary summary() const { return summarise_samples(samples); }
  [[nodiscard]] double rate() const;  ///< amount per second at the median; 0 without samples
  friend bool operator==(const Measurement&, const Measurement&) = default;
};

struct NotMeasured {
  std::string what, reason;
  friend bool operator==(const NotMeasured&, const NotMeasured&) = default;
};

struct BoxHost {
  std::string cpu_model, architecture, governor;
  int sockets = 0, cores = 0, threads = 0, numa_nodes = 0;  ///< 0: unknown; threads: that we may run on
  Bytes memory{0};
  friend bool operator==(const BoxHost&, const BoxHost&) = default;
};

struct BoxGpu {
  std::string name, compute_capability, driver, runtime;  ///< "NVIDIA H100 PCIe", "9.0", "570.1", "13.0"
  std::map<std::string, std::string> libraries;           ///< {"cublas": "13.0", "cudnn": "9.1"}
  int sm_count = 0;
  Bytes memory{0}, l2{0};
  Bandwidth memory_peak{0};  ///< from bus width and clock; 0: unknown
  double clock_mhz = 0;      ///< highest
  friend bool operator==(const BoxGpu&, const BoxGpu&) = default;
};

struct BoxPath {
  std::string label, filesystem;  ///< "path1", "ext4"
  bool direct = false;            ///< O_DIRECT works: reads bypass the page cache
  Bytes file_size{0};             ///< of the test file
  friend bool operator==(const BoxPath&, const BoxPath&) = default;
};

struct Box {
  std::string program, date, effort;  ///< version of rackcast, "2024-05-01", "quick"
  bool complete = false;              ///< false: interrupted or out of time
  std::uint64_t seed = 0;             ///< of order and test data
  BoxHost host;
  std::vector<BoxGpu> gpus;
  std::vector<BoxPath> paths;
  std::vector<Measurement> measurements;  ///< in the order they were taken
  std::vector<NotMeasured> not_measured;
  std::vector<std::string> warnings;
  friend bool operator==(const Box&, const Box&) = default;

  [[nodiscard]] const Measurement* find(std::string_view id) const;
};

/// JSON text; samples with nine significant digits. Reading it back gives an equal box.
std::string box_text(const Box& box);

/// Throws Error, pointing at the place, on another format, a newer version, unknown keys, samples that are no
/// positive and plausible times, a count that is not whole and positive, an empty name, an id that stands
/// twice, or a stored median, spread or interval that is not that of the samples (edited by hand).
Box read_box(const std::string& json_text, const std::string& name);
Box read_box_file(const std::string& path);

/// The draft-07 JSON schema of the document.
std::string_view box_schema();

}  // namespace rackcast
