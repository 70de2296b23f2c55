#pragma once
/// What the owner of a service measured, beside the model: all times of a node have one log-normal factor,
/// that of its kernels, and each row of "measured" is an observation of it
/// (scenarios/measured/posterior.hpp).
#include <vector>

#include "scenarios/evaluate/measured_run.hpp"
#include "scenarios/measured/posterior.hpp"

namespace rackcast {

class GpuModelLibrary;
class ServiceNode;

/// The speed of this node's passes. `node`: as modelled. Throws Error at the row of a run that cannot be.
FactorBelief service_belief(const Catalog& catalog, const GpuModelLibrary& kernels, const Scenario& scenario,
                            const ServiceNode& node);

/// Each row beside the model. `moved`: by how much the row changes the rate of one GPU of the node, which was
/// built with all rows in a cluster of `cluster`.
std::vector<MeasuredComparison> compare_service(const Catalog& catalog, const GpuModelLibrary& kernels,
                                                const Scenario& scenario, const ClusterSpec& cluster,
                                                const ServiceNode& node);

}  // namespace rackcast
