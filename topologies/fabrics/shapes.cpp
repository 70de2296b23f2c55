#include "topologies/fabrics/shapes.hpp"

#include <algorithm>
#include <cmath>

namespace rackcast::fabrics {
namespace {

/// Hands out node ports of leaves.
class LeafFiller {
 public:
  explicit LeafFiller(int down) : down_(down) {}

  [[nodiscard]] int leaves() const { return static_cast<int>(used_.size()); }
  [[nodiscard]] int free(int leaf) const { return down_ - used_[static_cast<std::size_t>(leaf)]; }
  void take(int leaf, int ports) {
    if (leaf >= leaves()) used_.resize(static_cast<std::size_t>(leaf) + 1, 0);
    used_[static_cast<std::size_t>(leaf)] += ports;
  }
  /// The next leaf in turn with a free port; a new one if there is none.
  int next_free() {
    for (int tried = 0; tried < leaves(); ++tried) {
      const int leaf = turn_++ % leaves();
      if (free(leaf) > 0) return leaf;
    }
    return leaves();
  }

 private:
  int down_;
  int turn_ = 0;
  std::vector<int> used_;
};

/// With a group size, every group of `nodes_per_group` nodes starts at a multiple of `leaves_per_group`.
void place_by_node(FabricPlan& plan, LeafFiller& filler, int nodes_per_group = 0, int leaves_per_group = 0) {
  int leaf = 0;
  for (int node = 0; node < plan.nodes; ++node) {
    if (nodes_per_group > 0 && node % nodes_per_group == 0) leaf = node / nodes_per_group * leaves_per_group;
    // A node stays together if a leaf can hold it at all.
    if (plan.nics <= plan.down && leaf < filler.leaves() && filler.free(leaf) < plan.nics) ++leaf;
    for (int nic = 0; nic < plan.nics; ++nic) {
      if (leaf < filler.leaves() && filler.free(leaf) == 0) ++leaf;
      filler.take(leaf, 1);
      plan.node_leaf.push_back(leaf);
    }
  }
}

void place_by_rail(FabricPlan& plan, LeafFiller& filler, int leaves_per_rail) {
  if (leaves_per_rail == 0) leaves_per_rail = (plan.nodes + plan.down - 1) / plan.down;
  const int nodes_per_group = leaves_per_rail * plan.down;
  for (int node = 0; node < plan.nodes; ++node) {
    const int first = node / nodes_per_group * leaves_per_rail * plan.nics;
    for (int nic = 0; nic < plan.nics; ++nic) {
      const int leaf = first + nic * leaves_per_rail + node % nodes_per_group / plan.down;
      filler.take(leaf, 1);
      plan.node_leaf.push_back(leaf);
    }
  }
}

int rounded_up(int a, int b) {
  return (a + b - 1) / b;
}

}  // namespace

int ports_up(int down, double rate, double oversubscription) {
  return std::max(1, static_cast<int>(std::ceil(down * rate / oversubscription - 1e-9)));
}

int ports_down(int ports, double rate, double oversubscription) {
  for (int down = ports - 1; down >= 1; --down) {
    if (down + ports_up(down, rate, oversubscription) <= ports) return down;
  }
  return 0;
}

int leaf_ports_down(int ports, double rate, double oversubscription, int asked) {
  return asked == 0 ? ports_down(ports, rate, 1) : std::min(asked, ports_down(ports, rate, oversubscription));
}

LinkSpec trunk_between(const Catalog& catalog, const SwitchSpec& a, const SwitchSpec& b) {
  return port_link_spec(catalog, a.fabric, std::min(*a.port_rate, *b.port_rate));
}

bool split_leaf(const FabricRequest& request, const SwitchSpec& above, FabricPlan& plan) {
  plan.trunk_link = trunk_between(request.catalog, plan.leaf, above);
  const double rate = *plan.port_link.raw / *plan.trunk_link.raw;
  plan.down =
      leaf_ports_down(*plan.leaf.ports, rate, request.choice.oversubscription, request.choice.down_ports);
  if (plan.down == 0) return false;
  plan.up = ports_up(plan.down, rate, request.choice.oversubscription);
  return true;
}

namespace {

void place_storage(FabricPlan& plan, LeafFiller& filler) {
  plan.storage_leaf.clear();
  for (int i = 0; i < plan.storage_cables(); ++i) {
    const int leaf = filler.next_free();
    filler.take(leaf, 1);
    plan.storage_leaf.push_back(leaf);
  }
  plan.leaves = filler.leaves();
}

}  // namespace

void place_ports(FabricPlan& plan, int leaves_per_rail) {
  plan.node_leaf.clear();
  plan.node_leaf.reserve(static_cast<std::size_t>(plan.node_cables()));
  LeafFiller filler{plan.down};
  if (plan.rails == RailPlan::by_rail) {
    place_by_rail(plan, filler, leaves_per_rail);
  } else {
    place_by_node(plan, filler);
  }
  place_storage(plan, filler);
}

bool place_nodes_in_groups(FabricPlan& plan, int nodes, int leaves) {
  if (nodes > leaves * plan.down / plan.nics) return false;
  plan.node_leaf.clear();
  LeafFiller filler{plan.down};
  place_by_node(plan, filler, nodes, leaves);
  place_storage(plan, filler);
  // A node whose ports do not fit together into the rest of its group would have gone into the next one.
  for (int node = 0; node < plan.nodes; ++node) {
    const auto port = static_cast<std::size_t>(node) * static_cast<std::size_t>(plan.nics);
    for (std::size_t nic = 0; nic < static_cast<std::size_t>(plan.nics); ++nic) {
      if (plan.node_leaf[port + nic] / leaves != node / nodes) return false;
    }
  }
  return true;
}

bool place_in_groups(const FabricChoice& choice, FabricPlan& plan, int most) {
  if (choice.leaves_per_group > 0) {
    if (choice.leaves_per_group > most) return false;
    most = choice.leaves_per_group;
  }
  if (plan.rails == RailPlan::by_rail) {
    const int rails_fit = most / plan.nics;
    if (rails_fit == 0) return false;
    const int groups = rounded_up(plan.nodes, rails_fit * plan.down);
    const int leaves_per_rail = rounded_up(rounded_up(plan.nodes, groups), plan.down);
    place_ports(plan, leaves_per_rail);
    plan.leaves_per_group = leaves_per_rail * plan.nics;
  } else if (choice.nodes_per_group > 0) {
    if (!place_nodes_in_groups(plan, choice.nodes_per_group, most)) return false;
    plan.leaves_per_group = most;
  } else {
    place_ports(plan);
    plan.leaves_per_group =
        choice.leaves_per_group > 0 ? most : rounded_up(plan.leaves, rounded_up(plan.leaves, most));
  }
  plan.groups = rounded_up(plan.leaves, plan.leaves_per_group);
  return true;
}

int spine_count(int leaves, int up, int ports) {
  for (int spines = 1; spines <= up; ++spines) {
    if (up % spines == 0 && leaves * (up / spines) <= ports) return spines;
  }
  return 0;
}

void join_leaves_and_spines(FabricPlan& plan) {
  for (int leaf = 0; leaf < plan.leaves; ++leaf) {
    const int first = plan.leaves + leaf / plan.leaves_per_group * plan.spines_per_group;
    for (int s = 0; s < plan.spines_per_group; ++s)
      plan.trunks.push_back({leaf, first + s, plan.uplinks_per_pair});
  }
}

}  // namespace rackcast::fabrics
