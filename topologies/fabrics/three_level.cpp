/// A fat tree of three levels: pods of leaves and spines, joined by cores (Al-Fares, Loukissas, Vahdat,
/// SIGCOMM 2008, for the layout; any ratio of ports at leaves and at spines).
///
/// A core serves one spine or a run of neighbouring spines of every pod, each with the same number of cables.
/// Cables between a core and a spine are as many as keep the number of cores lowest.
#include <fmt/format.h>

#include <algorithm>

#include "topologies/fabrics/shapes.hpp"

namespace rackcast::fabrics {
namespace {

/// How the uplinks of a pod's spines spread over cores.
struct CoreLayout {
  int spines_per_core = 0;  ///< of one pod
  int cables = 0;           ///< between one spine and one core
};

/// The layout with the fewest cores; cables == 0 if a core has too few ports.
CoreLayout core_layout(int pods, int spines, int up, int ports) {
  CoreLayout best;
  for (int run = 1; run <= spines; ++run) {
    if (spines % run != 0) continue;
    for (int cables = 1; cables <= up; ++cables) {
      if (up % cables != 0 || static_cast<long>(pods) * run * cables > ports) continue;
      if (run * cables > best.spines_per_core * best.cables) best = {run, cables};
    }
  }
  return best;
}

bool try_core(const FabricRequest& request, const SwitchSpec& core, int spine_up, FabricPlan& plan) {
  plan.core = core;
  plan.core_link = trunk_between(request.catalog, plan.spine, core);
  const CoreLayout layout = core_layout(plan.groups, plan.spines_per_group, spine_up, *core.ports);
  if (layout.cables == 0) return false;
  const int cores_per_run = spine_up / layout.cables;
  plan.cores = plan.spines_per_group / layout.spines_per_core * cores_per_run;
  plan.trunks.clear();
  plan.trunks.reserve(static_cast<std::size_t>(plan.leaves) *
                          static_cast<std::size_t>(plan.spines_per_group) +
                      static_cast<std::size_t>(plan.spines) * static_cast<std::size_t>(cores_per_run));
  join_leaves_and_spines(plan);
  for (int spine = 0; spine < plan.spines; ++spine) {
    const int run = spine % plan.spines_per_group / layout.spines_per_core;
    for (int c = 0; c < cores_per_run; ++c) {
      plan.trunks.push_back(
          {plan.leaves + spine, plan.leaves + plan.spines + run * cores_per_run + c, layout.cables});
    }
  }
  return true;
}

bool try_spine(const FabricRequest& request, const SwitchSpec& spine, FabricPlan& plan) {
  if (!split_leaf(request, spine, plan)) return false;
  plan.spine = spine;
  for (const SwitchSpec& core : request.cores) {
    const double rate = *plan.trunk_link.raw / *trunk_between(request.catalog, spine, core).raw;
    const double ratio = request.choice.core_oversubscription;
    const int most = ports_down(*spine.ports, rate, ratio);
    const FabricChoice& choice = request.choice;
    const bool sized = choice.leaves_per_group > 0 || choice.nodes_per_group > 0;
    const int leaves = sized ? most : ports_down(*spine.ports, rate, 1);
    if (leaves == 0 || !place_in_groups(choice, plan, leaves)) continue;
    plan.spines_per_group = spine_count(plan.leaves_per_group, plan.up, most);
    if (plan.spines_per_group == 0) continue;
    plan.spines = plan.groups * plan.spines_per_group;
    plan.uplinks_per_pair = plan.up / plan.spines_per_group;
    const int spine_up = ports_up(plan.leaves_per_group * plan.uplinks_per_pair, rate, ratio);
    if (try_core(request, core, spine_up, plan)) return true;
  }
  return false;
}

}  // namespace

std::string plan_three_level(const FabricRequest& request, FabricPlan& plan) {
  for (const SwitchSpec& spine : request.spines) {
    if (try_spine(request, spine, plan)) return {};
  }
  return fmt::format(
      "three levels of switches do not reach {} ports with leaves of {} and cores of up to {} ports",
      plan.node_cables() + plan.storage_cables(), plan.leaf.id, *request.cores.back().ports);
}

}  // namespace rackcast::fabrics
