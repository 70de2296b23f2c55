/// Dragonfly+ (Shpiner et al., HiPINEB 2017): groups of leaves and spines, each group a two-level tree; the
/// spines' remaining ports join every group to every other with the same number of cables.
///
/// Routes are minimal: leaf, spine, spine, leaf. Ways over a third group (Valiant) are not taken.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "topologies/fabrics/shapes.hpp"

namespace rackcast::fabrics {
namespace {

/// `cables` between every two groups, dealt to the spines of each group in turn.
void join_groups(FabricPlan& plan, int cables) {
  const int g = plan.groups;
  const int s = plan.spines_per_group;
  std::map<std::pair<int, int>, int> bundles;
  for (int a = 0; a < g; ++a) {
    for (int b = a + 1; b < g; ++b) {
      for (int k = 0; k < cables; ++k) {
        const int from = ((b - a - 1) * cables + k) % s;    // b is the (b-a)-th group after a
        const int to = ((g + a - b - 1) * cables + k) % s;  // and a the (g+a-b)-th after b
        ++bundles[{plan.leaves + a * s + from, plan.leaves + b * s + to}];
      }
    }
  }
  for (const auto& [ends, count] : bundles) plan.trunks.push_back({ends.first, ends.second, count});
}

}  // namespace

std::string plan_dragonfly_plus(const FabricRequest& request, FabricPlan& plan) {
  for (const SwitchSpec& spine : request.spines) {
    if (!split_leaf(request, spine, plan)) continue;
    plan.spine = spine;
    plan.core_link = port_link_spec(request.catalog, spine.fabric, *spine.port_rate);
    const double rate = *plan.trunk_link.raw / *plan.core_link.raw;
    const int most = ports_down(*spine.ports, rate, 1);
    if (most == 0 || !place_in_groups(request.choice, plan, most)) continue;
    plan.spines_per_group = spine_count(plan.leaves_per_group, plan.up, most);
    if (plan.spines_per_group == 0) continue;
    plan.uplinks_per_pair = plan.up / plan.spines_per_group;
    const int global = plan.spines_per_group * (*spine.ports - plan.leaves_per_group * plan.uplinks_per_pair);
    const int cables = plan.groups > 1 ? global / (plan.groups - 1) : 0;
    if (plan.groups > 1 && cables == 0) continue;
    plan.spines = plan.groups * plan.spines_per_group;
    join_leaves_and_spines(plan);
    join_groups(plan, cables);
    return {};
  }
  return fmt::format(
      "a dragonfly+ of {} does not reach {} ports: the groups have too few ports for each other",
      plan.leaf.id, plan.node_cables() + plan.storage_cables());
}

}  // namespace rackcast::fabrics
