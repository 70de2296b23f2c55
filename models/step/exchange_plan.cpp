#include "models/step/exchange_plan.hpp"

#include <utility>

#include "models/collectives/cluster.hpp"
#include "models/exchange/compression.hpp"

namespace rackcast {

int PatternBook::add(Pattern pattern) {
  Links links;
  for (const auto& [loads, factor] : pattern.links) links.emplace_back(loads.get(), factor);
  const auto [it, fresh] =
      numbers_.emplace(std::pair{std::move(links), pattern.servers}, static_cast<int>(patterns_.size()) + 1);
  if (fresh) patterns_.push_back(std::move(pattern));
  return it->second;
}

namespace {

/// One stage of collectives that several groups of ranks do at once: the loads add up, and the stage is over
/// when the last group is.
struct JointStage {
  PatternBook::Pattern pattern;
  double scale = 0;  ///< of the first group
  Bandwidth ceiling{0};
  Duration latency{0};
};

void join(std::vector<JointStage>& joint, const CollectivePlan& plan) {
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    const CollectiveStage& stage = plan.stages[i];
    if (i == joint.size()) joint.push_back({{}, stage.scale, stage.ceiling, stage.latency});
    JointStage& to = joint[i];
    to.pattern.links.emplace_back(stage.pattern, stage.scale / to.scale);
    to.ceiling = std::min(to.ceiling, stage.ceiling * (to.scale / stage.scale));
    to.latency = std::max(to.latency, stage.latency);
  }
}

std::vector<FlowStage> flow_of(const std::vector<JointStage>& joint, Bytes payload, Duration before,
                               PatternBook& book) {
  std::vector<FlowStage> flow;
  for (const JointStage& stage : joint)
    flow.push_back({book.add(stage.pattern), stage.scale * payload.base(), stage.scale * stage.ceiling.base(),
                    stage.latency});
  if (!flow.empty()) flow.front().latency += before;
  return flow;
}

}  // namespace

ExchangeFlows all_reduce_flows(const Cluster& cluster, const TrainingSpec& spec,
                               std::span<const GradientBucket> buckets, PatternBook& book) {
  const ExchangeSpec& x = spec.exchange;
  CommModel comm{cluster, x.comm};
  ExchangeFlows out;
  out.on_gpus = comm.on_gpus();
  out.log_sigma = comm.log_sigma();
  const int ranks = static_cast<int>(cluster.ranks.size()), replicas = replicas_of_shards(x, ranks);
  const Compression& packed = compression(x.compression);
  const auto payload = [&](const GradientBucket& b) {
    return reduced_bytes(packed, b.shards ? replicas : ranks, b.parameters, b.gradients);
  };
  std::vector<std::vector<JointStage>> stages(buckets.size());
  bool shards = false;
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    shards = shards || buckets[b].shards;
    if (ranks > 1 && !buckets[b].shards)
      join(stages[b], comm.plan(Collective::all_reduce, payload(buckets[b])));
  }
  for (int shard = 0; shards && shard < x.ways; ++shard) {
    const Cluster group = every_nth_rank(cluster, shard, x.ways);
    CommModel among{group, x.comm};
    for (std::size_t b = 0; b < buckets.size(); ++b)
      if (buckets[b].shards) join(stages[b], among.plan(Collective::all_reduce, payload(buckets[b])));
  }
  for (std::size_t b = 0; b < buckets.size(); ++b)
    out.exchanges.push_back({static_cast<int>(b),
                             flow_of(stages[b], payload(buckets[b]), x.per_bucket + buckets[b].delay, book)});
  return out;
}

}  // namespace rackcast
