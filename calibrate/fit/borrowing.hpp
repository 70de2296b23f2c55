#pragma once
/// Errors of predicting one GPU with the parameters fitted on another: the evidence for the wider
/// intervals of borrowed parameters (models/gpu/model_library.hpp).
#include <vector>

#include "calibrate/fit/fit.hpp"
#include "calibrate/fit/network_sums.hpp"

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
  double with_products = 0;  ///< the same after scale_by_products (models/gpu/product_scaling.hpp)
};

std::vector<BorrowedConvolutions> borrowed_convolutions(const KernelData& data,
                                                        const std::vector<KernelFit>& fits);

/// Sums over networks' convolutions on GPUs as if nobody had measured them: what models/gpu/model_library.hpp
/// then lends them, fits of the same GPU (or of its whole architecture) set aside.
struct BorrowedSums {
  int architecture_steps = 0;  ///< to the farthest lender of a sum
  int gpus = 0, sums = 0;
  double log_rms = 0;         ///< of ln(measured/predicted) over the sums
  double own_log_rms = 0;     ///< the same by the GPUs' own fits, on shapes that they did not see
  double borrowed_sigma = 0;  ///< rms over the sums of the spread that the library states for borrowing alone
};

/// Sorted by steps. Left out are boards held back by their power limit, and GPUs that take the only
/// measurements of their library generation with them.
std::vector<BorrowedSums> borrowed_sums(const std::vector<DataFile>& files, const KernelData& data,
                                        const std::vector<KernelFit>& fits);

/// Kernels timed without a framework's launch path; power-limited boards lend nothing. Sorted by distance.
std::vector<BorrowedError> borrowed_errors(const KernelData& data, const std::vector<KernelFit>& fits);

}  // namespace rackcast
