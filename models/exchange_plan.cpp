#include "models/exchange_plan.hpp"

#include "models/cluster.hpp"
#include "models/compression.hpp"

namespace rackcast {

int PatternBook::add(const std::shared_ptr<const LinkPattern>& links,
                     const std::vector<std::pair<int, double>>& servers) {
  const auto [it, fresh] = numbers_.emplace(std::pair{static_cast<const void*>(links.get()), servers},
                                            static_cast<int>(patterns_.size()) + 1);
  if (fresh) patterns_.push_back({links, servers});
  return it->second;
}

ExchangeFlows all_reduce_flows(CommModel& comm, const TrainingSpec& spec, int ranks,
                               std::span<const GradientBucket> buckets, PatternBook& book) {
  ExchangeFlows out;
  out.on_gpus = comm.on_gpus();
  out.log_sigma = comm.log_sigma();
  const double wire = wire_bytes_per_byte(compression(spec.exchange.compression), ranks);
  for (const GradientBucket& bucket : buckets) {
    out.exchanges.push_back({static_cast<int>(&bucket - buckets.data()), {}});
    std::vector<FlowStage>& flow = out.exchanges.back().stages;
    if (ranks < 2) continue;
    const Bytes payload = wire * bucket.gradients;
    for (const CollectiveStage& stage : comm.plan(Collective::all_reduce, payload).stages) {
      flow.push_back({book.add(stage.pattern), stage.scale * payload.base(),
                      stage.scale * stage.ceiling.base(), stage.latency});
    }
    if (!flow.empty()) flow.front().latency += spec.exchange.per_bucket + bucket.delay;
  }
  return out;
}

}  // namespace rackcast
