#pragma once
/// Fitted kernel models of the measured GPUs, and which of them stands in for a GPU that was not measured.
#include <array>
#include <span>
#include <string>
#include <vector>

#include "models/gpu/kernel.hpp"
#include "sim/base/embedded.hpp"

namespace rackcast {

class Json;

/// One fitted set: what `rackcast calibrate fit` wrote for a kernel class on one measured GPU.
struct FittedKernel {
  std::string model, architecture;
  bool power_limited = false;  ///< the measured board ran far below its boost clock: a poor donor
  KernelClass kind = KernelClass::gemm;
  Arithmetic arithmetic = Arithmetic::fp32;
  LibraryGeneration library = LibraryGeneration::cudnn8;
  KernelParameters parameters;
  Bandwidth memory_per_sm{0};  ///< of the measured GPU; 0: not stated
  FlopRate peak_per_sm{0};     ///< of matrix units, and of convolutions in fp32; 0: not stated
  Power power_per_sm{0};       ///< share of the power limit; 0: not stated
  bool at_the_limit = false;   ///< the power limit is that of products that lasted, not of bursts
  bool only_3x3 = false;       ///< convolutions: fitted on 3x3 filters of stride 1 alone
  double log_sigma = 0;        ///< of ln(measured/predicted) on shapes that were not fitted
  bool own = false;            ///< from the user's own measurements: goes before shipped sets of the same GPU
};

/// The set that serves a request, and how far it was carried.
struct KernelChoice {
  KernelParameters parameters;
  double log_sigma = 0;       ///< widened by what was borrowed
  double borrowed_sigma = 0;  ///< that widening alone
  std::string model;          ///< where the parameters come from
  bool other_gpu = false;     ///< measured on another architecture
  LibraryGeneration library = LibraryGeneration::cudnn8;
  bool other_arithmetic = false;
};

/// Dense rate of the matrix units in this arithmetic; 0 where the GPU has none.
FlopRate matrix_peak(const GpuRates& gpu, Arithmetic arithmetic);

class GpuModelLibrary {
 public:
  /// Reads every "gpu_models/*.json" of `files`. Throws Error (file, line) on anything malformed.
  explicit GpuModelLibrary(std::span<const EmbeddedFile> files);
  static GpuModelLibrary builtin();

  /// Adds the sets of a document of `rackcast calibrate fit box.json` ("format": "rackcast-device"). They
  /// serve their own GPU whatever the library generation, and lend to others like shipped ones. Throws Error
  /// at the place of anything malformed.
  void add(const Json& device);

  /// The nearest fitted set, by architecture first, then library generation. Arithmetic is kept where any set
  /// has it; fp32 stands in for half_storage of other architectures and for int8 where nothing else does.
  /// Convolutions other than 3x3 with stride 1 (`any_filter`) pass over the sets that were fitted on those
  /// alone where another set has the arithmetic: under 3x3 filters most kernels are Winograd's, and what such
  /// a set says about direct ones does not carry to small maps under 1x1 filters.
  /// Throws Error if the library holds no set of this class.
  [[nodiscard]] KernelChoice choose(const GpuRates& gpu, KernelClass kind, Arithmetic arithmetic,
                                    LibraryGeneration library, bool any_filter = false) const;

  [[nodiscard]] const std::vector<FittedKernel>& kernels() const { return kernels_; }
  /// Spread of ln(measured/predicted) of whole networks, for networks on the same GPU; 0 if no file says.
  [[nodiscard]] double network_log_sigma() const { return network_log_sigma_; }

 private:
  void read(const Json& file, bool own);
  /// Whose power limit holds for `products`: a user's own are timed in bursts, so the shipped ones of the
  /// same GPU, if those were measured at the limit.
  [[nodiscard]] const FittedKernel& limit_of(const FittedKernel& products) const;
  /// What the GPU's power limit allows its products on matrix units, where known, holds for its convolutions.
  void limit_by_products(KernelParameters& convolutions, const GpuRates& gpu, Arithmetic arithmetic,
                         LibraryGeneration library) const;
  [[nodiscard]] const FittedKernel* nearest(const GpuRates& gpu, KernelClass kind, Arithmetic arithmetic,
                                            LibraryGeneration library, bool any_filter) const;
  /// Products of the GPU, arithmetic and library that `kernel` was measured with; nullptr if there are none.
  [[nodiscard]] const FittedKernel* products_of(const FittedKernel& kernel) const;

  std::vector<FittedKernel> kernels_;
  double network_log_sigma_ = 0;
};

/// Whether the GPU of this catalogue id is a board of a measured model: "a100_sxm4_80gb" is one of "a100",
/// "l40s" none of "l4".
bool is_board_of(std::string_view gpu, std::string_view model);

/// Steps from a GPU to an architecture that was measured, in the order of their maker; a large number for
/// other makers' GPUs. Throws Error where nobody described the GPU's architecture.
int architecture_distance(const GpuRates& gpu, std::string_view measured);
/// The same between two architectures that come with the program.
int architecture_distance(std::string_view a, std::string_view b);

}  // namespace rackcast
