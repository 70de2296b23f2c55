#include "models/step/crews.hpp"

#include <algorithm>

#include "models/collectives/cluster.hpp"

namespace rackcast {

std::vector<Crew> crews_of(const Cluster& cluster, const TrainingSpec& spec) {
  const ExchangeSpec& x = spec.exchange;
  const bool apart = x.strategy == ExchangeStrategy::parameter_server &&
                     x.servers.mode == ServerMode::asynchronous && cluster.ranks.size() > 1;
  const std::vector<NodePace> paces = node_paces(cluster, spec.stragglers);
  std::vector<Crew> out;
  for (const DeviceId gpu : cluster.ranks) {
    const int node = cluster.topology.device(gpu).node;
    const NodePace& pace = paces[static_cast<std::size_t>(node)];
    auto own = apart ? std::ranges::find(out, pace, &Crew::pace) : out.begin();
    if (own == out.end()) own = out.insert(out.end(), Crew{pace, {}});
    own->pace = {std::min(own->pace.compute, pace.compute), std::min(own->pace.network, pace.network)};
    own->ranks.push_back(gpu);
    if (own->nodes.empty() || own->nodes.back() != node) own->nodes.push_back(node);
  }
  if (out.size() == 1) out.front().nodes.clear();
  return out;
}

}  // namespace rackcast
