#pragma once
/// From the catalogue's GPU to the rates of the cost model.
#include "models/gpu/cost.hpp"

namespace rackcast {

struct ArchitectureSpec;
struct GpuSpec;

/// Throws Error where nobody described it.
const ArchitectureSpec& architecture_of(const GpuRates& gpu);

/// Throws Error when the catalogue lacks the SM count or the fp32 rate.
GpuRates gpu_rates(const GpuSpec& spec);

}  // namespace rackcast
