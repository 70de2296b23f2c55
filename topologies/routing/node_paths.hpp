#pragma once
/// Shortest paths inside one node, private to the router.
#include <cstdint>
#include <optional>
#include <vector>

#include "topologies/routing/routing.hpp"

namespace rackcast {

/// A path that costs less has NVLinks alone.
constexpr std::int64_t pcie_link_cost = 1'000'000;

/// Distances and routes from one device to the others of its node. Devices and links are given as in the
/// topology.
///
/// The cost of a path counts, in falling weight: crossings between sockets, PCIe links, NVLinks to a CPU,
/// other NVLinks. Of equally cheap paths all are used, in proportion to their bandwidth.
class NodePaths {
 public:
  NodePaths(const Topology& topology, int node, DeviceId source, bool relay_through_gpus);

  /// A number that orders destinations by distance; negative if out of reach.
  [[nodiscard]] std::int64_t cost(DeviceId to) const;
  /// Empty hops if there is no path. Computed once per destination.
  [[nodiscard]] const Route& route(DeviceId to);

 private:
  [[nodiscard]] std::size_t local(DeviceId id) const;
  [[nodiscard]] bool usable(const Link& link) const;
  [[nodiscard]] Route search(DeviceId to) const;

  const Topology& topology_;
  Topology::Range range_;
  DeviceId source_;
  bool relay_;
  std::vector<std::int64_t> cost_;
  std::vector<std::optional<Route>> known_;
};

}  // namespace rackcast
