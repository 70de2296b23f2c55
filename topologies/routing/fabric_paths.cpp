#include "topologies/routing/fabric_paths.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace rackcast {
namespace {

constexpr std::int32_t unreached = std::numeric_limits<std::int32_t>::max();

/// Distances kept before all are forgotten: 64 MB.
constexpr std::size_t most_remembered = 16'000'000;

bool is_network(LinkKind kind) {
  return kind == LinkKind::infiniband || kind == LinkKind::ethernet || kind == LinkKind::fabric;
}

bool is_switch(DeviceKind kind) {
  return kind == DeviceKind::leaf || kind == DeviceKind::spine || kind == DeviceKind::core;
}

/// splitmix64's finaliser (Steele, Lea, Flood, OOPSLA 2014): spreads neighbouring numbers.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

void FabricPaths::prepare() {
  if (ready_) return;
  ready_ = true;
  const Topology& t = topology_;
  if (t.nodes() > 0) {
    const auto& last = t.node(t.nodes() - 1);
    first_ = last.first_device + last.device_count;
  }
  std::int32_t next = 0;
  number_.assign(t.devices().size(), no_id);
  for (std::size_t id = 0; id < number_.size(); ++id) {
    const DeviceKind kind = t.devices()[id].kind;
    if (kind == DeviceKind::nic || kind == DeviceKind::storage) number_[id] = next++;
  }
  const std::size_t fabric = t.devices().size() - static_cast<std::size_t>(first_);
  const auto each = [&](auto&& between, auto&& inward) {
    for (LinkId id = 0; id < static_cast<LinkId>(t.links().size()); ++id) {
      const Link& link = t.link(id);
      if (!is_network(t.class_of(id).kind)) continue;
      const std::int32_t end = number_[static_cast<std::size_t>(link.to)];
      if (end != no_id) inward(end, Port{id, link.from});
      if (in_fabric(link.from) && in_fabric(link.to) && is_switch(t.device(link.to).kind))
        between(static_cast<std::size_t>(link.from - first_), Port{id, link.to});
    }
  };
  switch_begin_.assign(fabric + 1, 0);
  into_begin_.assign(static_cast<std::size_t>(next) + 1, 0);
  each([&](std::size_t d, Port) { ++switch_begin_[d + 1]; },
       [&](std::int32_t d, Port) { ++into_begin_[static_cast<std::size_t>(d) + 1]; });
  for (auto* begin : {&switch_begin_, &into_begin_})
    for (std::size_t i = 1; i < begin->size(); ++i) (*begin)[i] += (*begin)[i - 1];
  switch_ports_.resize(static_cast<std::size_t>(switch_begin_.back()));
  into_ports_.resize(static_cast<std::size_t>(into_begin_.back()));
  std::vector<std::int32_t> at_switch(switch_begin_), at_end(into_begin_);
  each([&](std::size_t d, Port p) { switch_ports_[static_cast<std::size_t>(at_switch[d]++)] = p; },
       [&](std::int32_t d, Port p) {
         into_ports_[static_cast<std::size_t>(at_end[static_cast<std::size_t>(d)]++)] = p;
       });
  find_twins();
  find_networks();
  find_only_ports();
}

void FabricPaths::find_networks() {
  network_.assign(switch_begin_.size() - 1, no_id);
  std::vector<DeviceId> open;
  for (std::size_t d = 0; d < network_.size(); ++d) {
    if (network_[d] != no_id) continue;
    network_[d] = static_cast<std::int32_t>(d);
    open.push_back(first_ + static_cast<DeviceId>(d));
    while (!open.empty()) {
      const DeviceId at = open.back();
      open.pop_back();
      if (!is_switch(topology_.device(at).kind)) continue;
      for (const Port& port : between_switches(at)) {
        std::int32_t& network = network_[static_cast<std::size_t>(port.other - first_)];
        if (network != no_id) continue;
        network = static_cast<std::int32_t>(d);
        open.push_back(port.other);
      }
    }
  }
}

void FabricPaths::find_twins() {
  std::map<std::vector<DeviceId>, DeviceId> known;
  twin_.resize(switch_begin_.size() - 1);
  for (std::size_t d = 0; d < twin_.size(); ++d) {
    const DeviceId id = first_ + static_cast<DeviceId>(d);
    twin_[d] = id;
    if (!is_switch(topology_.device(id).kind)) continue;
    std::vector<DeviceId> neighbours;
    for (const Port& port : between_switches(id)) neighbours.push_back(port.other);
    std::ranges::sort(neighbours);
    twin_[d] = known.emplace(std::move(neighbours), id).first->second;
  }
}

std::span<const FabricPaths::Port> FabricPaths::between_switches(DeviceId at) const {
  const auto d = static_cast<std::size_t>(at - first_);
  return std::span{switch_ports_}.subspan(static_cast<std::size_t>(switch_begin_[d]),
                                          static_cast<std::size_t>(switch_begin_[d + 1] - switch_begin_[d]));
}

std::span<const FabricPaths::Port> FabricPaths::into(DeviceId to) const {
  if (number_[static_cast<std::size_t>(to)] == no_id) return {};
  const auto d = static_cast<std::size_t>(number_[static_cast<std::size_t>(to)]);
  return std::span{into_ports_}.subspan(static_cast<std::size_t>(into_begin_[d]),
                                        static_cast<std::size_t>(into_begin_[d + 1] - into_begin_[d]));
}

FabricPaths::Search& FabricPaths::search_from(DeviceId root) {
  const auto found = cache_.find(root);
  if (found != cache_.end()) return found->second;
  const std::size_t size = topology_.devices().size() - static_cast<std::size_t>(first_);
  if ((cache_.size() + 1) * size > most_remembered) {
    cache_.clear();
    next_of_class_.clear();
  }
  Search& search = cache_[root];
  search.distances.assign(size, unreached);
  search.open.emplace_back(root, 0);
  if (in_fabric(root)) search.distances[static_cast<std::size_t>(root - first_)] = 0;
  return search;
}

std::int32_t FabricPaths::nearest_switch(const Distances& distances, DeviceId device) const {
  if (in_fabric(device) && is_switch(topology_.device(device).kind)) return distances.to(device);
  if (const Port only = only_port(device); only.link != no_id) return distances.to(only.other);
  std::int32_t best = unreached;
  for (const LinkId id : topology_.out(device)) {
    const DeviceId next = topology_.link(id).to;
    if (in_fabric(next)) best = std::min(best, distances.to(next));
  }
  return best;
}

FabricPaths::Distances FabricPaths::search_to(DeviceId to, DeviceId from) {
  prepare();
  DeviceId root = only_port(to).other;
  if (root == no_id) root = to;
  const bool shared = in_fabric(root) && is_switch(topology_.device(root).kind);
  const DeviceId twin = shared ? twin_[static_cast<std::size_t>(root - first_)] : root;
  Search& search = search_from(twin);
  const Distances distances{this, &search, root, twin};
  const auto put = [&](DeviceId next, std::int32_t distance) {
    std::int32_t& known = search.distances[static_cast<std::size_t>(next - first_)];
    if (known != unreached) return;
    known = distance;
    search.open.emplace_back(next, distance);
  };
  // Cables are duplex, so distances from the root are distances to it. Only switches forward. In a large tree
  // most pairs are near each other: stop as soon as everything nearer than `from` is known.
  while (!search.open.empty() && search.open.front().second < nearest_switch(distances, from)) {
    const auto [device, distance] = search.open.front();
    search.open.pop_front();
    if (in_fabric(device) && is_switch(topology_.device(device).kind)) {
      for (const Port& port : between_switches(device)) put(port.other, distance + 1);
    } else if (device == twin) {
      for (const LinkId id : topology_.out(device))
        if (in_fabric(topology_.link(id).to)) put(topology_.link(id).to, distance + 1);
    }
  }
  return distances;
}

std::vector<std::int32_t> FabricPaths::networks_of(DeviceId device) const {
  if (in_fabric(device) && is_switch(topology_.device(device).kind))
    return {network_[static_cast<std::size_t>(device - first_)]};
  std::vector<std::int32_t> out;
  for (const LinkId id : topology_.out(device)) {
    const DeviceId next = topology_.link(id).to;
    if (in_fabric(next) && is_switch(topology_.device(next).kind))
      out.push_back(network_[static_cast<std::size_t>(next - first_)]);
  }
  return out;
}

FabricPaths::Port FabricPaths::only_port(DeviceId end) const {
  const std::int32_t number = number_[static_cast<std::size_t>(end)];
  return number == no_id ? Port{} : only_port_[static_cast<std::size_t>(number)];
}

void FabricPaths::find_only_ports() {
  only_port_.resize(into_begin_.size() - 1);
  for (DeviceId id = 0; id < static_cast<DeviceId>(number_.size()); ++id) {
    const std::int32_t number = number_[static_cast<std::size_t>(id)];
    if (number == no_id) continue;
    int ports = 0;
    Port last;
    for (const LinkId link : topology_.out(id)) {
      if (!is_network(topology_.class_of(link).kind)) continue;
      last = {link, topology_.link(link).to};
      ++ports;
    }
    if (ports == 1 && in_fabric(last.other) && is_switch(topology_.device(last.other).kind))
      only_port_[static_cast<std::size_t>(number)] = last;
  }
}

bool FabricPaths::reaches(DeviceId from, DeviceId to) {
  prepare();
  const DeviceId out = only_port(from).other, in = only_port(to).other;
  if (out != no_id && in != no_id)
    return network_[static_cast<std::size_t>(out - first_)] ==
           network_[static_cast<std::size_t>(in - first_)];
  const std::vector<std::int32_t> there = networks_of(to);
  return std::ranges::any_of(networks_of(from), [&](std::int32_t network) {
    return std::ranges::find(there, network) != there.end();
  });
}

const std::vector<FabricPaths::Port>& FabricPaths::next_links(DeviceId at, DeviceId to,
                                                              const Distances& distances) {
  next_.clear();
  for (const Port& port : into(to))
    if (port.other == at) next_.push_back({port.link, to});
  if (!next_.empty()) return next_;
  const bool at_switch = in_fabric(at) && is_switch(topology_.device(at).kind);
  const std::int32_t left = at_switch ? distances.to(at) : unreached;
  if (left == 1) {
    for (const Port& port : between_switches(at))
      if (port.other == distances.root) next_.push_back(port);
    return next_;
  }
  if (left == unreached || left == 0) return nearer(at, distances, next_);
  // No neighbour is the root or a twin of it, so all of them are as far from one twin as from another.
  const auto key = static_cast<std::uint64_t>(at) << 32 | static_cast<std::uint32_t>(distances.twin);
  const auto [it, fresh] = next_of_class_.try_emplace(key);
  return fresh ? nearer(at, distances, it->second) : it->second;
}

const std::vector<FabricPaths::Port>& FabricPaths::nearer(DeviceId at, const Distances& distances,
                                                          std::vector<Port>& out) const {
  std::int32_t best = unreached;
  const auto offer = [&](const Port& port) {
    const std::int32_t distance = distances.to(port.other);
    if (distance == unreached || distance > best) return;
    if (distance < best) out.clear();
    best = distance;
    out.push_back(port);
  };
  if (in_fabric(at) && is_switch(topology_.device(at).kind)) {
    for (const Port& port : between_switches(at)) offer(port);
  } else {
    for (const LinkId id : topology_.out(at)) {
      const DeviceId other = topology_.link(id).to;
      if (is_network(topology_.class_of(id).kind) && in_fabric(other) &&
          is_switch(topology_.device(other).kind))
        offer({id, other});
    }
  }
  return out;
}

Route FabricPaths::finish(std::vector<Hop> hops, Duration latency) const {
  Route route;
  route.hops = std::move(hops);
  route.latency = latency;
  route.bandwidth = Bandwidth{std::numeric_limits<double>::infinity()};
  for (const Hop& hop : route.hops)
    route.bandwidth = std::min(route.bandwidth, topology_.bandwidth(hop.link) / hop.share);
  return route;
}

FabricRouting FabricPaths::routing_of(const RouteChoice& choice) const {
  return choice.routing.value_or(topology_.routing());
}

Duration FabricPaths::single(DeviceId from, DeviceId to, const RouteChoice& choice, std::vector<Hop>& hops) {
  prepare();
  const bool fixed = routing_of(choice) == FabricRouting::destination_mod;
  const Port first = fixed ? only_port(from) : Port{};
  if (first.link != no_id && last_.at == first.other && last_.to == to) {
    Duration latency = topology_.latency(first.link);
    hops.push_back({first.link, 1});
    for (const Hop& hop : last_.hops) latency += topology_.latency(hop.link);
    hops.insert(hops.end(), last_.hops.begin(), last_.hops.end());
    return latency;
  }
  const Distances distances = search_to(to, from);
  const auto number = [this](DeviceId id) {
    return static_cast<std::uint64_t>(std::max(0, number_[static_cast<std::size_t>(id)]));
  };
  const std::uint64_t destination = number(to), source = number(from);
  std::uint64_t digits = destination;  // D-Mod-K: each level chooses by the next digit of the destination
  Duration latency{0};
  for (DeviceId at = from; at != to;) {
    const auto& next = next_links(at, to, distances);
    if (next.empty() || hops.size() > topology_.devices().size()) {
      hops.clear();
      return {};
    }
    std::uint64_t pick = digits;
    if (fixed) {
      // A core that serves several spines of a pod: the destinations behind it take them in turn, as a subnet
      // manager hands out its ports. The digits that are left would send neighbours through one spine.
      if (topology_.device(at).kind == DeviceKind::core) {
        pick = destination;
      } else {
        digits /= next.size();
      }
    } else {
      // Each switch hashes for itself.
      pick = mix(mix(mix(mix(source) ^ destination) ^ choice.flow) ^ static_cast<std::uint64_t>(at - first_));
    }
    const Port& port = next[pick % next.size()];
    hops.push_back({port.link, 1});
    latency += topology_.latency(port.link);
    at = port.other;
  }
  if (first.link != no_id) {
    const auto second = std::ranges::find(hops, first.link, &Hop::link) + 1;
    last_.at = first.other;
    last_.to = to;
    last_.hops.assign(second, hops.end());
  }
  return latency;
}

Duration FabricPaths::route(DeviceId from, DeviceId to, const RouteChoice& choice, std::vector<Hop>& hops) {
  return routing_of(choice) == FabricRouting::adaptive ? split(from, to, hops)
                                                       : single(from, to, choice, hops);
}

}  // namespace rackcast
