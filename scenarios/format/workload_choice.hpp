#pragma once
/// The network and the software that a workload of a scenario names.
#include "models/frameworks/framework.hpp"
#include "models/networks/workload.hpp"

namespace rackcast {

struct GpuSpec;
struct WorkloadSpec;

/// For samples as the workload states them. Throws Error at their place for what the network
/// has no use for.
Workload network_of(const WorkloadSpec& spec);

/// The version is the stated one, or where the GPU needs newer software a container of its first years.
FrameworkQuery software_of(const WorkloadSpec& spec, const GpuSpec& gpu);

}  // namespace rackcast
