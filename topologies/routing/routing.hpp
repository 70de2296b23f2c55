#pragma once
/// Routes: the links on the way from one device to another, with the share of the traffic on each.
///
/// In a node: NVLink or xGMI where GPUs are directly linked or share NVSwitches, else PCIe and the socket
/// link, as NCCL's peers do. Between nodes: to a network adapter near the GPU, over shortest paths through
/// the fabric, and from an adapter near the other GPU. Where rails are separate networks, data leave the node
/// on the rail on which they arrive: a GPU passes them over NVLink to one beside that rail's adapter (NCCL's
/// PXN). Else GPUs and adapters forward nothing, unless relaying is asked for.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "topologies/graph/graph.hpp"

namespace rackcast {

/// A link and the part of the traffic that takes it. Traffic of a pair behind NVSwitches spreads over them.
struct Hop {
  LinkId link = no_id;
  double share = 1;
};

struct Route {
  std::vector<Hop> hops;   ///< from source to destination; parallel parts one after the other
  Duration latency{0};     ///< of the slowest part
  Bandwidth bandwidth{0};  ///< of the whole route without other traffic: the least of bandwidth / share
};

struct RouteChoice {
  std::optional<FabricRouting> routing = {};  ///< absent: that of the topology
  std::uint64_t flow = 0;                     ///< ecmp: flows of one pair may take different paths
  DeviceId from_nic = no_id, to_nic = no_id;  ///< instead of the nearest one that the other end reaches
};

/// The parts of a route: the ways through the two nodes, given for the first node of their shape, and the
/// hops between the nodes. A route inside one node is `out` alone.
struct RouteParts {
  struct InNode {
    const Route* route = nullptr;  ///< nullptr: nothing
    int node = no_id;
    LinkId shift = 0;  ///< to be added to its links
  };
  InNode out, in;
  std::span<const Hop> fabric;
};

/// Devices given for the first node of a shape.
struct NearDevices {
  std::span<const DeviceId> of_first;
  DeviceId shift = 0;
  [[nodiscard]] std::size_t size() const { return of_first.size(); }
  [[nodiscard]] DeviceId operator[](std::size_t i) const { return of_first[i] + shift; }
};

struct RouterOptions {
  /// GPUs that share no NVLink may send through a GPU that is linked to both (NCCL since 2.8 does).
  bool relay_through_gpus = false;
  /// If set, called once every few thousand routes. It may throw to end the search.
  std::function<void()> watch = {};
};

/// Routes of one topology, which must outlive it. Remembers what it computed: use one per thread.
class Router {
 public:
  explicit Router(const Topology& topology, RouterOptions options = {});
  Router(Router&&) noexcept;
  ~Router();

  /// Throws Error if there is no path. From and to must differ.
  [[nodiscard]] Route route(DeviceId from, DeviceId to, const RouteChoice& choice = {});

  /// The same without a copy; valid until the next call. Parts of equal address are equal.
  [[nodiscard]] RouteParts parts(DeviceId from, DeviceId to, const RouteChoice& choice = {});

  /// The adapters of the GPU's (or CPU's) node that are the fewest and fastest links away.
  [[nodiscard]] NearDevices nearest_nics(DeviceId device);
  /// One of nearest_nics(); GPUs that share several adapters get different ones. Throws Error if the node has
  /// no adapter.
  [[nodiscard]] DeviceId nearest_nic(DeviceId device);
  /// The CPU whose socket the device is attached to. Throws Error if the device reaches no CPU.
  [[nodiscard]] DeviceId nearest_cpu(DeviceId device);

  [[nodiscard]] const Topology& topology() const;
  [[nodiscard]] const RouterOptions& options() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// One route after another: total latency, least bandwidth. A link used twice counts with both shares.
Route joined(const Topology& topology, const std::vector<Route>& parts);

}  // namespace rackcast
