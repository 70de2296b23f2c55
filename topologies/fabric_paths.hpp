#pragma once
/// Shortest paths through the switches between nodes, private to the router.
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "topologies/routing.hpp"

namespace rackcast {

class FabricPaths {
 public:
  explicit FabricPaths(const Topology& topology);

  /// From an adapter or server to another. Empty hops if there is no path.
  Route route(DeviceId from, DeviceId to, const RouteChoice& choice);
  bool reaches(DeviceId from, DeviceId to);
  std::vector<Route> equal_cost_routes(DeviceId from, DeviceId to, std::size_t limit);

 private:
  using Distances = std::vector<std::int32_t>;
  /// A breadth-first search that can go on where it stopped.
  struct Search {
    Distances distances;  ///< hops of fabric devices to the root, as far as known
    std::deque<std::pair<DeviceId, std::int32_t>> open;
  };

  [[nodiscard]] bool in_fabric(DeviceId id) const { return id >= first_; }
  /// Hops to `to` from all fabric devices that are nearer than `from`, and from its switches. Remembered per
  /// leaf, or per device with several links.
  Search& search_to(DeviceId to, DeviceId from);
  [[nodiscard]] std::int32_t& at(Search& search, DeviceId id) const {
    return search.distances[static_cast<std::size_t>(id - first_)];
  }
  Search& search_from(DeviceId root);
  /// The least known distance of a switch that the device is cabled to.
  std::int32_t nearest_switch(Search& search, DeviceId device) const;
  /// The links from `at` that lead nearer to `to`.
  std::vector<LinkId> next_links(DeviceId at, DeviceId to, const Distances& distances) const;
  Route single(DeviceId from, DeviceId to, const RouteChoice& choice);
  Route split(DeviceId from, DeviceId to);
  Route finish(std::vector<Hop> hops) const;

  const Topology& topology_;
  DeviceId first_ = 0;  ///< of the devices outside the nodes
  std::map<DeviceId, Search> cache_;
  std::vector<std::int32_t> number_;  ///< of adapters and servers, counted over the topology
};

}  // namespace rackcast
