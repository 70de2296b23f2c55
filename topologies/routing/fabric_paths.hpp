#pragma once
/// Shortest paths through the switches between nodes, private to the router.
///
/// Switches with the same neighbours (all leaves of a pod) are equally far from every other switch, so one
/// search serves all of them: distances to one are those to another with the two exchanged.
#include <deque>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "topologies/routing/routing.hpp"

namespace rackcast {

class FabricPaths {
 public:
  explicit FabricPaths(const Topology& topology) : topology_(topology) {}

  /// Appends the hops from an adapter or server to another; none if there is no path. Returns the latency.
  Duration route(DeviceId from, DeviceId to, const RouteChoice& choice, std::vector<Hop>& hops);
  /// The same as a route.
  Route finish(std::vector<Hop> hops, Duration latency) const;
  bool reaches(DeviceId from, DeviceId to);

 private:
  [[nodiscard]] FabricRouting routing_of(const RouteChoice& choice) const;
  /// A breadth-first search that can go on where it stopped.
  struct Search {
    std::vector<std::int32_t> distances;  ///< hops of fabric devices to the root, as far as known
    std::deque<std::pair<DeviceId, std::int32_t>> open;
  };
  /// Distances to a switch, read from the search of its twin.
  struct Distances {
    const FabricPaths* paths;
    Search* search;
    DeviceId root, twin;
    [[nodiscard]] std::int32_t to(DeviceId id) const {
      const DeviceId read = id == root ? twin : id == twin ? root : id;
      return search->distances[static_cast<std::size_t>(read - paths->first_)];
    }
  };
  struct Port {
    LinkId link = no_id;
    DeviceId other = no_id;
  };

  [[nodiscard]] bool in_fabric(DeviceId id) const { return id >= first_; }
  /// Looks at the topology, when the first route is asked for.
  void prepare();
  void find_twins();
  void find_networks();
  void find_only_ports();
  /// Of a switch, or of the switches that a device is cabled to.
  [[nodiscard]] std::vector<std::int32_t> networks_of(DeviceId device) const;
  /// Of an adapter or server with one port, which leads to a switch.
  [[nodiscard]] Port only_port(DeviceId end) const;
  [[nodiscard]] std::span<const Port> between_switches(DeviceId at) const;
  /// Links into an adapter or server.
  [[nodiscard]] std::span<const Port> into(DeviceId to) const;
  /// Hops to `to` from all fabric devices that are nearer than `from`, and from its switches. Remembered per
  /// class of switches with the same neighbours, or per device with several links.
  Distances search_to(DeviceId to, DeviceId from);
  Search& search_from(DeviceId root);
  /// The least known distance of a switch that the device is cabled to.
  [[nodiscard]] std::int32_t nearest_switch(const Distances& distances, DeviceId device) const;
  /// The links from `at` that lead nearer to `to`, ascending; until the next call.
  const std::vector<Port>& next_links(DeviceId at, DeviceId to, const Distances& distances);
  /// Those to the switches that are the fewest hops from the root, into `out`, which is empty.
  const std::vector<Port>& nearer(DeviceId at, const Distances& distances, std::vector<Port>& out) const;
  Duration single(DeviceId from, DeviceId to, const RouteChoice& choice, std::vector<Hop>& hops);
  /// Over all shortest paths, in proportion to the bandwidth of the links at each switch.
  Duration split(DeviceId from, DeviceId to, std::vector<Hop>& hops);
  /// The part of a split route between two switches.
  struct Spread {
    std::vector<Hop> hops;
    std::vector<Duration> stages;  ///< the slowest link of each step
    double arrives = 1;            ///< share of the traffic at the last switch, 1 but for rounding
  };
  /// One step of `front`, the shares of the traffic by device, towards `to`. False if there is no path.
  bool step(std::map<DeviceId, double>& front, DeviceId to, const Distances& distances, Spread& out);
  /// From one switch to the other, which `to` is cabled to. Remembered; nullptr if there is no path.
  const Spread* spread_between(DeviceId first, DeviceId last, DeviceId to, const Distances& distances);

  const Topology& topology_;
  bool ready_ = false;
  DeviceId first_ = 0;  ///< of the devices outside the nodes
  std::unordered_map<DeviceId, Search> cache_;
  std::vector<std::int32_t> number_;  ///< of adapters and servers, counted over the topology
  // Ports by owner: those of fabric device d begin at begin[d - first_], those of adapter a at begin[number].
  std::vector<std::int32_t> switch_begin_, into_begin_;
  std::vector<Port> switch_ports_, into_ports_;
  std::vector<DeviceId> twin_;  ///< the first switch with the same neighbours, of each fabric device
  std::vector<std::int32_t>
      network_;                  ///< of each fabric device: switches that reach each other have the same
  std::vector<Port> only_port_;  ///< of adapters and servers; no_id where there are more or none
  /// The last static route of `single` from the first switch on: neighbours of a leaf share it.
  struct {
    DeviceId at = no_id, to = no_id;
    std::vector<Hop> hops;
  } last_;
  /// Of a first switch (upper half of the key) to a last one. Adapters of the same two switches share it.
  std::unordered_map<std::uint64_t, Spread> spreads_;
  std::size_t spread_hops_ = 0;  ///< in all of them
  std::vector<Port> next_;
  /// Of a switch (upper half of the key) to all switches with the same neighbours, where none is next to it.
  std::unordered_map<std::uint64_t, std::vector<Port>> next_of_class_;
};

}  // namespace rackcast
