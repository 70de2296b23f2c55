#pragma once
/// Links as resources of a data-parallel plan, those that no flow can tell apart as one; private to
/// data_parallel.
#include <memory>
#include <vector>

#include "models/collectives/layout.hpp"
#include "models/step/data_parallel.hpp"
#include "topologies/routing/link_loads.hpp"

namespace rackcast {

/// What a pattern of the plan takes from laid-out loads.
struct PatternPart {
  int pattern = 0;
  std::shared_ptr<const LinkPattern> links;
  double factor = 1;
};

/// Appends one resource for all links with the same capacity and coefficients, or if the spec does not fold
/// one for each, by ascending link. Nodes that are loaded alike are looked at once.
void merge_links(const Cluster& cluster, const LinkRates& rates, const std::vector<PatternPart>& parts,
                 const TrainingSpec& spec, std::vector<PlanResource>& out);

}  // namespace rackcast
