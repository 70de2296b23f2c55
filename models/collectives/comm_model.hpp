#pragma once
/// Which algorithm and protocol a communication library takes for a message of a given size, and what that
/// costs.
///
/// NCCL: of ring and double binary tree (and NVLS where there are NVSwitches of the third generation) with
/// the protocols Simple, LL and LL128 the one that is fastest by its own model (src/graph/tuning.cc: start +
/// steps * hop + size/bandwidth, with its constants of the version), trees over nodes as below. Inside a node
/// measured constants stand for NCCL's where there are any
/// (models/data/collectives/links.json); the choice follows NCCL's all the same where measured curves show
/// that it did (`chosen_by_library` there), else it is the fastest as measured.
///
/// A tree over several nodes is a pipeline: each hop passes the first chunk on when it has all of it. Filling
/// it takes, on top of the latencies,
///
///     sum over hops of wave/rate(hop) - wave/rate(slowest link),  wave = min(payload, channels * chunk)
///
/// with chunks as NCCL cuts them (src/enqueue.cc, calcCollChunking). It is why trees are slow between 100 kB
/// and 100 MB. Inside one node NCCL's own correction (treeCorrectionFactor) stands for it.
///
/// MPI, Gloo, sockets, gRPC: a list of algorithms by size, latency of a step, efficiency on the wire;
/// libraries that work in host memory copy the payload over PCIe before and after.
#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/collectives/collective.hpp"
#include "models/collectives/comm_data.hpp"
#include "models/collectives/layout.hpp"
#include "models/collectives/refinement.hpp"

namespace rackcast {

enum class NetworkStack { rdma, tcp };

struct CommSpec {
  std::string transport = "nccl";  ///< of models/data/collectives/transports.json
  std::string algorithm = "auto";  ///< or a name of collective_algorithms()
  std::string version = {};        ///< of NCCL, "2.7.8"; empty: the one current when the GPU came out
  NetworkStack stack = NetworkStack::rdma;
  bool in_network = true;  ///< NVLS where the hardware has it
  /// Of NCCL's all-reduce, reduce-scatter and all-gather, from a curve measured on such a machine.
  std::optional<CommRefinement> refined = {};
  friend std::partial_ordering operator<=>(const CommSpec&, const CommSpec&) = default;
};

class CommModel {
 public:
  /// The cluster must outlive the model. Throws Error for an unknown transport or algorithm, and (infeasible)
  /// for NCCL between GPUs that it does not run on.
  CommModel(const Cluster& cluster, const CommSpec& spec);
  CommModel(CommModel&&) noexcept;
  ~CommModel();

  /// The cheapest way that the library has for this payload. Valid until the next call.
  [[nodiscard]] const CollectivePlan& plan(Collective operation, Bytes payload);
  /// The time it takes if nobody else is on the links.
  [[nodiscard]] Duration time(Collective operation, Bytes payload);
  /// What bounds the part of the operation that takes longest: "infiniband", "pcie", "one core of the host".
  [[nodiscard]] std::string slowest_part(Collective operation, Bytes payload);
  [[nodiscard]] const LinkRates& rates() const;
  [[nodiscard]] const CommSpec& spec() const;
  /// Whether kernels on the GPU do the work. They take multiprocessors from the kernels of the network.
  [[nodiscard]] bool on_gpus() const;
  /// Bytes per second that one process of the library can copy, serialise and send, whatever the link.
  /// Nothing: no such limit.
  [[nodiscard]] std::optional<Bandwidth> stack_rate() const;
  /// Of one message between two ranks.
  [[nodiscard]] HopLatency step_latency() const;
  /// Standard deviation of ln(measured/modelled) for a payload, from models/data/collectives/spread.json:
  /// inside a node short messages, which wait for the library's start, are known less well. Default: a long
  /// one.
  [[nodiscard]] double log_sigma(std::optional<Bytes> payload = {}) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rackcast
