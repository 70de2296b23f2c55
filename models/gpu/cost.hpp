#pragma once
/// Time of one operator of a network on one GPU.
///
///   time = launch + max(arithmetic, memory traffic)
///
/// with a smooth maximum (models/gpu/kernel.hpp has the forms).
///
/// Arithmetic and traffic follow from the shape; the efficiencies are fitted on measured kernels per
/// architecture, precision and operator family (`rackcast calibrate fit`, models/data/gpu_models). A GPU that
/// nobody measured borrows the parameters of its nearest architecture, scaled by its own peak rates,
/// bandwidth and SM count, and gets a wider spread.
///
/// Times are those of kernels that run back to back. The time of the host for each operator is in the
/// framework profile.
#include <array>
#include <string>
#include <string_view>

#include "models/gpu/lowering.hpp"
#include "models/gpu/model_library.hpp"
#include "models/gpu/rates.hpp"
#include "models/networks/operator.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

/// Time of the kernels of one operator in one pass.
struct KernelCost {
  Duration time{0};
  Duration compute{0};  ///< had the memory been infinitely fast; the power limit counts
  Duration memory{0};   ///< of the device, had arithmetic and caches been infinitely fast
  Duration launch{0};   ///< fixed part: start, drain and dependent steps
  enum class Limit { compute, memory, launch } limit = Limit::launch;
  double log_sigma = 0;     ///< standard deviation of ln(measured/predicted) of such kernels
  double shared_sigma = 0;  ///< the part of it that all of them share: of parameters of another GPU
};
std::string_view to_string(KernelCost::Limit);

/// The cost of operators on one GPU with one library generation. Immutable.
class GpuCostModel {
 public:
  /// A library that is older than the GPU counts as the oldest that runs on it. Throws Error when a rate that
  /// every GPU has (SM count, fp32, memory) is not positive.
  static GpuCostModel create(const GpuRates& gpu, const LoweringOptions& options,
                             const GpuModelLibrary& fitted);
  /// With the fits that came with the program.
  static GpuCostModel create(const GpuRates& gpu, const LoweringOptions& options = {});

  /// Time of `pass` of `op` for `batch` samples.
  ///
  /// - A `gemm` multiplies its rows by the batch; the interaction of a sample's own vectors
  /// ("dot_interaction")
  ///   multiplies its `count` of products instead.
  /// - Normalisation, pooling, softmax, elementwise and attention have no weight gradient of their own: their
  ///   whole backward pass is `data_gradient`, and `weight_gradient` costs nothing. An embedding has no data
  ///   gradient. A `first_layer` has none either.
  /// - `optimizer` runs once per step: `forward` is the update, `elements_in`/`elements_out` are the fp32
  /// scalars
  ///   it reads and writes, `batch` is ignored.
  /// - mixed, fp16, bf16 and fp8 use tensor cores where the GPU has them (before cuDNN 8: and the shape is
  ///   aligned), and otherwise keep 16-bit storage with fp32 arithmetic.
  [[nodiscard]] KernelCost cost(const Operator& op, Pass pass, double batch, Precision precision) const;

  /// Time of one library call.
  [[nodiscard]] KernelCost cost(const KernelCall& call) const;

  [[nodiscard]] const GpuRates& gpu() const { return gpu_; }
  [[nodiscard]] const LoweringOptions& options() const { return options_; }
  /// The measured GPU whose parameters this one uses for `op` at `precision`; empty when its own architecture
  /// was measured.
  [[nodiscard]] std::string borrowed_from(const Operator& op, Precision precision) const;
  /// Standard deviation of ln(measured/predicted) of the sum over a whole network's kernels on a measured
  /// GPU: the part of the error that kernels share, which does not average out.
  [[nodiscard]] double network_log_sigma() const { return network_log_sigma_; }

 private:
  GpuCostModel(GpuRates gpu, const LoweringOptions& options, const GpuModelLibrary& fitted);
  [[nodiscard]] const KernelChoice& choice(const KernelCall& call) const;

  GpuRates gpu_;
  LoweringOptions options_;
  std::array<std::array<KernelChoice, arithmetic_count>, kernel_class_count> choices_;
  /// Of convolutions but 3x3.
  std::array<std::array<KernelChoice, arithmetic_count>, kernel_class_count> other_filters_;
  double network_log_sigma_ = 0;
};

}  // namespace rackcast
