#pragma once
/// The stages that a bucket of gradients goes through, for each strategy; private to data_parallel.
#include <map>
#include <memory>
#include <vector>

#include "models/collectives/comm_model.hpp"
#include "models/data_parallel.hpp"

namespace rackcast {

/// Patterns by their loads, and what they take of things that are no links.
class PatternBook {
 public:
  struct Pattern {
    std::shared_ptr<const LinkPattern> links;
    /// Bytes per byte that a server adds (twice its number) and that its network stack copies (the next).
    std::vector<std::pair<int, double>> servers;
  };
  /// The number of the pattern, from 1; the same for the same loads.
  int add(const std::shared_ptr<const LinkPattern>& links,
          const std::vector<std::pair<int, double>>& servers = {});
  [[nodiscard]] const std::vector<Pattern>& patterns() const { return patterns_; }

 private:
  std::vector<Pattern> patterns_;
  std::map<std::pair<const void*, std::vector<std::pair<int, double>>>, int> numbers_;
};

struct ExchangeFlows {
  std::vector<Exchange> exchanges;
  int streams = 1;
  int servers = 0;
  std::optional<Bandwidth> stack_rate = {};  ///< of one server's network stack
  bool on_gpus = false;
  double log_sigma = 0;
};

ExchangeFlows all_reduce_flows(CommModel& comm, const TrainingSpec& spec, int ranks,
                               std::span<const GradientBucket> buckets, PatternBook& book);
ExchangeFlows server_flows(const Cluster& cluster, const TrainingSpec& spec,
                           std::span<const GradientBucket> buckets, PatternBook& book);

}  // namespace rackcast
