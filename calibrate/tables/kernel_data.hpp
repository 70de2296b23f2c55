#pragma once
/// Measured kernels, ready to fit: each row is one library call on one device with its time.
///
/// A data folder holds devices.csv (rates of the measured devices), sources.csv (how each subfolder's times
/// were taken) and one subfolder per source with any of gemm.csv, conv.csv, rnn.csv, vector.csv,
/// attention.csv, bandwidth.csv, batched_tiles.csv, linear.csv, sustained.csv, decode.csv, experts.csv. Other
/// files (README, LICENSE) are left alone.
#include <string>
#include <vector>

#include "calibrate/tables/data_files.hpp"
#include "models/gpu/kernel.hpp"

namespace rackcast {

/// What a time includes besides the kernel.
enum class Timing {
  back_to_back,        ///< nothing, or the launch when that is longer
  events_around_call,  ///< the framework's launch path, a constant of the host
  kernel_trace,        ///< nothing
  with_conversion,     ///< a kernel before it that writes the product's left operand in fewer bits
};
constexpr bool more_than_kernel(Timing t) {
  return t == Timing::events_around_call || t == Timing::with_conversion;
}

struct MeasuredDevice {
  std::string name;   ///< "p100_pcie_16gb"
  std::string model;  ///< devices with the same name here share fitted parameters: "p100"
  GpuRates rates;
  bool power_limited = false;  ///< runs far below its boost clock under load (70 W boards)
};

struct MeasuredKernel {
  std::size_t device = 0;  ///< index into KernelData::devices
  LibraryGeneration library = LibraryGeneration::cudnn8;
  Timing timing = Timing::back_to_back;
  std::string source;  ///< its subfolder: one way of calling, so one launch path on each device
  KernelCall call;
  double seconds = 0;
  std::string shape;  ///< equal for equal shapes; cross-validation keeps them together
  std::string where;  ///< "deepbench/conv.csv:17"
};

/// The one tile that a library has for products of many matrices on a device, by the names of its kernels.
struct BatchedTile {
  std::size_t device = 0;
  LibraryGeneration library = LibraryGeneration::cudnn8;
  Arithmetic arithmetic = Arithmetic::fp32;
  double rows = 0, columns = 0;
};

/// Attention as a framework without a kernel for it computes it: several kernels, which no fit uses.
struct MeasuredAttention {
  std::size_t device = 0;
  bool backward = false, causal = false;
  MatrixShape shape;  ///< queries, keys, depth, heads
  double seconds = 0;
};

struct KernelData {
  std::vector<MeasuredDevice> devices;
  std::vector<MeasuredKernel> kernels;  ///< in file order
  /// Products that were repeated until the board drew the limit of its power, where `kernels` were timed in
  /// bursts that its regulation does not see.
  std::vector<MeasuredKernel> sustained;
  std::vector<MeasuredAttention> unfused_attention;
  std::vector<BatchedTile> batched_tiles;
};

/// Throws Error (file, line) on a missing table, a wrong header, an unknown name or a number out of range.
KernelData load_kernel_data(const std::vector<DataFile>& files);

/// Peak rate of the unit that computes `arithmetic`; 0 where the GPU has none.
FlopRate peak_of(const GpuRates& gpu, Arithmetic arithmetic);

}  // namespace rackcast
