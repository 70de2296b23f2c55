#pragma once
/// The network and the software that a workload of a scenario names.
#include "models/frameworks/framework.hpp"
#include "models/networks/workload.hpp"

namespace rackcast {

struct GpuSpec;
struct WorkloadSpec;

/// The network for samples of the size that the workload states. Throws Error at the place of a size that the
/// network does not use.
Workload network_of(const WorkloadSpec& spec);

/// The software of the workload. If the GPU needs newer software than the default, the version is a container
/// from the GPU's first years.
FrameworkQuery software_of(const WorkloadSpec& spec, const GpuSpec& gpu);

}  // namespace rackcast
