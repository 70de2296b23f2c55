#pragma once
/// Rates at which an SM reads from the second-level cache.
#include <string_view>

#include "sim/units/quantity.hpp"

namespace rackcast {

/// Measured rate per SM when all SMs of a GPU read, by the GPU's name in the catalogue or that of its fits
/// ("l40s", "v100"): models/data/cache_rates.json. 0 where nobody measured it.
Bandwidth cache_rate_per_sm(std::string_view gpu);

}  // namespace rackcast
