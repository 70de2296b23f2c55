#pragma once
/// Data of communication libraries (models/data/collectives) as types: latencies, protocols, thresholds. They
/// are read once, never change, and travel with the cluster (Cluster::comm) to all code that computes times
/// of messages. CommLibrary (models/collectives/comm_library.hpp) takes from it what one library does on one
/// cluster.
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/units/quantity.hpp"

namespace rackcast {

class Json;

enum class Protocol { simple, ll, ll128 };
constexpr std::array all_protocols{Protocol::simple, Protocol::ll, Protocol::ll128};
std::string_view to_string(Protocol);  ///< "Simple", "LL", "LL128"

/// What takes part in a collective: GPUs, or for libraries that know nothing of GPUs the CPUs next to them.
enum class Endpoints { gpus, hosts };

/// One entry for each protocol of a ring, then of a tree.
template <class T>
using ByAlgorithm = std::array<std::array<T, all_protocols.size()>, 2>;

/// NCCL's own numbers for a protocol: start of the operation, and a hop by what it goes over.
struct OwnTimes {
  Duration start{0}, nvlink{0}, pcie{0}, net{0};
  double bandwidth_factor = 1;
};

struct CommRelease {
  double from = 0;           ///< first release with these numbers: 2.07 of "2.7"
  std::string architecture;  ///< they are of its GPUs alone; empty: of all
  Bandwidth nvlink2{0};      ///< rate that the library assumes for a link of Volta; 0: not stated
  ByAlgorithm<std::optional<OwnTimes>> times;  ///< nothing: the library lacks the protocol
};

/// Bus bandwidth at most with LL, from this compute capability on.
struct LlCeiling {
  double from = 0;
  std::array<Bandwidth, 3> by_nodes;  ///< one, two, more
};

/// NCCL, or its fork for the GPUs of another maker: the same algorithms and protocols with other numbers
/// (models/data/collectives/nccl.json, rccl.json).
struct LibraryNumbers {
  std::vector<CommRelease> releases;  ///< those of single architectures follow the general ones
  std::vector<LlCeiling> ll_ceilings;
  std::array<double, 2> ring_plateau{1, 1};  ///< before Ampere, since
  Bytes smallest_correction{0};  ///< payload of the first factor; each next one is of twice as much
  std::array<std::vector<double>, all_protocols.size()> tree_correction;
  std::optional<std::array<double, 2>> log_sigma;  ///< in one node, over several; nothing: by the links
};

/// Times measured inside a node; they replace the numbers in the library's source.
struct MeasuredProtocol {
  Duration start{0};
  std::optional<Duration> hop = {};  ///< nothing: the library's own
  double factor = 1;                 ///< of the links' rate; LL has the library's own
};

struct MeasuredLink {
  std::array<std::optional<MeasuredProtocol>, all_protocols.size()> protocols;
  std::optional<Duration> nvls_start;
  bool chosen_by_library = false;  ///< the measured curves change protocol where the library's own model does
};

/// Time that the software of a fabric adds to a hop between nodes.
struct NetworkSoftware {
  Duration step{0};
  /// The same for the hops of a ring, where it was measured apart.
  std::optional<Duration> ring_step = {};
  Duration handshake{0};  ///< besides, for messages above `eager` on the wire
  Bytes eager{0};
};

using ByLink = std::map<std::string, double, std::less<>>;

/// models/data/collectives/links.json, by name of a link ("nvlink/nvlink2+nvswitch").
struct LinkNumbers {
  ByLink efficiency;  ///< rate of long collectives over the links' raw one
  /// Bytes that the ends of a collective cost beside those on the links, for each byte of payload and at the
  /// links' rate: kernels copy between the buffers of the user and of the library. Absent: 0.
  ByLink ends;
  ByLink nvls;  ///< share of that rate which the switches' adders and multicast keep up with
  std::map<std::string, MeasuredLink, std::less<>> measured;
  std::map<std::string, NetworkSoftware, std::less<>> network;
  std::vector<std::string> simple_only;  ///< fabrics whose plug-in turns LL and LL128 off
  double host_bridge_overhead = 1;
};

/// The algorithm for payloads of `size` and more.
struct BySize {
  std::string algorithm;
  Bytes size{0};
};

/// models/data/collectives/transports.json
struct Transport {
  Endpoints endpoints = Endpoints::gpus;
  bool staged = false;  ///< through host memory
  double network_efficiency = 1, tcp_efficiency = 1;
  Duration intra{0}, inter{0}, tcp{0};
  std::optional<Bandwidth> host_reduce, stack_rate;
  /// What the one thread that copies for a port's sockets carries in one direction, whatever the port's rate.
  std::optional<Bandwidth> tcp_stream;
  /// How often one core goes over the payload, at `host_reduce`, before and after the exchange: pages of new
  /// memory, copies to memory that is not pinned.
  double passes_before = 0, passes_after = 0;
  /// How often one core copies each byte that it gets from a rank of its node or gives to one.
  double copies_in_node = 0;
  std::vector<BySize> algorithms;
};

/// Standard deviations of ln(measured/modelled time) of an all-reduce (models/data/collectives/spread.json).
struct CommSpread {
  double one_node = 0, several_nodes = 0, other_library = 0;
  std::vector<std::pair<Bytes, double>> one_node_short;  ///< of payloads below the size
  ByLink by_link;                                        ///< over several nodes on such a network
};

struct CommData {
  std::map<std::string, LibraryNumbers, std::less<>> libraries;  ///< "nccl", "rccl"
  std::map<std::string, Transport, std::less<>> transports;
  LinkNumbers links;
  CommSpread spread;
};

/// The data inside the program. Each call parses them again, so callers keep the result.
std::shared_ptr<const CommData> shipped_comm_data();
/// A document in the form of links.json. Throws Error at the place of what is missing.
LinkNumbers read_links(const Json& file);

/// Names, for lists and error hints.
std::vector<std::string> comm_transports();

/// "2.7.8-1" -> 2.07, "2.12" -> 2.12, "" -> 0.
double release_number(std::string_view text);

}  // namespace rackcast
