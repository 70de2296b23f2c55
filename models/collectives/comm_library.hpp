#pragma once
/// One communication library on one cluster: what its protocols cost there and which algorithm it takes, by
/// the release, the GPUs' architecture, their links and the transport. It is chosen from CommData once and
/// never changes. NCCL and RCCL, its fork for AMD's GPUs, have the same algorithms and protocols with numbers
/// of their own.
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "models/collectives/collective.hpp"
#include "models/collectives/comm_data.hpp"

namespace rackcast {

struct Cluster;
struct CommSpec;

/// What a protocol costs with an algorithm on a cluster.
struct ProtocolCost {
  HopLatency hop;
  double bandwidth_factor = 1;                                 ///< of the links' rate
  Bandwidth ceiling{std::numeric_limits<double>::infinity()};  ///< bus bandwidth
};

class CommLibrary {
 public:
  /// Throws Error for a transport that is not known. Of a GPU whose architecture names no library it holds
  /// the numbers of NCCL, which only a single GPU may ask for (CommModel).
  CommLibrary(const Cluster& cluster, const CommSpec& spec);

  [[nodiscard]] const Transport& transport() const { return transport_; }
  /// Whether it is NCCL or its fork: kernels of the GPU do the work.
  [[nodiscard]] bool on_gpus() const { return transport_.algorithms.front().algorithm == "nccl"; }
  [[nodiscard]] double network_efficiency() const;
  /// "pairwise", "ring", or for an all-reduce the one that was asked for or that the size calls for. Of
  /// libraries other than NCCL, which chooses by time.
  [[nodiscard]] std::string algorithm_for(Collective operation, Bytes payload) const;
  /// Of one message between two ranks.
  [[nodiscard]] HopLatency step_latency() const;
  /// Standard deviation of ln(measured/modelled) for a payload; nothing: a long one.
  [[nodiscard]] double log_sigma(std::optional<Bytes> payload) const;

  [[nodiscard]] double release() const { return release_; }
  /// Whether its rings pass data through a GPU between two that share no link (PATH_NVB, src/graph/paths.cc
  /// and search.cc: since 2.8, of 2020). Rings over five GPUs of the cube mesh close in no other way
  /// (topologies/nodes/rings.hpp).
  [[nodiscard]] bool relays() const { return release_ >= 2.08; }
  /// Nothing where the release or the GPU lacks it. `tree`: else ring.
  [[nodiscard]] std::optional<ProtocolCost> cost(Protocol protocol, bool tree) const;
  /// What NCCL's own model takes it for, by which it chooses (src/graph/tuning.cc), where the measured costs
  /// are known to be those of its choices (`chosen_by_library` of models/data/collectives/links.json); else
  /// as cost().
  [[nodiscard]] std::optional<ProtocolCost> believed(Protocol protocol, bool tree) const;
  /// Share of its bandwidth that a tree reaches at this size (NCCL's treeCorrectionFactor,
  /// src/graph/tuning.cc).
  [[nodiscard]] double tree_correction(Protocol protocol, Bytes payload) const;
  /// Factor on a ring's latency when chunks are large and nodes several.
  [[nodiscard]] double ring_plateau() const;
  [[nodiscard]] bool has_nvls() const { return nvls_; }
  [[nodiscard]] HopLatency nvls_latency() const;
  /// Bytes of payload that a pipelined algorithm has under way between two neighbours at most, all channels
  /// together: what a hop waits for before it passes the first of it on (NVIDIA NCCL, src/enqueue.cc,
  /// calcCollChunking).
  [[nodiscard]] Bytes first_wave(Protocol protocol, bool nvls, Bytes payload) const;
  /// What a hop between nodes is longer by for a message of this payload: a handshake of the fabric's
  /// software before what is too long to be sent without one. LL sends a flag with every word.
  [[nodiscard]] Duration handshake(Protocol protocol, Bytes message) const;
  /// Start and hop of a message from one GPU to another by NCCL.
  [[nodiscard]] HopLatency peer_latency() const;

 private:
  /// What is left of the fits of one node, without what systems without a fit add.
  [[nodiscard]] double fitted_sigma_in_node(std::optional<Bytes> payload) const;
  [[nodiscard]] HopLatency hop_of(const OwnTimes& times) const;
  [[nodiscard]] ProtocolCost own(Protocol protocol, bool tree) const;
  [[nodiscard]] bool has(Protocol protocol, bool tree) const;

  std::shared_ptr<const CommData> data_;  ///< what the pointers below point into
  const Transport& transport_;
  const LibraryNumbers& numbers_;
  const CommRelease* now_ = nullptr;    ///< of the run's release
  const CommRelease* usual_ = nullptr;  ///< of the measurements on the GPU's architecture
  const MeasuredLink* measured_ = nullptr;
  std::string algorithm_;                ///< "auto" or the one that was asked for
  std::optional<double> refined_sigma_;  ///< of a curve that was measured on such a machine
  std::string port_;                     ///< "infiniband/edr", empty: none
  Bandwidth port_rate_{0};               ///< of one port in one direction
  bool tcp_ = false;
  bool chosen_by_library_ = false;
  double believed_rate_ = 1;  ///< rate that NCCL takes a link for, over the one it reaches
  double release_ = 0;
  int nodes_ = 1, local_ = 1;
  int channels_ = 2;
  bool over_nvlink_ = false;
  int generation_ = 0;  ///< 0: before Volta, 1: Volta, 2: Ampere, 3: Hopper, 4: Blackwell
  bool nvls_ = false;
  bool network_ll128_ = true;  ///< NCCL trusts LL128 beyond a node
  bool simple_only_ = false;   ///< the fabric's plug-in turns LL and LL128 off
  NetworkSoftware network_;
};

}  // namespace rackcast
