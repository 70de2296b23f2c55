#pragma once
/// Fits the parameters of kernel models (models/gpu/kernel.hpp) to measured kernels, one set for each
/// measured device, kernel class, arithmetic and library generation, and says how well they predict shapes
/// that the fit did not see.
#include <string>
#include <vector>

#include "calibrate/tables/kernel_data.hpp"
#include "models/gpu/kernel.hpp"

namespace rackcast {

struct FitKey {
  std::string model;  ///< "p100"
  KernelClass kind = KernelClass::gemm;
  Arithmetic arithmetic = Arithmetic::fp32;
  LibraryGeneration library = LibraryGeneration::cudnn8;

  friend auto operator<=>(const FitKey&, const FitKey&) = default;
};

/// ln(measured/predicted) of kernels that the parameters were not fitted on.
struct Residuals {
  std::vector<double> quantiles;  ///< at 5, 25, 50, 75 and 95 %
  double median_abs = 0;          ///< median of |measured/predicted - 1|
  double p90_abs = 0;             ///< its 90th percentile
  double log_sigma = 0;  ///< a normal distribution's with the same 5 % and 95 % quantiles, or twice that of
                         ///< the same quartiles if less
};
inline constexpr double residual_levels[] = {0.05, 0.25, 0.5, 0.75, 0.95};

struct KernelFit {
  FitKey key;
  std::vector<std::string> devices;  ///< that the rows were measured on
  std::vector<std::size_t> rows;     ///< indices into KernelData::kernels
  KernelParameters parameters;
  KernelParameters relative_sigma;  ///< standard error of each parameter's logarithm; 0 for unused ones
  std::vector<double> floor_us;  ///< launch paths of the measuring framework: of each entry of `devices` one
                                 ///< for each source that has one, 0 where none has
  std::vector<double> held_out;  ///< predicted seconds of each row from the fit that left it out
  Residuals residuals;           ///< held out
  Residuals roofline;            ///< of the plain roofline on the same rows

  /// Products on matrix units: where their power limit comes from.
  struct PowerLimit {
    std::size_t rows = 0;              ///< products that were measured at the limit
    Residuals bursts;                  ///< errors of those rows under the limit that bursts show
    Residuals fitted;                  ///< under the limit that was fitted on them; none of them held out
    std::vector<std::string> lenders;  ///< models whose energies were taken, where there are no rows
    [[nodiscard]] bool known() const { return rows > 0 || !lenders.empty(); }
  } power_limit;
  /// What `rows` alone say, also of the power limit: `held_out` and `residuals` are those of such a fit.
  KernelParameters burst_parameters;
};

struct FitOptions {
  int folds = 5;                ///< of the cross-validation, by shape
  std::size_t least_rows = 15;  ///< of a key, to be fitted at all
};

/// Fits one group of rows that share a key. Needs at least options.least_rows rows.
KernelFit fit_kernels(const KernelData& data, const FitKey& key, const FitOptions& options = {});

/// The keys that `data` has enough rows for, sorted.
std::vector<FitKey> fit_keys(const KernelData& data, const FitOptions& options = {});

/// All of them, in the order of fit_keys; runs on every core, with the same outcome on any number.
std::vector<KernelFit> fit_all(const KernelData& data, const FitOptions& options = {});

/// Quantiles and spreads of ln(measured/predicted).
Residuals summarise(std::vector<double> log_ratios);

}  // namespace rackcast
