#include <fmt/format.h>

#include "scenarios/site/site_report.hpp"
#include "topologies/catalog.hpp"

namespace rackcast {

namespace {

/// Where the devices of a role stand, by number.
std::vector<RackPosition> positions_of(const SitePlan& plan, DeviceRole role) {
  std::vector<RackPosition> out;
  for (std::size_t i = 0; i < plan.devices.size(); ++i) {
    if (plan.devices[i].role != role) continue;
    out.resize(static_cast<std::size_t>(plan.devices[i].item.count));
    if (!plan.packing) continue;
    const auto racks = rack_elevations(plan.items(), plan.packing->racks);
    for (std::size_t r = 0; r < racks.size(); ++r) {
      for (const Placed& p : racks[r]) {
        if (p.item == i) out[static_cast<std::size_t>(p.number)] = {static_cast<int>(r), p.u};
      }
    }
  }
  return out;
}

}  // namespace

NetworkReport network_report(const Catalog& catalog, const SitePlan& plan, const Cluster& cluster) {
  const FabricPlan& fabric = cluster.fabric;
  NetworkReport out;
  out.kind = fabric.kind;
  out.oversubscription = fabric.oversubscription();
  const auto add = [&out](const char* what, const SwitchSpec& spec, int count, int free_ports) {
    if (count > 0) out.switches.push_back({what, spec.name, count, count * spec.ports.value, free_ports});
  };
  add("leaf", fabric.leaf, fabric.leaves, fabric.free_leaf_ports());
  add("spine", fabric.spine, fabric.spines, fabric.free_spine_ports());
  add("core", fabric.core, fabric.cores, fabric.free_core_ports());
  Positions positions;
  positions.nodes = positions_of(plan, DeviceRole::node);
  positions.storage = positions_of(plan, DeviceRole::storage);
  for (const DeviceRole role : {DeviceRole::leaf, DeviceRole::spine, DeviceRole::core}) {
    const auto some = positions_of(plan, role);
    positions.switches.insert(positions.switches.end(), some.begin(), some.end());
  }
  Room room;
  room.rack_units = plan.rack.units;
  room.row_pitch = plan.rack.depth + (plan.floor.cold_aisle + plan.floor.hot_aisle) / 2;
  room.rack_width = plan.floor.rack_width;
  if (plan.packing) out.cables = cables(catalog, fabric, positions, room);
  for (CableGroup& c : out.cables)
    if (!c.product.empty()) c.name = catalog.find("cables", c.product).name;
  int free_ports = 0;
  for (const NetworkReport::Row& row : out.switches) free_ports += row.free_ports;
  out.statement = fmt::format(
      "{} leaf, {} spine and {} core switches; {} cables to nodes, {} to storage, {} between switches; {} "
      "ports left; "
      "oversubscription {:.3g}.",
      fabric.leaves, fabric.spines, fabric.cores, fabric.node_cables(), fabric.storage_cables(),
      fabric.trunk_cables(), free_ports, out.oversubscription);
  return out;
}

}  // namespace rackcast
