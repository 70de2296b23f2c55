/// Reduction inside switches.
///
/// SHARP: every adapter sends its part once towards the root of a tree of switches and gets the sum back
/// once; the steps are the levels of the tree, not the ranks (R. Graham et al., "Scalable Hierarchical
/// Aggregation Protocol (SHArP)", COMHPC 2016). GPUs of a node reduce-scatter before and all-gather after.
///
/// NVLS: a GPU reads the sum of its 1/n from all others through the NVSwitch and multicasts it: every GPU
/// sends and receives payload * (1 + 1/n), against 2(n-1)/n for a ring (NVIDIA NCCL, src/graph/tuning.cc and
/// src/device/all_reduce.h, NVLS). NVLS tree: the same in every node, with a double binary tree between them,
/// pipelined.
#include <algorithm>
#include <cmath>

#include "models/collectives/algorithms.hpp"
#include "models/collectives/cluster.hpp"
#include "models/collectives/layout.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

bool is_switch(DeviceKind kind) {
  return kind == DeviceKind::leaf || kind == DeviceKind::spine || kind == DeviceKind::core;
}

/// Both directions between an adapter and its leaf.
void load_port(Layout& layout, DeviceId nic, double bytes) {
  const Topology& topology = layout.cluster().topology;
  for (const LinkId up : topology.out(nic)) {
    const DeviceId leaf = topology.link(up).to;
    if (!is_switch(topology.device(leaf).kind)) continue;
    layout.load(up, bytes);
    layout.load(topology.find_link(leaf, nic), bytes);
  }
}

double switch_levels(const Topology& topology) {
  double levels = 1;
  for (const Device& device : topology.devices()) {
    if (device.kind == DeviceKind::spine) levels = std::max(levels, 2.0);
    if (device.kind == DeviceKind::core) levels = 3;
  }
  return levels;
}

void load_node_rings(Layout& layout, double bytes) {
  for (const auto& node : layout.by_node())
    for (std::size_t i = 0; i < node.size() && node.size() > 1; ++i)
      layout.send(node[i], node[(i + 1) % node.size()], bytes);
}

/// Share of NVLink's rate that the switches' adders and multicast keep up with.
double nvls_efficiency(const Cluster& cluster) {
  const ByLink& all = cluster.comm->links.nvls;
  const auto own = cluster.node.gpu_link ? all.find(cluster.node.gpu_link->id) : all.end();
  return own != all.end() ? own->second : all.at("nvlink/nvlink4");
}

/// What the links between GPUs and NVSwitches carry for n GPUs of a node. False if there are none.
bool load_nvswitches(Layout& layout) {
  const Topology& topology = layout.cluster().topology;
  const double n = static_cast<double>(layout.by_node().front().size());
  const double bytes = (1 + 1 / n) / nvls_efficiency(layout.cluster());
  const auto to_switch = [&](LinkId id) {
    return topology.device(topology.link(id).to).kind == DeviceKind::nvswitch;
  };
  bool found = false;
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    const DeviceId gpu = layout.end(rank);
    double width = 0;
    for (const LinkId id : topology.out(gpu))
      if (to_switch(id)) width += topology.link(id).width;
    for (const LinkId id : topology.out(gpu)) {
      if (!to_switch(id)) continue;
      found = true;
      const double share = topology.link(id).width / width;
      layout.load(id, bytes * share);
      layout.load(topology.find_link(topology.link(id).to, gpu), bytes * share);
    }
  }
  return found;
}

}  // namespace

CollectivePlan plan_sharp(Layout& layout, Collective operation) {
  if (operation != Collective::all_reduce) refuse_operation("sharp", operation);
  if (layout.nodes() < 2) throw Error{"the algorithm \"sharp\" needs switches between nodes"};
  CollectivePlan plan{"sharp", operation, layout.ranks(), {}};
  double m = 1e9;
  for (const auto& node : layout.by_node()) m = std::min(m, static_cast<double>(node.size()));
  load_node_rings(layout, (m - 1) / m);
  CollectiveStage scatter = layout.stage({1, m - 1, 0});
  CollectiveStage gather = scatter;
  gather.hops.start = 0;
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    const NearDevices nics = layout.router().nearest_nics(layout.end(rank));
    const double part = 1 / (m * static_cast<double>(nics.size()));
    for (std::size_t i = 0; i < nics.size(); ++i) {
      layout.load(layout.end(rank), nics[i], part);
      layout.load(nics[i], layout.end(rank), part);
      load_port(layout, nics[i], part);
    }
  }
  CollectiveStage up_and_down = layout.stage({0, 0, 2 * switch_levels(layout.cluster().topology)});
  plan.stages.push_back(std::move(scatter));
  plan.stages.push_back(std::move(up_and_down));
  plan.stages.push_back(std::move(gather));
  return plan;
}

CollectivePlan plan_nvls(Layout& layout, Collective operation) {
  if (operation != Collective::all_reduce) refuse_operation("nvls", operation);
  if (!load_nvswitches(layout) || layout.nodes() > 1)
    throw Error{"the algorithm \"nvls\" needs all its GPUs behind the NVSwitches of one node"};
  CollectivePlan plan{"nvls", operation, layout.ranks(), {}};
  plan.stages.push_back(layout.stage({1, 0, 0}));
  return plan;
}

CollectivePlan plan_nvls_tree(Layout& layout, Collective operation) {
  if (operation != Collective::all_reduce) refuse_operation("nvls_tree", operation);
  if (!load_nvswitches(layout) || layout.nodes() < 2)
    throw Error{"the algorithm \"nvls_tree\" needs several nodes with NVSwitches"};
  load_double_tree(layout);
  CollectivePlan plan{"nvls_tree", operation, layout.ranks(), {}};
  plan.stages.push_back(layout.stage({1, 0, 2 * std::ceil(std::log2(layout.nodes()))}));
  return plan;
}

}  // namespace rackcast
