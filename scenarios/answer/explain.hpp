#pragma once
/// Where the time of one step goes on one GPU, and where its memory goes.
#include <string>
#include <string_view>

namespace rackcast {

class Catalog;
struct Scenario;

/// For each workload of the scenario (or the one named): time by operator family and pass, by limit (compute,
/// memory bandwidth, launch, waiting for the host), the `top` operators, and device memory with the largest
/// batch that fits. Of a network split over GPUs the stage that sets the pace, for one micro-batch, after
/// what the step of all GPUs waits for. A table document. Throws Error for unknown names, and for a split
/// that the cluster or the network does not take.
std::string explain_step(const Scenario& scenario, const Catalog& catalog, std::string_view workload,
                         int top);

}  // namespace rackcast
