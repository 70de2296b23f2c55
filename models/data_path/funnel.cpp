#include "models/data_path/funnel.hpp"

#include <algorithm>
#include <map>

#include "models/collectives/cluster.hpp"
#include "models/step/data_parallel.hpp"

namespace rackcast {

namespace {

/// Storage, network, caches and cores of the node, the way to the GPU.
int place_of(const PlanResource& r) {
  if (r.is_input_only && r.name.starts_with("storage")) return 0;
  if (!r.is_input_only)
    return r.what == "InfiniBand" || r.what == "Ethernet" || r.what == "the fabric" ? 1 : 4;
  return r.name == "local SSD" ? 2 : 3;
}

}  // namespace

Funnel input_funnel(const Cluster& cluster, const TrainingSpec& spec, Frequency without_input) {
  std::map<std::pair<int, std::string>, double> narrowest;
  std::map<std::pair<int, std::string>, bool> of_input;
  std::vector<std::pair<int, std::string>> order;
  // Of all samples, whoever waits for whom.
  TrainingSpec together = spec;
  together.exchange.servers.mode = ServerMode::synchronous;
  for (const PlanResource& r : plan_data_parallel(cluster, together, {}).resources) {
    const double per_sample = r.use_by(input_pattern);
    if (per_sample <= 0) continue;
    const std::pair key{place_of(r), r.what};
    const double rate = r.capacity / per_sample;
    const auto [it, fresh] = narrowest.emplace(key, rate);
    if (fresh) order.push_back(key);
    of_input[key] = r.is_input_only;
    it->second = std::min(it->second, rate);
  }
  std::ranges::stable_sort(order, {}, &std::pair<int, std::string>::first);
  Funnel funnel;
  for (const auto& key : order)
    funnel.stages.push_back({key.second, Frequency{narrowest.at(key)}, of_input.at(key), {}, {}});
  funnel.stages.push_back({"GPU compute", without_input, false, {}, {}});
  const auto rate = [&](std::size_t i) {
    return funnel.stages[i].rate;
  };
  for (std::size_t i = 0; i < funnel.stages.size(); ++i)
    if (rate(i) < rate(funnel.binds)) funnel.binds = i;
  funnel.next = funnel.binds == 0 && funnel.stages.size() > 1 ? 1 : 0;
  for (std::size_t i = 0; i < funnel.stages.size(); ++i)
    if (i != funnel.binds && rate(i) < rate(funnel.next)) funnel.next = i;
  return funnel;
}

}  // namespace rackcast
