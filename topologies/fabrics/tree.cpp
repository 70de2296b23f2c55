/// One switch, and folded Clos networks ("fat trees": Leiserson, IEEE Trans. Comp. C-34(10), 1985) of two
/// levels: every leaf reaches every spine with the same number of cables.
#include <fmt/format.h>

#include "topologies/fabrics/shapes.hpp"

namespace rackcast::fabrics {

std::string plan_single_switch(const FabricRequest&, FabricPlan& plan) {
  const int ports = plan.node_cables() + plan.storage_cables();
  if (ports > *plan.leaf.ports) {
    return fmt::format("one {} has {} ports, and {} are needed", plan.leaf.id, *plan.leaf.ports, ports);
  }
  plan.down = *plan.leaf.ports;
  plan.trunk_link = plan.port_link;
  const RailPlan rails = plan.rails;
  plan.rails = RailPlan::by_node;  // all rails end on the one switch
  place_ports(plan);
  plan.rails = rails;
  return {};
}

namespace {

/// False if the spine is too small.
bool try_single_spine(const FabricRequest& request, const SwitchSpec& spine, FabricPlan& plan) {
  if (!split_leaf(request, spine, plan)) return false;
  plan.spine = spine;
  place_ports(plan);
  plan.spines = spine_count(plan.leaves, plan.up, *spine.ports);
  if (plan.spines == 0) return false;
  plan.uplinks_per_pair = plan.up / plan.spines;
  plan.leaves_per_group = plan.leaves;
  plan.spines_per_group = plan.spines;
  join_leaves_and_spines(plan);
  return true;
}

}  // namespace

std::string plan_two_level(const FabricRequest& request, FabricPlan& plan) {
  for (const SwitchSpec& spine : request.spines) {
    if (try_single_spine(request, spine, plan)) return {};
  }
  return fmt::format(
      "two levels of switches do not reach {} ports: {} leaves of {} with {} uplinks each exceed the {} "
      "ports of "
      "{}",
      plan.node_cables() + plan.storage_cables(), plan.leaves, plan.leaf.id, plan.up,
      *request.spines.back().ports, request.spines.back().id);
}

}  // namespace rackcast::fabrics
