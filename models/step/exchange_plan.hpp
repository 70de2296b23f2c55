#pragma once
/// The stages that a bucket of gradients goes through, for each strategy; private to data_parallel.
#include <map>
#include <memory>
#include <vector>

#include "models/collectives/comm_model.hpp"
#include "models/step/crews.hpp"
#include "models/step/data_parallel.hpp"

namespace rackcast {

/// Patterns by their loads, and what they take of things that are no links.
class PatternBook {
 public:
  struct Pattern {
    /// Added up: collectives of several groups of ranks that go on at once, each with a factor on its bytes.
    std::vector<std::pair<std::shared_ptr<const LinkPattern>, double>> links;
    /// Bytes per byte that a server adds (twice its number) and that its network stack copies (the next).
    std::vector<std::pair<int, double>> servers;
  };
  /// The number of the pattern, from 1; the same for the same loads.
  int add(Pattern pattern);
  int add(const std::shared_ptr<const LinkPattern>& links) { return add(Pattern{{{links, 1}}, {}}); }
  [[nodiscard]] const std::vector<Pattern>& patterns() const { return patterns_; }

 private:
  std::vector<Pattern> patterns_;
  using Links = std::vector<std::pair<const void*, double>>;
  std::map<std::pair<Links, std::vector<std::pair<int, double>>>, int> numbers_;
};

struct ExchangeFlows {
  std::vector<Exchange> exchanges;
  int streams = 1;
  int servers = 0;
  std::optional<Bandwidth> stack_rate = {};  ///< of one server's network stack
  bool on_gpus = false;
  double log_sigma = 0;
};

/// Buckets of shards are summed among the replicas of each shard, all shards at once: ranks are numbered
/// shard by shard, so the ranks of one group lie `ways` apart.
ExchangeFlows all_reduce_flows(const Cluster& cluster, const TrainingSpec& spec,
                               std::span<const GradientBucket> buckets, PatternBook& book);
/// Of what one crew sends to the servers and gets back.
ExchangeFlows server_flows(const Cluster& cluster, const TrainingSpec& spec, const Crew& crew,
                           std::span<const GradientBucket> buckets, PatternBook& book);

}  // namespace rackcast
