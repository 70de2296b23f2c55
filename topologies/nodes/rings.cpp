#include "topologies/nodes/rings.hpp"

#include <algorithm>
#include <cassert>
#include <map>

#include "topologies/nodes/node_rings.hpp"
#include "topologies/routing/route_loads.hpp"

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
  const auto gpu = [&gpus](int position) {
    return gpus[static_cast<std::size_t>(position)];
  };
  for (const NodeRing& found : rings_of_node(router, gpus)) {
    Ring& ring = out.emplace_back();
    for (const int position : found.order) ring.gpus.push_back(gpu(position));
    for (const NodeRing::Relay& relay : found.relays)
      ring.relays.push_back({relay.after, gpu(relay.through)});
  }
  return out;
}

/// Passages of nodes with the same GPUs in use are the same, shifted: they are searched once per pattern.
class PassageBook {
 public:
  explicit PassageBook(Router& router) : router_(router) {}

  /// Passages through the node of `gpus`, given for the first such node, and the shift of its devices.
  std::pair<const std::vector<Passage>*, DeviceId> of(const std::vector<DeviceId>& gpus) {
    const Topology& t = router_.topology();
    const auto& range = t.node(t.device(gpus.front()).node);
    std::vector<DeviceId> offsets;
    for (const DeviceId gpu : gpus) offsets.push_back(gpu - range.first_device);
    auto key = std::pair{range.shape, std::move(offsets)};
    auto found = book_.find(key);
    if (found == book_.end())
      found = book_.emplace(std::move(key), Entry{passages(router_, gpus), range.first_device}).first;
    return {&found->second.passages, range.first_device - found->second.first_device};
  }

 private:
  struct Entry {
    std::vector<Passage> passages;
    DeviceId first_device;
  };
  Router& router_;
  std::map<std::pair<int, std::vector<DeviceId>>, Entry> book_;
};

std::vector<Ring> rings_over_nodes(Router& router, const std::map<int, std::vector<DeviceId>>& nodes,
                                   const RouteChoice& choice) {
  PassageBook book{router};
  struct Way {
    const std::vector<DeviceId>* gpus;
    const std::vector<Passage>* passages;
    DeviceId shift;
  };
  std::vector<Way> ways;
  std::size_t channels = SIZE_MAX, gpus = 0;
  for (const auto& [node, list] : nodes) {
    const auto [found, shift] = book.of(list);
    ways.push_back({&list, found, shift});
    channels = std::min(channels, found->size());
    gpus += list.size();
  }
  std::vector<Ring> out(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    Ring& ring = out[c];
    ring.choice = choice;
    ring.gpus.reserve(gpus);
    ring.crossings.reserve(ways.size());
    for (std::size_t n = 0; n < ways.size(); ++n) {
      const Way& way = ways[n];
      const Way& next = ways[(n + 1) % ways.size()];
      const Passage& own = (*way.passages)[c];
      for (const int position : own.order)
        ring.gpus.push_back((*way.gpus)[static_cast<std::size_t>(position)]);
      ring.crossings.push_back(
          {ring.gpus.size() - 1, own.exit_nic + way.shift, (*next.passages)[c].entry_nic + next.shift});
    }
  }
  return out;
}

/// What the links of routes carry when all rings run together: each link is shared evenly by what passes it,
/// and a ring takes one link of a bundle, so where a bundle is not full, no ring gets more than one link of
/// it carries.
class SharedRates {
 public:
  SharedRates(Router& router, const std::vector<Ring>& all) : topology_{router.topology()} {
    RouteLoads loads{router};
    for (const Ring& ring : all)
      ring.each_hop([&](DeviceId from, DeviceId to, const RouteChoice& c) { loads.add(from, to, 1, c); });
    pattern_ = loads.take();
    fabric_.assign(topology_.links().size() - static_cast<std::size_t>(first_fabric()), 0);
    for (const LinkLoad& load : pattern_->fabric)
      fabric_[static_cast<std::size_t>(load.link - first_fabric())] = load.bytes;
  }

  Bandwidth of(const RouteParts& parts) {
    Bandwidth least = std::min(inside(parts.out), inside(parts.in));
    for (const Hop& hop : parts.fabric)
      least = std::min(least, topology_.bandwidth(hop.link) /
                                  fabric_[static_cast<std::size_t>(hop.link - first_fabric())]);
    return least;
  }

 private:
  [[nodiscard]] LinkId first_fabric() const {
    if (topology_.nodes() == 0) return 0;
    const auto& last = topology_.node(topology_.nodes() - 1);
    return last.first_link + last.link_count;
  }

  [[nodiscard]] Bandwidth one_link(LinkId id) const {
    const LinkClass& link = topology_.class_of(id);
    return link.kind == LinkKind::nvlink || link.kind == LinkKind::xgmi ? link.achievable : Bandwidth{1e30};
  }

  Bandwidth inside(const RouteParts::InNode& part) {
    if (!part.route) return Bandwidth{1e30};
    const int number = pattern_->class_of_node[static_cast<std::size_t>(part.node)];
    const auto [it, fresh] = known_.emplace(std::pair{part.route, number}, Bandwidth{1e30});
    if (!fresh) return it->second;
    const LinkPattern::NodeClass& own = pattern_->classes[static_cast<std::size_t>(number)];
    const LinkId shift =
        part.shift + topology_.node(own.first_node).first_link - topology_.node(part.node).first_link;
    for (const Hop& hop : part.route->hops) {
      const auto load = std::ranges::lower_bound(own.loads, hop.link + shift, {}, &LinkLoad::link);
      it->second = std::min(it->second, topology_.bandwidth(load->link) / load->bytes);
    }
    if (part.route->hops.size() == 1)
      it->second = std::min(it->second, one_link(part.route->hops.front().link));
    return it->second;
  }

  const Topology& topology_;
  std::shared_ptr<const LinkPattern> pattern_;
  std::vector<double> fabric_;
  std::map<std::pair<const Route*, int>, Bandwidth> known_;  ///< by way and class of nodes
};

}  // namespace

std::vector<Route> Ring::hops(Router& router) const {
  std::vector<Route> out;
  each_hop(
      [&](DeviceId from, DeviceId to, const RouteChoice& c) { out.push_back(router.route(from, to, c)); });
  return out;
}

std::vector<Ring> rings(Router& router, const std::vector<DeviceId>& gpus, const RouteChoice& choice) {
  assert(gpus.size() >= 2);
  const auto nodes = by_node(router.topology(), gpus);
  std::vector<Ring> all = nodes.size() == 1 ? rings_in_node(router, nodes.begin()->second)
                                            : rings_over_nodes(router, nodes, choice);
  SharedRates rates{router, all};
  for (Ring& ring : all) {
    ring.rate = Bandwidth{1e30};
    ring.each_hop([&](DeviceId from, DeviceId to, const RouteChoice& c) {
      ring.rate = std::min(ring.rate, rates.of(router.parts(from, to, c)));
    });
  }
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
