#pragma once
/// The numbers of NCCL's own cost model, by version, and what was measured of its protocols by kind of link.
#include <optional>
#include <string>
#include <string_view>

#include "models/collectives/collective.hpp"

namespace rackcast {

struct Cluster;
class Json;

enum class Protocol { simple, ll, ll128 };
std::string_view to_string(Protocol);  ///< "Simple", "LL", "LL128"

/// What a protocol costs with an algorithm on a cluster.
struct ProtocolCost {
  HopLatency hop;
  double bandwidth_factor = 1;                                 ///< of the links' rate
  Bandwidth ceiling{std::numeric_limits<double>::infinity()};  ///< bus bandwidth
};

class NcclConstants {
 public:
  /// `version` as text; empty: the release that the GPU's architecture names.
  /// `links`: in place of models/data/collectives/links.json.
  NcclConstants(const Cluster& cluster, std::string_view version, const Json* links = nullptr);

  [[nodiscard]] double version() const { return version_; }
  /// Whether its rings pass data through a GPU between two that share no link (PATH_NVB, src/graph/paths.cc
  /// and search.cc: since 2.8, of 2020). Rings over five GPUs of the cube mesh close in no other way
  /// (topologies/rings.hpp).
  [[nodiscard]] bool relays() const { return version_ >= 2.08; }
  /// Nothing where the version or the GPU lacks it. `tree`: else ring.
  [[nodiscard]] std::optional<ProtocolCost> cost(Protocol protocol, bool tree) const;
  /// What NCCL's own model takes it for, by which it chooses (src/graph/tuning.cc), where the measured costs
  /// are known to be those of its choices (`chosen_by_library` of models/data/collectives/links.json); else
  /// as cost().
  [[nodiscard]] std::optional<ProtocolCost> believed(Protocol protocol, bool tree) const;
  /// Fitted share of the tree's bandwidth at this size (treeCorrectionFactor).
  [[nodiscard]] static double tree_correction(Protocol protocol, Bytes payload);
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
  /// Start and hop of a message from one GPU to another.
  [[nodiscard]] HopLatency peer_latency() const;

 private:
  [[nodiscard]] ProtocolCost own(Protocol protocol, bool tree, double version) const;
  [[nodiscard]] bool has(Protocol protocol, bool tree) const;

  const Json* links_;
  const Json* measured_ = nullptr;  ///< what was measured of the protocols on this kind of link
  bool chosen_by_library_ = false;
  double believed_rate_ = 1;                ///< rate that NCCL takes a link for, over the one it reaches
  double version_ = 0, usual_version_ = 0;  ///< of the run; of the measurements on the GPU's architecture
  int nodes_ = 1, local_ = 1;
  int channels_ = 2;
  std::string link_;      ///< "nvlink/nvlink2+nvswitch", "pcie"
  std::string hardware_;  ///< "nvlink" or "pcie"
  int generation_ = 0;    ///< 0: before Volta, 1: Volta, 2: Ampere, 3: Hopper, 4: Blackwell
  bool nvls_ = false;
  bool network_ll128_ = true;  ///< NCCL trusts LL128 beyond a node
  bool simple_only_ = false;   ///< the fabric's plug-in turns LL and LL128 off
  Duration network_step_{0};   ///< what this fabric's software adds to a hop between nodes
  Duration handshake_{0};      ///< and what it adds besides for messages above `eager_` on the wire
  Bytes eager_{0};
};

}  // namespace rackcast
