#pragma once
/// The accuracy of the fitted kernel models as Markdown (docs/accuracy/kernels.md).
#include <string>
#include <vector>

#include "calibrate/fit/borrowing.hpp"
#include "calibrate/fit/network_sums.hpp"

namespace rackcast {

/// Held-out errors for each GPU and kernel class beside the plain roofline, of attention's products, of sums
/// over networks, and of borrowed parameters.
std::string kernel_accuracy_markdown(const KernelData& data, const std::vector<KernelFit>& fits,
                                     const std::vector<NetworkSum>& sums,
                                     const std::vector<BorrowedError>& borrowed,
                                     const std::vector<BorrowedConvolutions>& convolutions,
                                     const std::vector<BorrowedSums>& borrowed_networks);

}  // namespace rackcast
