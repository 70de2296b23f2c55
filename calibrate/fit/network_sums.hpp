#pragma once
/// Errors of kernels, summed over a network: the measured times of all its convolutions against the
/// predictions of fits that did not see them.
#include <string>
#include <vector>

#include "calibrate/fit/fit.hpp"

namespace rackcast {

/// One network at one batch size on one GPU: the passes that were measured for all of its layers.
struct NetworkSum {
  std::string network, model;
  int batch = 0;
  Arithmetic arithmetic = Arithmetic::fp32;
  LibraryGeneration library = LibraryGeneration::cudnn8;
  double measured = 0, predicted = 0;  ///< seconds
};

/// `files` holds the networks.csv that say which kernels a network runs. Throws Error on a broken row.
std::vector<NetworkSum> network_sums(const std::vector<DataFile>& files, const KernelData& data,
                                     const std::vector<KernelFit>& fits);

/// Standard deviation of ln(measured/predicted) as the median of its size tells it (a normal distribution has
/// half of its weight within 0.6745 standard deviations); 0 without sums.
double network_log_sigma(const std::vector<NetworkSum>& sums);

}  // namespace rackcast
