#pragma once
/// What it costs to predict one GPU with the parameters fitted on another: the evidence for the wider
/// intervals of borrowed parameters (models/gpu_model_library.hpp).
#include <vector>

#include "calibrate/fit.hpp"

namespace rackcast {

/// All ordered pairs of fits of one class and arithmetic at the same distance.
struct BorrowedError {
  int architecture_steps = 0, library_steps = 0;
  int pairs = 0;
  double shift = 0;       ///< rms of a pair's median of ln(measured/predicted): what all its kernels share
  double median_abs = 0;  ///< median over the pairs of their median |measured/predicted - 1|
};

/// Convolutions of GPUs of one architecture with the parameters of another's, in one arithmetic and library.
struct BorrowedConvolutions {
  Arithmetic arithmetic = Arithmetic::fp32;
  LibraryGeneration library = LibraryGeneration::cudnn8;
  bool power_limited = false;  ///< the borrower
  int pairs = 0;
  double as_they_are = 0;    ///< mean over the pairs of their median |measured/predicted - 1|
  double with_products = 0;  ///< the same after scale_by_products (models/product_scaling.hpp)
};

std::vector<BorrowedConvolutions> borrowed_convolutions(const KernelData& data,
                                                        const std::vector<KernelFit>& fits);

/// Kernels timed without a framework's launch path; power-limited boards lend nothing. Sorted by distance.
std::vector<BorrowedError> borrowed_errors(const KernelData& data, const std::vector<KernelFit>& fits);

}  // namespace rackcast
