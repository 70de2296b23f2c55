#pragma once
/// The GPUs of one node as servers of a language model: how many share a copy, and what they take.
/// Private to scenarios/serving.
#include <memory>
#include <optional>
#include <string>

#include "models/serving/generation_service.hpp"
#include "models/serving/token_generation.hpp"
#include "scenarios/format/service_spec.hpp"
#include "scenarios/serving/known_servers.hpp"

namespace rackcast {

struct FrameworkProfile;
struct NodeSpec;
struct Workload;
class Catalog;
class GpuCostModel;

/// What a server of tokens is made from.
struct TokenServerParts {
  const Catalog& catalog;
  const NodeSpec& node;
  const Workload& network;
  const GpuCostModel& gpu;
  const FrameworkProfile& framework;
  KnownServers& known;  ///< of this kind of node and this network
};

/// Copies of the network on 1, 2, 4 ... GPUs of the node (or on `tensor`, where the service states it): of
/// those that memory holds, the one that keeps the limits at the highest rate per GPU, and where none keeps
/// them the one with the shortest time to a lone first token. A node has as many copies as fit its GPUs.
class TokenServer {
 public:
  /// `speed`: of the GPUs under a power cap, 1 without.
  TokenServer(const TokenServerParts& parts, const ServiceSpec& service, Precision precision, double speed,
              std::uint64_t seed);

  /// Why the node cannot serve, whatever the load; empty if it can. Where it cannot, every rate is 0.
  [[nodiscard]] const std::string& refused() const { return refused_; }
  /// It cannot because a copy is asked to take more GPUs than the node has.
  [[nodiscard]] bool too_few_gpus() const { return too_few_gpus_; }
  [[nodiscard]] int gpus_per_copy() const { return ways_; }
  [[nodiscard]] int most_in_flight() const { return most_in_flight_; }  ///< requests of a copy
  [[nodiscard]] Bytes memory() const { return memory_; }                ///< of a GPU with all places taken
  [[nodiscard]] double log_sigma() const { return log_sigma_; }
  [[nodiscard]] const TokenLimits& limits() const { return limits_; }
  /// From the client to the queue and back, with the passes that a request waits for beside the queue.
  [[nodiscard]] Duration beside_queue(Duration token) const {
    return habits_.arriving + habits_.passes_waited * token;
  }
  [[nodiscard]] ServingResult lone(double slower = 1) const;
  /// Of a copy that keeps so many requests in flight.
  [[nodiscard]] GenerationSteady steady(double requests) const { return steady_generation(load_, requests); }

  /// Rates are of one GPU of the node, on average; passes take `slower` times as long, and times to the first
  /// token are `first` times as long as their passes make them.
  [[nodiscard]] Frequency rate(double slower, double first = 1) const;
  [[nodiscard]] Frequency capacity() const;
  [[nodiscard]] ServingResult under(Frequency rate, double slower) const;

 private:
  [[nodiscard]] GenerationService service(double slower) const;
  [[nodiscard]] int copies() const { return node_gpus_ / ways_; }  ///< whole ones of a node
  void take(int ways, std::shared_ptr<KnownServer> server);
  [[nodiscard]] KnownServer::Load load_at(Frequency rate, double slower) const;
  [[nodiscard]] ServingResult simulated(const GenerationService& asked, double slower) const;

  TokenLimits limits_;
  double percentile_ = 0.99, first_percentile_ = 0.99, token_percentile_ = 0.99;
  double speed_ = 1;
  std::uint64_t seed_ = 1;
  std::string refused_;
  bool too_few_gpus_ = false;
  int node_gpus_ = 1, ways_ = 1, most_in_flight_ = 1;
  Bytes memory_{0};
  double log_sigma_ = 0;
  GenerationLoad load_;
  ServerHabits habits_;
  std::shared_ptr<KnownServer> known_;
};

}  // namespace rackcast
