#include "topologies/routing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>

#include "sim/error.hpp"
#include "topologies/fabric_paths.hpp"
#include "topologies/node_paths.hpp"

namespace rackcast {

struct Router::Impl {
  const Topology& topology;
  RouterOptions options;
  FabricPaths fabric;
  /// Paths of the first node of each shape, by source as an offset; other nodes of the shape shift them.
  std::map<std::pair<int, DeviceId>, NodePaths> paths;
  std::map<int, int> first_of_shape;

  Impl(const Topology& t, RouterOptions o) : topology(t), options(o), fabric(t) {
    for (int n = t.nodes() - 1; n >= 0; --n) first_of_shape[t.node(n).shape] = n;
  }

  /// The first node with the shape of this one, and how far device and link numbers are shifted against it.
  struct Base {
    int node;
    DeviceId device_shift;
    LinkId link_shift;
  };
  Base base_of(int node) const {
    const auto& range = topology.node(node);
    const int first = first_of_shape.at(range.shape);
    const auto& origin = topology.node(first);
    return {first, range.first_device - origin.first_device, range.first_link - origin.first_link};
  }

  NodePaths& paths_from(const Base& base, DeviceId source) {
    const DeviceId shifted = source - base.device_shift;
    const auto key = std::pair{base.node, shifted};
    auto it = paths.find(key);
    if (it == paths.end()) {
      it = paths.emplace(key, NodePaths{topology, base.node, shifted, options.relay_through_gpus}).first;
    }
    return it->second;
  }

  [[noreturn]] void fail(DeviceId from, DeviceId to) const {
    throw Error{fmt::format("no path leads from {} to {}", topology.name(from), topology.name(to))};
  }

  Route in_node(DeviceId from, DeviceId to) {
    const Base base = base_of(topology.device(from).node);
    Route route = paths_from(base, from).route(to - base.device_shift);
    if (route.hops.empty()) fail(from, to);
    for (Hop& hop : route.hops) hop.link += base.link_shift;
    return route;
  }

  std::vector<DeviceId> nearest(DeviceId device, DeviceKind kind) {
    const int node = topology.device(device).node;
    const Base base = base_of(node);
    const NodePaths& from = paths_from(base, device);
    std::vector<DeviceId> best;
    long best_cost = std::numeric_limits<long>::max();
    for (const DeviceId found : topology.devices_of(node, kind)) {
      const long cost = from.cost(found - base.device_shift);
      if (cost < 0 || cost > best_cost) continue;
      if (cost < best_cost) best.clear();
      best_cost = cost;
      best.push_back(found);
    }
    return best;
  }

  /// Where data of `device` enter or leave the fabric.
  DeviceId port_of(DeviceId device, DeviceId wanted) {
    const Device& d = topology.device(device);
    if (d.node == no_id || d.kind == DeviceKind::nic) return device;
    if (wanted != no_id) {
      assert(topology.device(wanted).node == d.node && topology.device(wanted).kind == DeviceKind::nic);
      return wanted;
    }
    const auto near = nearest(device, DeviceKind::nic);
    if (near.empty()) throw Error{fmt::format("{} has no network adapter", topology.name(device))};
    return near[d.index % near.size()];
  }

  /// `entry`, or where rails are separate networks another adapter of its node that `exit` reaches: first the
  /// one of the same rail. no_id if there is none.
  DeviceId port_in_reach(DeviceId exit, DeviceId entry, DeviceId wanted) {
    if (fabric.reaches(exit, entry)) return entry;
    const Device& d = topology.device(entry);
    if (wanted != no_id || d.kind != DeviceKind::nic) return no_id;
    auto nics = topology.devices_of(d.node, DeviceKind::nic);
    const std::size_t rail = topology.device(exit).index % nics.size();
    std::rotate(nics.begin(), nics.begin() + static_cast<std::ptrdiff_t>(rail), nics.end());
    const auto found = std::ranges::find_if(nics, [&](DeviceId nic) { return fabric.reaches(exit, nic); });
    return found == nics.end() ? no_id : *found;
  }
};

Router::Router(const Topology& topology, RouterOptions options)
    : impl_(std::make_unique<Impl>(topology, options)) {}
Router::Router(Router&&) noexcept = default;
Router::~Router() = default;

const Topology& Router::topology() const {
  return impl_->topology;
}

Route Router::route(DeviceId from, DeviceId to, const RouteChoice& choice) {
  assert(from != to);
  const Topology& t = impl_->topology;
  const int node = t.device(from).node;
  if (node != no_id && node == t.device(to).node) return impl_->in_node(from, to);
  const DeviceId exit = impl_->port_of(from, choice.from_nic);
  const DeviceId entry = impl_->port_in_reach(exit, impl_->port_of(to, choice.to_nic), choice.to_nic);
  if (entry == no_id) impl_->fail(from, to);
  std::vector<Route> parts;
  if (exit != from) parts.push_back(impl_->in_node(from, exit));
  parts.push_back(impl_->fabric.route(exit, entry, choice));
  if (entry != to) parts.push_back(impl_->in_node(entry, to));
  return parts.size() == 1 ? std::move(parts.front()) : joined(t, parts);
}

std::vector<Route> Router::equal_cost_routes(DeviceId from, DeviceId to, std::size_t limit) {
  return impl_->fabric.equal_cost_routes(from, to, limit);
}

std::vector<DeviceId> Router::nearest_nics(DeviceId device) {
  return impl_->nearest(device, DeviceKind::nic);
}
DeviceId Router::nearest_cpu(DeviceId device) {
  const auto near = impl_->nearest(device, DeviceKind::cpu);
  if (near.empty()) throw Error{fmt::format("{} has no CPU in reach", impl_->topology.name(device))};
  return near.front();
}
DeviceId Router::nearest_nic(DeviceId device) {
  return impl_->port_of(device, no_id);
}

Route joined(const Topology& topology, const std::vector<Route>& parts) {
  Route whole;
  std::map<LinkId, double> share;
  for (const Route& part : parts) {
    whole.latency += part.latency;
    for (const Hop& hop : part.hops) {
      whole.hops.push_back(hop);
      share[hop.link] += hop.share;
    }
  }
  whole.bandwidth = Bandwidth{std::numeric_limits<double>::infinity()};
  for (const auto& [link, total] : share)
    whole.bandwidth = std::min(whole.bandwidth, topology.bandwidth(link) / total);
  return whole;
}

}  // namespace rackcast
