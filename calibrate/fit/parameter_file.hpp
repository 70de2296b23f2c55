#pragma once
/// The parameter files that models/gpu/model_library.hpp reads, as text.
#include <string>
#include <utility>
#include <vector>

#include "calibrate/fit/fit.hpp"
#include "calibrate/fit/network_sums.hpp"

namespace rackcast {

/// The fits of one measured GPU (all with the same key.model) as a JSON file. Numbers carry five significant
/// digits: far below their standard errors, and equal on every machine.
std::string parameter_file_text(const KernelData& data, const std::vector<const KernelFit*>& fits);

/// The members of a "kernels" list: one object for each fit.
std::string kernels_text(const KernelData& data, const std::vector<const KernelFit*>& fits);

/// Everything that `rackcast calibrate fit` writes: file name and text, sorted. One file for each measured
/// GPU
/// ("p100.json") and networks.json with the spread of sums over networks.
std::vector<std::pair<std::string, std::string>> parameter_files(const KernelData& data,
                                                                 const std::vector<KernelFit>& fits,
                                                                 const std::vector<NetworkSum>& sums);

}  // namespace rackcast
