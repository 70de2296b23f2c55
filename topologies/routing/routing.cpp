#include "topologies/routing/routing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <optional>

#include "sim/base/error.hpp"
#include "topologies/routing/fabric_paths.hpp"
#include "topologies/routing/node_paths.hpp"

namespace rackcast {

struct Router::Impl {
  /// What is known of the first node of a shape, by device of it; other nodes shift it.
  struct Shape {
    int first_node = 0;
    std::vector<std::unique_ptr<NodePaths>> paths;
    std::vector<std::optional<std::vector<DeviceId>>> nics, cpus;  ///< nearest
    std::map<std::pair<DeviceId, DeviceId>, Route> to_rails;  ///< from a GPU to an adapter of another rail
  };

  const Topology& topology;
  RouterOptions options;
  FabricPaths fabric;
  std::map<int, Shape> shapes;
  std::vector<Hop> hops;  ///< of the last fabric part
  Duration latency{0};
  unsigned routes = 0;  ///< asked for so far

  Impl(const Topology& t, RouterOptions o) : topology(t), options(std::move(o)), fabric(t) {
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

  void look_at_clock() {
    constexpr unsigned between_looks = 4096;  // some milliseconds
    if (options.watch && ++routes % between_looks == 0) options.watch();
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
      std::int64_t best_cost = std::numeric_limits<std::int64_t>::max();
      for (const DeviceId found : topology.devices_of(base.shape.first_node, kind)) {
        const std::int64_t cost = from.cost(found);
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

  /// An adapter beside `port`, in the same node, that reaches `other` where rails are separate networks:
  /// first the one of the same rail. no_id if there is none.
  DeviceId port_on_rail_of(DeviceId other, DeviceId port) {
    const Device& d = topology.device(port);
    if (d.kind != DeviceKind::nic) return no_id;
    auto nics = topology.devices_of(d.node, DeviceKind::nic);
    const std::size_t rail = topology.device(other).index % nics.size();
    std::rotate(nics.begin(), nics.begin() + static_cast<std::ptrdiff_t>(rail), nics.end());
    const auto found = std::ranges::find_if(nics, [&](DeviceId nic) { return fabric.reaches(nic, other); });
    return found == nics.end() ? no_id : *found;
  }

  [[nodiscard]] bool beside(DeviceId device, DeviceId nic) {
    const NearDevices near = nearest(device, DeviceKind::nic);
    return std::ranges::find(near.of_first, nic - near.shift) != near.of_first.end();
  }

  /// The GPU beside adapter `nic` that `gpu` has the shortest way to over NVLink alone, or no_id; of equal
  /// ones that whose own adapter it is. All in the first node of their shape.
  DeviceId gpu_on_rail(const Base& first, DeviceId gpu, DeviceId nic) {
    DeviceId best = no_id;
    std::int64_t best_cost = pcie_link_cost;
    for (const DeviceId other : topology.devices_of(first.shape.first_node, DeviceKind::gpu)) {
      if (other == gpu || !beside(other, nic)) continue;
      const std::int64_t cost = paths_from(first, gpu).cost(other);
      if (cost < 0 || cost > best_cost ||
          (cost == best_cost && (best == no_id || port_of(other, no_id) != nic)))
        continue;
      best = other;
      best_cost = cost;
    }
    return best;
  }

  /// The way of a GPU to an adapter of another rail, over NVLink to a GPU beside that adapter, which hands
  /// the data on; nothing where there is none. This is PXN, by which NCCL crosses rails since 2.12 (S.
  /// Jeaugey, "Doubling all2all performance with NVIDIA Collective Communication Library 2.12", 2022).
  RouteParts::InNode over_nvlink(DeviceId from, DeviceId exit) {
    if (exit == no_id || topology.device(from).kind != DeviceKind::gpu) return {};
    const int node = topology.device(from).node;
    const Base base = base_of(node);
    const DeviceId gpu = from - base.device_shift, nic = exit - base.device_shift;
    const auto [it, fresh] = base.shape.to_rails.try_emplace({gpu, nic});
    if (fresh) {
      const Base first = base_of(base.shape.first_node);
      const DeviceId other = gpu_on_rail(first, gpu, nic);
      if (other != no_id) {
        it->second =
            joined(topology, {paths_from(first, gpu).route(other), paths_from(first, other).route(nic)});
      }
    }
    if (it->second.hops.empty()) return {};
    return {&it->second, node, base.link_shift};
  }

  /// Where data leave one node and enter another. `out` is set where they change rails over NVLink.
  struct Crossing {
    DeviceId exit, entry;
    RouteParts::InNode out;
  };

  /// Data change rails before they leave, where NVLink allows; else after they have arrived; where the
  /// adapter of arrival is given, over the host they come from.
  Crossing crossing(DeviceId from, DeviceId to, const RouteChoice& choice) {
    const DeviceId exit = port_of(from, choice.from_nic), entry = port_of(to, choice.to_nic);
    if (fabric.reaches(exit, entry)) return {exit, entry, {}};
    const DeviceId rail = exit == from ? no_id : port_on_rail_of(entry, exit);
    if (rail != no_id && beside(from, rail)) return {rail, entry, {}};
    if (const RouteParts::InNode out = over_nvlink(from, rail); out.route) return {rail, entry, out};
    const DeviceId other = choice.to_nic == no_id ? port_on_rail_of(exit, entry) : no_id;
    if (other != no_id) return {exit, other, {}};
    if (rail == no_id) fail(from, to);
    return {rail, entry, {}};
  }
};

Router::Router(const Topology& topology, RouterOptions options)
    : impl_(std::make_unique<Impl>(topology, std::move(options))) {}
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
  impl_->look_at_clock();
  const Topology& t = impl_->topology;
  const int node = t.device(from).node;
  RouteParts parts;
  if (node != no_id && node == t.device(to).node) {
    parts.out = impl_->in_node(from, to);
    return parts;
  }
  const Impl::Crossing crossing = impl_->crossing(from, to, choice);
  const DeviceId exit = crossing.exit, entry = crossing.entry;
  parts.out = crossing.out;
  if (!parts.out.route && exit != from) parts.out = impl_->in_node(from, exit);
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
