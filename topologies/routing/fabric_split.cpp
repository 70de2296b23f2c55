#include <algorithm>
#include <utility>

#include "topologies/routing/fabric_paths.hpp"

namespace rackcast {
namespace {

/// Hops of spreads kept before all are forgotten: 64 MB.
constexpr std::size_t most_spread_hops = 4'000'000;

}  // namespace

bool FabricPaths::step(std::map<DeviceId, double>& front, DeviceId to, const Distances& distances,
                       Spread& out) {
  std::map<DeviceId, double> further;
  Duration slowest{0};
  for (const auto& [device, flow] : front) {
    const auto& next = next_links(device, to, distances);
    if (next.empty()) return false;
    Bandwidth total{0};
    for (const Port& port : next) total += topology_.bandwidth(port.link);
    for (const Port& port : next) {
      const double share = flow * (topology_.bandwidth(port.link) / total);
      out.hops.push_back({port.link, share});
      further[port.other] += share;
      slowest = std::max(slowest, topology_.latency(port.link));
    }
  }
  out.stages.push_back(slowest);
  front = std::move(further);
  return true;
}

const FabricPaths::Spread* FabricPaths::spread_between(DeviceId first, DeviceId last, DeviceId to,
                                                       const Distances& distances) {
  const auto key = static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint32_t>(last);
  if (const auto known = spreads_.find(key); known != spreads_.end()) return &known->second;
  Spread out;
  std::map<DeviceId, double> front{{first, 1.0}};
  while (!(front.size() == 1 && front.begin()->first == last))
    if (!step(front, to, distances, out)) return nullptr;
  out.arrives = front.begin()->second;
  if (spread_hops_ + out.hops.size() > most_spread_hops) {
    spreads_.clear();
    spread_hops_ = 0;
  }
  spread_hops_ += out.hops.size();
  return &spreads_.emplace(key, std::move(out)).first->second;
}

Duration FabricPaths::split(DeviceId from, DeviceId to, std::vector<Hop>& hops) {
  const Distances distances = search_to(to, from);
  const Port first = only_port(from), last = only_port(to);
  std::map<DeviceId, double> front{{from, 1.0}};
  Spread ends;
  Duration latency{0};
  if (first.link != no_id && last.link != no_id) {
    const Spread* middle = spread_between(first.other, last.other, to, distances);
    if (!middle) return {};
    hops.push_back({first.link, 1});
    hops.insert(hops.end(), middle->hops.begin(), middle->hops.end());
    latency += topology_.latency(first.link);
    for (const Duration stage : middle->stages) latency += stage;
    front = {{last.other, middle->arrives}};
  }
  while (!(front.size() == 1 && front.begin()->first == to)) {
    if (!step(front, to, distances, ends)) {
      hops.clear();
      return {};
    }
  }
  hops.insert(hops.end(), ends.hops.begin(), ends.hops.end());
  for (const Duration stage : ends.stages) latency += stage;
  return latency;
}

}  // namespace rackcast
