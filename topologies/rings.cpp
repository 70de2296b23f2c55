#include "topologies/rings.hpp"

#include <algorithm>
#include <cassert>
#include <map>

#include "topologies/node_rings.hpp"

namespace rackcast {
namespace {

std::map<int, std::vector<DeviceId>> by_node(const Topology& topology, const std::vector<DeviceId>& gpus) {
  std::map<int, std::vector<DeviceId>> nodes;
  for (const DeviceId gpu : gpus) nodes[topology.device(gpu).node].push_back(gpu);
  for (auto& [node, list] : nodes) std::ranges::sort(list);
  return nodes;
}

std::vector<Ring> rings_in_node(Router& router, const std::vector<DeviceId>& gpus) {
  std::vector<Ring> out;
  for (const Order& order : cyclic_orders(router, gpus)) {
    Ring& ring = out.emplace_back();
    for (const int position : order) ring.gpus.push_back(gpus[static_cast<std::size_t>(position)]);
    for (std::size_t i = 0; i < ring.gpus.size(); ++i) {
      ring.hops.push_back(router.route(ring.gpus[i], ring.gpus[(i + 1) % ring.gpus.size()]));
    }
  }
  return out;
}

/// Passages of nodes with the same GPUs in use are the same, shifted: they are searched once per pattern.
class PassageBook {
 public:
  explicit PassageBook(Router& router) : router_(router) {}

  std::vector<Passage> of(const std::vector<DeviceId>& gpus) {
    const Topology& t = router_.topology();
    const auto& range = t.node(t.device(gpus.front()).node);
    std::vector<DeviceId> offsets;
    for (const DeviceId gpu : gpus) offsets.push_back(gpu - range.first_device);
    const auto key = std::pair{range.shape, offsets};
    auto found = book_.find(key);
    if (found == book_.end())
      found = book_.emplace(key, Entry{passages(router_, gpus), range.first_device}).first;
    std::vector<Passage> out = found->second.passages;
    for (Passage& passage : out) {
      passage.entry_nic += range.first_device - found->second.first_device;
      passage.exit_nic += range.first_device - found->second.first_device;
    }
    return out;
  }

 private:
  struct Entry {
    std::vector<Passage> passages;
    DeviceId first_device;
  };
  Router& router_;
  std::map<std::pair<int, std::vector<DeviceId>>, Entry> book_;
};

/// A node's part of a ring.
struct Leg {
  std::vector<DeviceId> gpus;
  DeviceId entry_nic, exit_nic;
};

Ring close_ring(Router& router, const std::vector<Leg>& legs, const RouteChoice& choice) {
  Ring ring;
  for (std::size_t n = 0; n < legs.size(); ++n) {
    const Leg& leg = legs[n];
    const Leg& next = legs[(n + 1) % legs.size()];
    ring.gpus.insert(ring.gpus.end(), leg.gpus.begin(), leg.gpus.end());
    for (std::size_t i = 0; i + 1 < leg.gpus.size(); ++i)
      ring.hops.push_back(router.route(leg.gpus[i], leg.gpus[i + 1]));
    RouteChoice between = choice;
    between.from_nic = leg.exit_nic;
    between.to_nic = next.entry_nic;
    ring.hops.push_back(router.route(leg.gpus.back(), next.gpus.front(), between));
  }
  return ring;
}

std::vector<Ring> rings_over_nodes(Router& router, const std::map<int, std::vector<DeviceId>>& nodes,
                                   const RouteChoice& choice) {
  PassageBook book{router};
  std::vector<std::vector<Passage>> ways;
  std::vector<const std::vector<DeviceId>*> gpus;
  std::size_t channels = SIZE_MAX;
  for (const auto& [node, list] : nodes) {
    ways.push_back(book.of(list));
    gpus.push_back(&list);
    channels = std::min(channels, ways.back().size());
  }
  std::vector<Ring> out;
  for (std::size_t c = 0; c < channels; ++c) {
    std::vector<Leg> legs;
    for (std::size_t n = 0; n < ways.size(); ++n) {
      const Passage& way = ways[n][c];
      Leg& leg = legs.emplace_back();
      for (const int position : way.order) leg.gpus.push_back((*gpus[n])[static_cast<std::size_t>(position)]);
      leg.entry_nic = way.entry_nic;
      leg.exit_nic = way.exit_nic;
    }
    out.push_back(close_ring(router, legs, choice));
  }
  return out;
}

/// Rates with all rings running: each link is shared evenly by what passes it.
void set_rates(const Topology& topology, std::vector<Ring>& all) {
  std::vector<double> load(topology.links().size(), 0);
  for (const Ring& ring : all) {
    for (const Route& route : ring.hops) {
      for (const Hop& hop : route.hops) load[static_cast<std::size_t>(hop.link)] += hop.share;
    }
  }
  for (Ring& ring : all) {
    ring.rate = Bandwidth{1e30};
    for (const Route& route : ring.hops) {
      for (const Hop& hop : route.hops) {
        ring.rate =
            std::min(ring.rate, topology.bandwidth(hop.link) / load[static_cast<std::size_t>(hop.link)]);
      }
    }
  }
}

/// A link's rate is shared by the rings on it, and a ring takes one link of a bundle: where a bundle is not
/// full, no ring gets more than one link of it carries.
void limit_to_one_link(const Topology& topology, std::vector<Ring>& all) {
  for (Ring& ring : all) {
    for (const Route& route : ring.hops) {
      if (route.hops.size() != 1) continue;
      const LinkClass& link = topology.class_of(route.hops.front().link);
      if (link.kind == LinkKind::nvlink || link.kind == LinkKind::xgmi)
        ring.rate = std::min(ring.rate, link.achievable);
    }
  }
}

}  // namespace

std::vector<Ring> rings(Router& router, const std::vector<DeviceId>& gpus, const RouteChoice& choice) {
  assert(gpus.size() >= 2);
  const auto nodes = by_node(router.topology(), gpus);
  std::vector<Ring> all = nodes.size() == 1 ? rings_in_node(router, nodes.begin()->second)
                                            : rings_over_nodes(router, nodes, choice);
  set_rates(router.topology(), all);
  limit_to_one_link(router.topology(), all);
  const Bandwidth total = total_rate(all);
  for (Ring& ring : all) ring.payload_share = ring.rate / total;
  return all;
}

Bandwidth total_rate(const std::vector<Ring>& rings) {
  Bandwidth total{0};
  for (const Ring& ring : rings) total += ring.rate;
  return total;
}

}  // namespace rackcast
