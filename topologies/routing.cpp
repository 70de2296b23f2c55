#include "topologies/routing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <optional>

#include "sim/error.hpp"
#include "topologies/fabric_paths.hpp"
#include "topologies/node_paths.hpp"

namespace rackcast {

struct Router::Impl {
  /// What is known of the first node of a shape, by device of it; other nodes shift it.
  struct Shape {
    int first_node = 0;
    std::vector<std::unique_ptr<NodePaths>> paths;
    std::vector<std::optional<std::vector<DeviceId>>> nics, cpus;  ///< nearest
  };

  const Topology& topology;
  RouterOptions options;
  FabricPaths fabric;
  std::map<int, Shape> shapes;
  std::vector<Hop> hops;  ///< of the last fabric part
  Duration latency{0};

  Impl(const Topology& t, RouterOptions o) : topology(t), options(o), fabric(t) {
    for (int n = 0; n < t.nodes(); ++n) {
      const auto [it, fresh] = shapes.try_emplace(t.node(n).shape);
      if (!fresh) continue;
      it->second.first_node = n;
      const auto devices = static_cast<std::size_t>(t.node(n).device_count);
      it->second.paths.resize(devices);
      it->second.nics.resize(devices);
      it->second.cpus.resize(devices);
    }
  }

  /// The shape of a node, and how far device and link numbers are shifted against its first node.
  struct Base {
    Shape& shape;
    DeviceId first_device;  ///< of the first node
    DeviceId device_shift;
    LinkId link_shift;
  };
  Base base_of(int node) {
    const auto& range = topology.node(node);
    Shape& shape = shapes.find(range.shape)->second;
    const auto& origin = topology.node(shape.first_node);
    return {shape, origin.first_device, range.first_device - origin.first_device,
            range.first_link - origin.first_link};
  }

  NodePaths& paths_from(const Base& base, DeviceId source) {
    const DeviceId shifted = source - base.device_shift;
    auto& known = base.shape.paths[static_cast<std::size_t>(shifted - base.first_device)];
    if (!known)
      known =
          std::make_unique<NodePaths>(topology, base.shape.first_node, shifted, options.relay_through_gpus);
    return *known;
  }

  [[noreturn]] void fail(DeviceId from, DeviceId to) const {
    throw Error{fmt::format("no path leads from {} to {}", topology.name(from), topology.name(to))};
  }

  RouteParts::InNode in_node(DeviceId from, DeviceId to) {
    const int node = topology.device(from).node;
    const Base base = base_of(node);
    const Route& route = paths_from(base, from).route(to - base.device_shift);
    if (route.hops.empty()) fail(from, to);
    return {&route, node, base.link_shift};
  }

  NearDevices nearest(DeviceId device, DeviceKind kind) {
    const Base base = base_of(topology.device(device).node);
    const auto at = static_cast<std::size_t>(device - base.device_shift - base.first_device);
    auto& known = (kind == DeviceKind::nic ? base.shape.nics : base.shape.cpus)[at];
    if (!known) {
      known.emplace();
      const NodePaths& from = paths_from(base, device);
      long best_cost = std::numeric_limits<long>::max();
      for (const DeviceId found : topology.devices_of(base.shape.first_node, kind)) {
        const long cost = from.cost(found);
        if (cost < 0 || cost > best_cost) continue;
        if (cost < best_cost) known->clear();
        best_cost = cost;
        known->push_back(found);
      }
    }
    return {*known, base.device_shift};
  }

  /// Where data of `device` enter or leave the fabric.
  DeviceId port_of(DeviceId device, DeviceId wanted) {
    const Device& d = topology.device(device);
    if (d.node == no_id || d.kind == DeviceKind::nic) return device;
    if (wanted != no_id) {
      assert(topology.device(wanted).node == d.node && topology.device(wanted).kind == DeviceKind::nic);
      return wanted;
    }
    const NearDevices near = nearest(device, DeviceKind::nic);
    if (near.size() == 0) throw Error{fmt::format("{} has no network adapter", topology.name(device))};
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

const RouterOptions& Router::options() const {
  return impl_->options;
}

RouteParts Router::parts(DeviceId from, DeviceId to, const RouteChoice& choice) {
  assert(from != to);
  const Topology& t = impl_->topology;
  const int node = t.device(from).node;
  RouteParts parts;
  if (node != no_id && node == t.device(to).node) {
    parts.out = impl_->in_node(from, to);
    return parts;
  }
  const DeviceId exit = impl_->port_of(from, choice.from_nic);
  const DeviceId entry = impl_->port_in_reach(exit, impl_->port_of(to, choice.to_nic), choice.to_nic);
  if (entry == no_id) impl_->fail(from, to);
  if (exit != from) parts.out = impl_->in_node(from, exit);
  impl_->hops.clear();
  impl_->latency = impl_->fabric.route(exit, entry, choice, impl_->hops);
  parts.fabric = impl_->hops;
  if (entry != to) parts.in = impl_->in_node(entry, to);
  return parts;
}

Route Router::route(DeviceId from, DeviceId to, const RouteChoice& choice) {
  const RouteParts found = parts(from, to, choice);
  std::vector<Route> parts;
  const auto add = [&parts](const RouteParts::InNode& part) {
    if (!part.route) return;
    parts.push_back(*part.route);
    for (Hop& hop : parts.back().hops) hop.link += part.shift;
  };
  add(found.out);
  if (!found.fabric.empty())
    parts.push_back(impl_->fabric.finish({found.fabric.begin(), found.fabric.end()}, impl_->latency));
  add(found.in);
  return parts.size() == 1 ? std::move(parts.front()) : joined(impl_->topology, parts);
}

std::vector<Route> Router::equal_cost_routes(DeviceId from, DeviceId to, std::size_t limit) {
  return impl_->fabric.equal_cost_routes(from, to, limit);
}

NearDevices Router::nearest_nics(DeviceId device) {
  return impl_->nearest(device, DeviceKind::nic);
}
DeviceId Router::nearest_cpu(DeviceId device) {
  const NearDevices near = impl_->nearest(device, DeviceKind::cpu);
  if (near.size() == 0) throw Error{fmt::format("{} has no CPU in reach", impl_->topology.name(device))};
  return near[0];
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
