#pragma once
/// Links as resources of a data-parallel plan: links that all flows load alike become one resource. Private
/// to data_parallel.
#include <memory>
#include <vector>

#include "models/collectives/layout.hpp"
#include "models/step/data_parallel.hpp"
#include "topologies/routing/link_loads.hpp"

namespace rackcast {

/// The links that a pattern of the plan loads.
struct PatternPart {
  int pattern = 0;
  std::shared_ptr<const LinkPattern> links;
  double factor = 1;
};

/// Appends one resource for all links with the same capacity and coefficients, by ascending link; or one
/// resource for each link, if the spec does not fold. Nodes that are loaded alike are examined once.
void merge_links(const Cluster& cluster, const LinkRates& rates, const std::vector<PatternPart>& parts,
                 const TrainingSpec& spec, std::vector<PlanResource>& out);

}  // namespace rackcast
