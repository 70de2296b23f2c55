#pragma once
/// The power limits of boards whose products nobody measured at the limit.
#include <vector>

#include "calibrate/fit/fit.hpp"

namespace rackcast {

/// Gives products on matrix units that were measured in bursts alone the energies of their siblings: GPUs of
/// one architecture whose matrix units do as much in an SM, and whose products were measured at the limit
/// (geometric mean, carried by models/gpu/board_power.hpp). In an arithmetic that no sibling was measured in,
/// an operation takes the share of the energy of one in 16 bits that it takes on GPUs that were measured in
/// both. GPUs without siblings keep the limit that bursts show.
void lend_power_limits(const KernelData& data, std::vector<KernelFit>& fits);

}  // namespace rackcast
