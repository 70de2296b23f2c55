#include <utility>

#include "scenarios/site/site_report.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {

namespace {

/// Appends where the devices of a role stand, by number.
void add_positions(const SitePlan& plan, DeviceRole role, std::vector<RackPosition>& out) {
  for (std::size_t i = 0; i < plan.devices.size(); ++i) {
    if (plan.devices[i].role != role) continue;
    const std::size_t first = out.size();
    out.resize(first + static_cast<std::size_t>(plan.devices[i].item.count));
    if (!plan.packing) continue;
    const auto racks = rack_elevations(plan.items(), plan.packing->racks);
    for (std::size_t r = 0; r < racks.size(); ++r) {
      for (const Placed& p : racks[r]) {
        if (p.item == i) out[first + static_cast<std::size_t>(p.number)] = {static_cast<int>(r), p.u};
      }
    }
  }
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
  for (const DeviceRole role : {DeviceRole::node, DeviceRole::idle, DeviceRole::spare})
    add_positions(plan, role, positions.nodes);
  add_positions(plan, DeviceRole::storage, positions.storage);
  for (const DeviceRole role : {DeviceRole::leaf, DeviceRole::spine, DeviceRole::core})
    add_positions(plan, role, positions.switches);
  Room room;
  room.rack_units = plan.rack.units;
  room.row_pitch = plan.rack.depth + (plan.floor.cold_aisle + plan.floor.hot_aisle) / 2;
  room.rack_width = plan.floor.rack_width;
  if (plan.packing) out.cables = cables(catalog, fabric, positions, room);
  for (CableGroup& c : out.cables)
    if (!c.product.empty()) c.name = catalog.find("cables", c.product).name;
  out.node_cables = fabric.node_cables();
  out.storage_cables = fabric.storage_cables();
  out.trunk_cables = fabric.trunk_cables();
  return out;
}

}  // namespace rackcast
