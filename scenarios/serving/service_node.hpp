#pragma once
/// One kind of node in one precision as a server: what it takes within the latency, and what limits it.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/gpu/model_library.hpp"
#include "models/gpu/precision_support.hpp"
#include "models/networks/workload.hpp"
#include "models/serving/serving.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/limits/limits.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {

class GpuCostModel;
class KnownServers;
class Ledger;
class TokenServer;
struct FrameworkProfile;

/// Requests per second that one part of a node takes.
struct ServiceLimit {
  std::string name;  ///< "GPUs within the latency", or the title of the limit
  Frequency rate{0};
  Limit limit = Limit::latency;
};

/// A limit on time: Limit::latency, first_token or token_time.
struct ServiceTarget {
  Limit kind = Limit::latency;
  Duration limit{0}, reached{0};
  double percentile = 0.99;  ///< of the requests, as a share

  [[nodiscard]] std::string_view name() const { return kind_of(kind).title; }
};

class ServiceNode {
 public:
  /// Throws Error at the scenario's place for names that nobody knows and a power cap that cannot be.
  /// `known`: of a node of the same kind for the same network, with the same kernels. Service, precision,
  /// power cap and seed may differ.
  ServiceNode(const Catalog& catalog, const GpuModelLibrary& kernels, const Scenario& scenario,
              const ClusterSpec& cluster, Precision precision, Ledger& ledger,
              std::shared_ptr<KnownServers> known = {});

  [[nodiscard]] const NodeSpec& node() const { return node_; }
  [[nodiscard]] const std::string& title() const { return title_; }
  [[nodiscard]] Precision precision() const { return precision_; }
  /// Why it cannot serve at all, whatever the number of nodes; empty if it can.
  [[nodiscard]] const std::string& refused() const { return refused_; }
  /// Set where that is because the GPU does not support the precision.
  [[nodiscard]] const std::optional<PrecisionRefusal>& unsupported() const { return unsupported_; }
  [[nodiscard]] Bytes memory() const { return memory_; }
  [[nodiscard]] Duration single() const;  ///< a lone request
  /// Token by token; null where a request is answered in one pass.
  [[nodiscard]] const TokenServer* tokens() const { return tokens_.get(); }
  /// What it has been asked, for nodes like it.
  [[nodiscard]] const std::shared_ptr<KnownServers>& known() const { return known_; }
  [[nodiscard]] Duration decode() const { return decode_; }
  [[nodiscard]] double log_sigma() const { return log_sigma_; }
  /// Spread of ln(time to the first token) beside that of the passes; 0 where no limit is about it.
  [[nodiscard]] double first_log_sigma() const;
  [[nodiscard]] double first_token_spread() const;  ///< the same whatever the limits; 0 for one pass
  /// Of one GPU with batches of this size. Throws Error at `place` where the service takes no such batch.
  [[nodiscard]] Frequency batch_rate(int batch, const Where& place) const;

  /// All limits of one node if each pass takes `slower` times as long; the first is that of the GPUs.
  [[nodiscard]] std::vector<ServiceLimit> limits(double slower = 1) const;
  /// The highest rate of one GPU within the latency; 0 if a lone request takes longer.
  /// Times to the first token are `first` times as long as their passes make them.
  [[nodiscard]] Frequency gpu_rate(double slower = 1, double first = 1) const;
  /// The same within another latency of the GPU's part, decoding not included.
  [[nodiscard]] Frequency gpu_rate_within(Duration latency) const;
  [[nodiscard]] std::optional<Frequency> decode_rate() const { return decode_rate_; }    ///< of the node
  [[nodiscard]] std::optional<Frequency> network_rate() const { return network_rate_; }  ///< of the node
  [[nodiscard]] Frequency gpu_capacity() const;  ///< whatever the latency
  /// One GPU under `rate`, its latencies with decoding.
  [[nodiscard]] ServingResult under(Frequency rate, double slower = 1) const;
  /// Each limit of the service on time, with what requests take; the first is that of the report's charts.
  [[nodiscard]] std::vector<ServiceTarget> targets(const ServingResult& result) const;
  /// The limit that the result breaks by the largest factor; nothing if it keeps all.
  [[nodiscard]] std::optional<ServiceTarget> broken(const ServingResult& result) const;
  /// The limit that even a lone request breaks.
  [[nodiscard]] std::optional<ServiceTarget> broken_alone() const;
  /// Do `nodes` take this load, spread evenly, within the latency and every other limit?
  [[nodiscard]] bool holds(Frequency load, int nodes, double slower = 1) const;
  /// The largest factor on the times to the first token with which `nodes` take this load within every limit;
  /// 0 where a limit is broken whatever the first tokens take, infinite where no limit is about them.
  [[nodiscard]] double first_token_room(Frequency load, int nodes, double slower) const;

 private:
  [[nodiscard]] ServingSpec spec(double slower) const;
  /// Are decoding and network of a node enough for `each` requests per second?
  [[nodiscard]] bool host_takes(Frequency each) const;
  void prepare_passes(const Workload& network, const GpuCostModel& gpu, const FrameworkProfile& framework,
                      double speed);
  void prepare_decoding();

  /// Takes what the owner of the scenario measured into its times and their spread.
  void learn(const Catalog& catalog, const GpuModelLibrary& kernels, const Scenario& scenario,
             const std::function<void(double speed)>& with_speed);

  ServiceSpec service_;
  NodeSpec node_;
  std::string title_, refused_;
  Precision precision_;
  std::optional<PrecisionRefusal> unsupported_;
  std::uint64_t seed_;
  std::vector<Duration> batch_time_;  ///< of one pass; empty for tokens
  std::shared_ptr<KnownServers> known_;
  std::shared_ptr<const TokenServer> tokens_;  ///< null for one pass
  Bytes memory_{0};
  Duration decode_{0};  ///< of one record on one core
  std::optional<Frequency> decode_rate_, network_rate_;
  double log_sigma_ = 0;
};

}  // namespace rackcast
