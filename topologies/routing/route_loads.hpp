#pragma once
/// Messages between devices as loads on the links of their routes.
#include <map>
#include <tuple>

#include "topologies/routing/link_loads.hpp"
#include "topologies/routing/routing.hpp"

namespace rackcast {

class RouteLoads {
 public:
  /// `bridge`: bytes on a CPU's PCIe port per byte that passes from device to device; data of the CPU's own
  /// memory pass it unhindered. The router must outlive it.
  explicit RouteLoads(Router& router, double bridge = 1)
      : router_{router}, bridge_{bridge}, loads_{router.topology()} {}

  void add(DeviceId from, DeviceId to, double bytes, const RouteChoice& choice = {});
  void add(LinkId link, double bytes) { loads_.add(link, bytes); }
  /// What has been added since the last call.
  std::shared_ptr<const LinkPattern> take() { return loads_.take(); }

 private:
  /// A way through a node: whether the message begins and ends there.
  void add(const RouteParts::InNode& part, bool begins, bool ends, double bytes);
  [[nodiscard]] double at_bridge(LinkId link, DeviceId first, DeviceId last) const;

  Router& router_;
  double bridge_;
  LinkLoads loads_;
  /// Number of the sequence of loads for (route, begins in this node, ends in this node, bytes).
  std::map<std::tuple<const Route*, bool, bool, double>, int> sequences_;
};

}  // namespace rackcast
