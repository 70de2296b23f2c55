#include "topologies/nodes/node_rings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "sim/base/error.hpp"

namespace rackcast {
namespace {

int degree(const std::vector<int>& row) {
  return std::accumulate(row.begin(), row.end(), 0);
}

LinkId direct_link(const Topology& topology, DeviceId a, DeviceId b) {
  const LinkId nvlink = topology.find_link(a, b, LinkKind::nvlink);
  return nvlink != no_id ? nvlink : topology.find_link(a, b, LinkKind::xgmi);
}

Order natural_order(std::size_t n) {
  Order order(n);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<Order> both_directions(const std::vector<Order>& orders) {
  std::vector<Order> out;
  for (const Order& order : orders) {
    out.push_back(order);
    out.emplace_back(order.rbegin(), order.rend());
  }
  return out;
}

/// Rings over direct links alone; none if no cycle closes.
std::vector<Order> mesh_orders(const Capacity& capacity) {
  if (capacity.size() == 2) return std::vector<Order>(static_cast<std::size_t>(capacity[0][1]), Order{0, 1});
  constexpr int most = 16;  // NCCL's limit on channels in both directions together is 32
  const auto whole = edge_disjoint_cycles(capacity, most);
  Capacity doubled = capacity;
  bool regular = true;
  for (auto& row : doubled) {
    for (int& links : row) links *= 2;
    regular = regular && degree(row) == degree(doubled.front());
  }
  regular = regular && degree(doubled.back()) == degree(doubled.front());
  // Half-rate cycles that use up every link: 2 * degree / 2 of them.
  const int full = degree(capacity.front());
  if (regular && full > 2 * static_cast<int>(whole.size()) && full <= most) {
    auto half = edge_disjoint_cycles(doubled, full);
    if (static_cast<int>(half.size()) == full) return both_directions(half);
  }
  return both_directions(whole);
}

/// What a ring of this order could carry alone.
Bandwidth ring_rate(const Topology& topology, const std::vector<std::vector<Route>>& routes,
                    const Order& order) {
  std::map<LinkId, double> load;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto from = static_cast<std::size_t>(order[i]);
    const auto to = static_cast<std::size_t>(order[(i + 1) % order.size()]);
    for (const Hop& hop : routes[from][to].hops) load[hop.link] += hop.share;
  }
  Bandwidth rate{1e30};
  for (const auto& [link, share] : load) rate = std::min(rate, topology.bandwidth(link) / share);
  return rate;
}

/// Of all cyclic orders of a few GPUs the one that carries most, in both directions if links are left for it.
std::vector<Order> best_orders(Router& router, const std::vector<DeviceId>& gpus) {
  const std::size_t n = gpus.size();
  std::vector<std::vector<Route>> routes(n, std::vector<Route>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (i != j) routes[i][j] = router.route(gpus[i], gpus[j]);
    }
  }
  Order order = natural_order(n);
  Order best = order;
  Bandwidth best_rate{0};
  do {
    if (n > 2 && order[1] > order.back()) continue;  // the other direction of one seen before
    const Bandwidth rate = ring_rate(router.topology(), routes, order);
    if (rate > best_rate) {
      best_rate = rate;
      best = order;
    }
  } while (std::next_permutation(order.begin() + 1, order.end()));
  return {best};
}

}  // namespace

Capacity direct_links(const Topology& topology, const std::vector<DeviceId>& gpus) {
  Capacity capacity(gpus.size(), std::vector<int>(gpus.size(), 0));
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    for (std::size_t j = 0; j < gpus.size(); ++j) {
      const LinkId link = i == j ? no_id : direct_link(topology, gpus[i], gpus[j]);
      if (link != no_id) capacity[i][j] = topology.link(link).width;
    }
  }
  return capacity;
}

bool has_nvswitch(const Topology& topology, int node) {
  return !topology.devices_of(node, DeviceKind::nvswitch).empty();
}

namespace {

std::vector<Order> cyclic_orders(Router& router, const std::vector<DeviceId>& gpus,
                                 const Capacity& capacity) {
  const bool any = std::ranges::any_of(capacity, [](const auto& row) { return degree(row) > 0; });
  if (!any) return {natural_order(gpus.size())};
  return both_directions(best_orders(router, gpus));
}

/// The ring of this order with a relay where two GPUs share no link; none if some hop has no relay either.
/// Of several relays the one with the most links left.
std::optional<NodeRing> relayed(const Capacity& whole, Capacity& left, const Order& order) {
  const auto links = [&left](int i, int j) -> int& {
    return left[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  };
  NodeRing ring{order};
  // Direct hops take their links first.
  for (const bool direct : {true, false}) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      const int from = order[i], to = order[(i + 1) % order.size()];
      if ((whole[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)] > 0) != direct) continue;
      if (direct) {
        if (links(from, to)-- <= 0) return {};
        continue;
      }
      int best = -1, most = 0;
      for (const int through : order) {
        const int room = std::min(links(from, through), links(through, to));
        if (through != from && through != to && room > most) best = through, most = room;
      }
      if (best < 0) return {};
      --links(from, best), --links(best, to);
      ring.relays.push_back({i, best});
    }
  }
  return ring;
}

/// As many rings as fit together where some GPUs have to pass data through a third, as NCCL's search does
/// when no ring closes over direct links (PATH_NVB, src/graph/paths.cc and search.cc, since 2.8).
std::vector<NodeRing> relayed_rings(const Capacity& capacity) {
  std::vector<NodeRing> out;
  if (std::ranges::any_of(capacity, [](const auto& row) { return degree(row) == 0; })) return out;
  Capacity left = capacity;
  for (bool found = true; found;) {
    found = false;
    Order order = natural_order(capacity.size());
    do {
      Capacity tried = left;
      if (auto ring = relayed(capacity, tried, order)) {
        out.push_back(std::move(*ring));
        left = std::move(tried);
        found = true;
        break;
      }
    } while (std::next_permutation(order.begin() + 1, order.end()));
  }
  return out;
}

}  // namespace

std::vector<NodeRing> rings_of_node(Router& router, const std::vector<DeviceId>& gpus) {
  const Topology& topology = router.topology();
  const auto plain = [](std::vector<Order> orders) {
    std::vector<NodeRing> out;
    for (Order& order : orders) out.push_back({std::move(order)});
    return out;
  };
  constexpr std::size_t few = 8;  // (n-1)!/2 orders: 2520
  if (gpus.size() > few || has_nvswitch(topology, topology.device(gpus.front()).node))
    return plain({natural_order(gpus.size())});
  const Capacity capacity = direct_links(topology, gpus);
  if (auto orders = mesh_orders(capacity); !orders.empty()) return plain(std::move(orders));
  if (router.options().relay_through_gpus)
    if (auto rings = relayed_rings(capacity); !rings.empty()) return rings;
  return plain(cyclic_orders(router, gpus, capacity));
}

namespace {

/// GPUs (positions) that have `nic` among their nearest adapters.
std::vector<int> gpus_near(Router& router, const std::vector<DeviceId>& gpus, DeviceId nic) {
  std::vector<int> near;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const NearDevices nics = router.nearest_nics(gpus[i]);
    for (std::size_t k = 0; k < nics.size(); ++k)
      if (nics[k] == nic) near.push_back(static_cast<int>(i));
  }
  return near;
}

/// The natural order, turned so that it begins at one GPU near the adapter and, if another is next to that,
/// ends there. Every other adapter of the same GPUs takes it backwards: else one GPU would send for all of
/// them over its PCIe link.
Order turned_order(std::size_t n, const std::vector<int>& near, bool backwards) {
  Order order = natural_order(n);
  const int first = near.size() >= 2 && near[1] == near[0] + 1 ? near[1] : near[0];
  std::rotate(order.begin(), order.begin() + first, order.end());
  if (backwards && near.size() >= 2) std::ranges::reverse(order);
  return order;
}

/// Of paths from one GPU with an adapter of its own, those that end at the GPU before it, so that each
/// adapter also sends for one ring; all if there are none.
std::vector<Order> ending_before(std::vector<Order> paths, const std::vector<int>& near, std::size_t n) {
  if (near.size() != 1) return paths;
  const int last = static_cast<int>((static_cast<std::size_t>(near.front()) + n - 1) % n);
  std::vector<Order> out;
  std::ranges::copy_if(paths, std::back_inserter(out), [last](const Order& o) { return o.back() == last; });
  return out.empty() ? paths : out;
}

std::vector<Order> mesh_paths(const Capacity& capacity, const std::vector<int>& near) {
  std::vector<Order> paths;
  for (const int first : near) {
    for (int last = 0; last < static_cast<int>(capacity.size()); ++last) {
      const bool last_is_near = std::ranges::find(near, last) != near.end();
      if (last == first || (near.size() > 1 && !last_is_near)) continue;
      auto more = hamiltonian_paths(capacity, first, last, 400);
      std::ranges::move(more, std::back_inserter(paths));
    }
  }
  return paths;
}

struct Channel {
  DeviceId nic;
  std::vector<int> near;
};

/// One per adapter near a GPU; several where an adapter is faster than one direct link.
std::vector<Channel> channels_of(Router& router, const std::vector<DeviceId>& gpus,
                                 const Capacity& capacity) {
  const Topology& topology = router.topology();
  std::set<DeviceId> nics;
  for (const DeviceId gpu : gpus) {
    const NearDevices near = router.nearest_nics(gpu);
    for (std::size_t k = 0; k < near.size(); ++k) nics.insert(near[k]);
  }
  if (nics.empty()) throw Error{fmt::format("{} has no network adapter", topology.name(gpus.front()))};
  double link_rate = 0;
  for (std::size_t j = 0; j < gpus.size(); ++j) {
    if (capacity[0][j] > 0)
      link_rate = topology.class_of(direct_link(topology, gpus[0], gpus[j])).achievable.base();
  }
  std::vector<Channel> channels;
  for (const DeviceId nic : nics) {
    double nic_rate = 0;
    for (const LinkId id : topology.out(nic)) {
      if (topology.class_of(id).kind != LinkKind::pcie) nic_rate += topology.bandwidth(id).base();
    }
    const int copies =
        link_rate > 0 ? std::clamp(static_cast<int>(std::ceil(nic_rate / link_rate)), 1, 4) : 1;
    const Channel channel{nic, gpus_near(router, gpus, nic)};
    channels.insert(channels.end(), static_cast<std::size_t>(copies), channel);
  }
  return channels;
}

}  // namespace

std::vector<Passage> passages(Router& router, const std::vector<DeviceId>& gpus) {
  const Capacity capacity = direct_links(router.topology(), gpus);
  const auto channels = channels_of(router, gpus, capacity);
  std::vector<Order> orders;
  const bool mesh = gpus.size() <= 8 && gpus.size() > 1 && degree(capacity.front()) > 0;
  if (mesh) {
    std::vector<std::vector<Order>> candidates;
    for (const Channel& channel : channels)
      candidates.push_back(ending_before(mesh_paths(capacity, channel.near), channel.near, gpus.size()));
    orders = edge_disjoint_paths(capacity, candidates);
    // Too many channels for the links: each takes a path of its own all the same, and they share.
    const bool all = std::ranges::none_of(candidates, [](const auto& list) { return list.empty(); });
    if (orders.empty() && all) {
      for (std::size_t i = 0; i < candidates.size(); ++i)
        orders.push_back(candidates[i][i % candidates[i].size()]);
    }
  }
  std::set<DeviceId> nics;
  for (const Channel& channel : channels) nics.insert(channel.nic);
  std::vector<Passage> out;
  std::map<std::vector<int>, int> seen;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    Passage passage;
    const bool backwards = seen[channels[c].near]++ % 2 == 1;
    passage.order = orders.empty() ? turned_order(gpus.size(), channels[c].near, backwards) : orders[c];
    passage.entry_nic = channels[c].nic;
    // The last GPU uses the ring's adapter if it is near to it as well, else its own; where there are fewer
    // adapters than GPUs the ring's all the same, so that no adapter sends for two.
    const bool near = nics.size() < gpus.size() ||
                      std::ranges::find(channels[c].near, passage.order.back()) != channels[c].near.end();
    passage.exit_nic =
        near ? channels[c].nic : router.nearest_nic(gpus[static_cast<std::size_t>(passage.order.back())]);
    out.push_back(std::move(passage));
  }
  return out;
}

}  // namespace rackcast
