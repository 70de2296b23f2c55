#include "topologies/fabric_paths.hpp"

#include <algorithm>
#include <limits>

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

FabricPaths::FabricPaths(const Topology& topology) : topology_(topology) {
  if (topology.nodes() > 0) {
    const auto& last = topology.node(topology.nodes() - 1);
    first_ = last.first_device + last.device_count;
  }
  std::int32_t next = 0;
  number_.assign(topology.devices().size(), 0);
  for (std::size_t id = 0; id < number_.size(); ++id) {
    const DeviceKind kind = topology.devices()[id].kind;
    if (kind == DeviceKind::nic || kind == DeviceKind::storage) number_[id] = next++;
  }
}

FabricPaths::Search& FabricPaths::search_from(DeviceId root) {
  const auto found = cache_.find(root);
  if (found != cache_.end()) return found->second;
  const std::size_t size = topology_.devices().size() - static_cast<std::size_t>(first_);
  if ((cache_.size() + 1) * size > most_remembered) cache_.clear();
  Search& search = cache_[root];
  search.distances.assign(size, unreached);
  search.open.emplace_back(root, 0);
  if (in_fabric(root)) at(search, root) = 0;
  return search;
}

std::int32_t FabricPaths::nearest_switch(Search& search, DeviceId device) const {
  if (in_fabric(device) && is_switch(topology_.device(device).kind)) return at(search, device);
  std::int32_t best = unreached;
  for (const LinkId id : topology_.out(device)) {
    const DeviceId next = topology_.link(id).to;
    if (in_fabric(next)) best = std::min(best, at(search, next));
  }
  return best;
}

FabricPaths::Search& FabricPaths::search_to(DeviceId to, DeviceId from) {
  DeviceId root = no_id;
  int links = 0;
  for (const LinkId id : topology_.out(to)) {
    if (!is_network(topology_.class_of(id).kind)) continue;
    root = topology_.link(id).to;
    ++links;
  }
  if (links != 1) root = to;
  Search& search = search_from(root);
  // Cables are duplex, so distances from the root are distances to it. Only switches forward. In a large tree
  // most pairs are near each other: stop as soon as everything nearer than `from` is known.
  while (!search.open.empty() && search.open.front().second < nearest_switch(search, from)) {
    const auto [device, distance] = search.open.front();
    search.open.pop_front();
    if (device != root && !is_switch(topology_.device(device).kind)) continue;
    for (const LinkId id : topology_.out(device)) {
      const DeviceId next = topology_.link(id).to;
      if (!in_fabric(next) || at(search, next) != unreached) continue;
      at(search, next) = distance + 1;
      search.open.emplace_back(next, distance + 1);
    }
  }
  return search;
}

bool FabricPaths::reaches(DeviceId from, DeviceId to) {
  return nearest_switch(search_to(to, from), from) != unreached;
}

std::vector<LinkId> FabricPaths::next_links(DeviceId at, DeviceId to, const Distances& distances) const {
  std::vector<LinkId> out;
  std::int32_t best = unreached;
  for (const LinkId id : topology_.out(at)) {
    if (!is_network(topology_.class_of(id).kind)) continue;
    const DeviceId next = topology_.link(id).to;
    if (next == to) {
      if (best != -1) out.clear();
      best = -1;
      out.push_back(id);
      continue;
    }
    if (!in_fabric(next) || !is_switch(topology_.device(next).kind)) continue;
    const std::int32_t distance = distances[static_cast<std::size_t>(next - first_)];
    if (distance == unreached || distance > best) continue;
    if (distance < best) out.clear();
    best = distance;
    out.push_back(id);
  }
  return out;
}

Route FabricPaths::finish(std::vector<Hop> hops) const {
  Route route;
  route.hops = std::move(hops);
  route.bandwidth = Bandwidth{std::numeric_limits<double>::infinity()};
  for (const Hop& hop : route.hops) {
    route.latency += topology_.latency(hop.link);
    route.bandwidth = std::min(route.bandwidth, topology_.bandwidth(hop.link) / hop.share);
  }
  return route;
}

Route FabricPaths::single(DeviceId from, DeviceId to, const RouteChoice& choice) {
  const Distances& distances = search_to(to, from).distances;
  const auto destination = static_cast<std::uint64_t>(number_[static_cast<std::size_t>(to)]);
  const auto source = static_cast<std::uint64_t>(number_[static_cast<std::size_t>(from)]);
  std::uint64_t digits = destination;  // D-Mod-K: each level chooses by the next digit of the destination
  std::vector<Hop> hops;
  for (DeviceId at = from; at != to;) {
    const auto next = next_links(at, to, distances);
    if (next.empty() || hops.size() > topology_.devices().size()) return {};
    std::uint64_t pick = digits;
    if (choice.routing == FabricRouting::destination_mod) {
      digits /= next.size();
    } else {
      // Each switch hashes for itself.
      pick = mix(mix(mix(mix(source) ^ destination) ^ choice.flow) ^ static_cast<std::uint64_t>(at - first_));
    }
    const LinkId link = next[pick % next.size()];
    hops.push_back({link, 1});
    at = topology_.link(link).to;
  }
  return finish(std::move(hops));
}

Route FabricPaths::split(DeviceId from, DeviceId to) {
  const Distances& distances = search_to(to, from).distances;
  std::map<DeviceId, double> front{{from, 1.0}};
  std::vector<Hop> hops;
  Duration latency{0};
  while (!(front.size() == 1 && front.begin()->first == to)) {
    std::map<DeviceId, double> further;
    Duration slowest{0};
    for (const auto& [device, flow] : front) {
      const auto next = next_links(device, to, distances);
      if (next.empty()) return {};
      Bandwidth total{0};
      for (const LinkId id : next) total += topology_.bandwidth(id);
      for (const LinkId id : next) {
        const double share = flow * (topology_.bandwidth(id) / total);
        hops.push_back({id, share});
        further[topology_.link(id).to] += share;
        slowest = std::max(slowest, topology_.latency(id));
      }
    }
    latency += slowest;
    front = std::move(further);
  }
  Route route = finish(std::move(hops));
  route.latency = latency;
  return route;
}

Route FabricPaths::route(DeviceId from, DeviceId to, const RouteChoice& choice) {
  return choice.routing == FabricRouting::adaptive ? split(from, to) : single(from, to, choice);
}

std::vector<Route> FabricPaths::equal_cost_routes(DeviceId from, DeviceId to, std::size_t limit) {
  const Distances& distances = search_to(to, from).distances;
  std::vector<std::vector<Hop>> open{{}};
  std::vector<Route> done;
  while (!open.empty() && done.size() < limit) {
    const std::vector<Hop> path = std::move(open.back());
    open.pop_back();
    const DeviceId at = path.empty() ? from : topology_.link(path.back().link).to;
    if (at == to) {
      done.push_back(finish(path));
      continue;
    }
    auto next = next_links(at, to, distances);
    std::ranges::reverse(next);  // depth first from the back: the smallest link number comes out first
    for (const LinkId link : next) {
      open.push_back(path);
      open.back().push_back({link, 1});
    }
  }
  return done;
}

}  // namespace rackcast
