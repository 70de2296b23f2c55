#pragma once
/// Binding resources: the resources of a data-parallel plan that can limit a rate. Private to the graph of
/// the step.
///
/// Pattern p takes a_rp of resource r, which has the capacity C_r. Resource s covers resource r if
///
///     a_rp / C_r  <=  a_sp / C_s      for every pattern p.
///
/// Whatever the flows of the patterns are, r is then used to a smaller part than s:
///
///     sum_p a_rp x_p / C_r  <=  sum_p a_sp x_p / C_s  <=  1.
///
/// The constraint of r follows from that of s, so the same rates are possible without r, and the max-min fair
/// ones among them are the same. The links behind each other from a GPU's socket to the fabric are the usual
/// case: the slowest of them covers the others. Between flows of parameter servers that leaves a quarter of
/// the links or less, and what a change of rates costs is in proportion to them.
#include <vector>

#include "models/step/data_parallel.hpp"

namespace rackcast {

/// Rates of links and of the input's resources, relative to those of the plan.
struct ResourceScales {
  double network = 1, input = 1;
  [[nodiscard]] double of(const PlanResource& r) const { return r.is_input_only ? input : network; }
};

/// For each resource, whether it must be kept: no other one that is kept covers it. Of resources that cover
/// each other the first is kept.
std::vector<bool> binding_resources(const std::vector<PlanResource>& resources, const ResourceScales& scales);

}  // namespace rackcast
