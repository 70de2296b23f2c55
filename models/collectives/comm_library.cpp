#include "models/collectives/comm_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "models/collectives/cluster.hpp"
#include "models/collectives/comm_model.hpp"
#include "models/mechanism_spread.hpp"
#include "sim/base/error.hpp"
#include "topologies/nodes/node_matrix.hpp"

namespace rackcast {
namespace {

const Transport& find_transport(const CommData& data, const std::string& name) {
  const auto found = data.transports.find(name);
  if (found != data.transports.end()) return found->second;
  throw Error{fmt::format("there is no transport \"{}\" for collectives", name),
              {},
              fmt::format("known: {}", fmt::join(comm_transports(), ", "))};
}

/// GPUs without a library are refused where several work together; one GPU needs none.
const LibraryNumbers& numbers_of(const CommData& data, const std::string& library) {
  const auto found = data.libraries.find(library);
  return found != data.libraries.end() ? found->second : data.libraries.at("nccl");
}

/// The last entry that fits: those of single architectures follow the general ones.
const CommRelease* release_of(const LibraryNumbers& numbers, double version, std::string_view architecture) {
  const CommRelease* best = nullptr;
  for (const CommRelease& entry : numbers.releases) {
    if (!entry.architecture.empty() && entry.architecture != architecture) continue;
    if (!best || entry.from <= version + 1e-9) best = &entry;
  }
  return best;
}

std::string link_name(const Cluster& cluster) {
  const NodeSpec& node = cluster.node;
  if (!node.gpu_link || cluster.local_ranks() < 2) return "pcie";
  return node.gpu_link->id + (node.nvswitches > 0 ? "+nvswitch" : "");
}

}  // namespace

CommLibrary::CommLibrary(const Cluster& cluster, const CommSpec& spec)
    : data_{cluster.comm},
      transport_{find_transport(*data_, spec.transport)},
      numbers_{numbers_of(*data_, cluster.node.gpu.line.collective_library)},
      algorithm_{spec.algorithm},
      port_{cluster.node.nic_link ? cluster.node.nic_link->id : ""},
      port_rate_{cluster.node.nic_link ? cluster.node.nic_link->achievable.value : Bandwidth{0}},
      tcp_{spec.stack == NetworkStack::tcp},
      nodes_{cluster.used_nodes()},
      local_{cluster.local_ranks()} {
  const ArchitectureSpec& line = cluster.node.gpu.line;
  if (spec.refined) refined_sigma_ = spec.refined->log_sigma;
  // How many of the generations that NCCL tells apart by compute capability (src/graph/tuning.cc, minCompCap)
  // have begun.
  generation_ = static_cast<int>(std::ranges::count_if(
      numbers_.ll_ceilings, [&](const LlCeiling& one) { return line.compute_capability >= one.from; }));
  const double usual = release_number(line.collective_release);
  release_ = release_number(spec.version);
  if (release_ == 0) release_ = usual;
  now_ = release_of(numbers_, release_, line.name);
  usual_ = release_of(numbers_, usual, line.name);
  // Every ring that was found is used by two channels; 32 are the most (src/graph/connect.cc).
  const std::size_t rings =
      relays() && !cluster.relayed_rings.empty() ? cluster.relayed_rings.size() : cluster.rings.size();
  channels_ = std::clamp(2 * static_cast<int>(rings), 2, 32);
  // "4 compute channels per search channel to reach peak BW on <8 PPN" (the same file, Hopper and later).
  if (generation_ >= 3 && nodes_ > 1 && channels_ < 16) channels_ *= 2;
  const LinkNumbers& links = data_->links;
  if (nodes_ > 1) {
    if (const auto found = links.network.find(port_); found != links.network.end()) network_ = found->second;
    simple_only_ = std::ranges::count(links.simple_only, port_) > 0;
  }
  // Its lines of 128 bytes must arrive whole: NCCL takes LL128 over a network only where adapter and GPU meet
  // below the CPU (src/graph/tuning.cc, typeInter <= PATH_PXB). What later versions allow over NVLink to the
  // CPU (NCCL_LL128_C2C) is not modelled.
  network_ll128_ = nodes_ < 2 || adapter_beside_gpu(cluster.topology);
  const std::string link = link_name(cluster);
  over_nvlink_ = link != "pcie";
  if (const auto found = links.measured.find(link); found != links.measured.end()) measured_ = &found->second;
  chosen_by_library_ = nodes_ == 1 && measured_ && measured_->chosen_by_library;
  if (chosen_by_library_)
    believed_rate_ = now_->nvlink2 / (cluster.node.gpu_link->raw.value * links.efficiency.at(link));
  nvls_ = cluster.node.nvswitches > 0 && generation_ >= 3 && release_ >= 2.17 && local_ > 4;
}

double CommLibrary::network_efficiency() const {
  if (!tcp_) return transport_.network_efficiency;
  const bool bound = transport_.tcp_stream && port_rate_ > Bandwidth{0};
  const double streams = bound ? *transport_.tcp_stream / port_rate_ : 1;
  return std::min(transport_.tcp_efficiency, streams);
}

std::string CommLibrary::algorithm_for(Collective operation, Bytes payload) const {
  if (operation == Collective::all_to_all) return "pairwise";
  if (operation != Collective::all_reduce) return "ring";
  if (algorithm_ != "auto") return algorithm_;
  const BySize* best = &transport_.algorithms.front();
  for (const BySize& entry : transport_.algorithms)
    if (payload >= entry.size) best = &entry;
  return best->algorithm;
}

HopLatency CommLibrary::step_latency() const {
  HopLatency hop{transport_.intra, transport_.intra, transport_.inter};
  if (on_gpus()) hop = peer_latency();
  if (tcp_) hop.inter = transport_.tcp;
  return hop;
}

double CommLibrary::log_sigma(std::optional<Bytes> payload) const {
  const CommSpread& spread = data_->spread;
  if (!on_gpus()) return spread.other_library;
  if (refined_sigma_) return *refined_sigma_;
  if (numbers_.log_sigma) return (*numbers_.log_sigma)[nodes_ > 1 ? 1 : 0];
  if (nodes_ > 1) {
    const auto own = spread.by_link.find(port_);
    return own != spread.by_link.end() ? own->second : spread.several_nodes;
  }
  return std::hypot(fitted_sigma_in_node(payload), mechanism_log_sigma(Mechanism::collective_in_node));
}

double CommLibrary::fitted_sigma_in_node(std::optional<Bytes> payload) const {
  for (const auto& [below, sigma] : data_->spread.one_node_short)
    if (payload && *payload < below) return sigma;
  return data_->spread.one_node;
}

bool CommLibrary::has(Protocol protocol, bool tree) const {
  if (!now_->times[tree][static_cast<std::size_t>(protocol)]) return false;
  if (simple_only_ && protocol != Protocol::simple) return false;
  // LL came with 2.1, trees with 2.4, LL128 with 2.5; LL128 needs the 128-byte stores of Volta over NVLink.
  if (protocol == Protocol::ll && release_ < 2.01) return false;
  if (tree && release_ < 2.04) return false;
  return protocol != Protocol::ll128 ||
         (release_ >= 2.05 && generation_ >= 1 && over_nvlink_ && network_ll128_);
}

HopLatency CommLibrary::hop_of(const OwnTimes& times) const {
  return {times.start, over_nvlink_ ? times.nvlink : times.pcie, times.net + network_.step};
}

ProtocolCost CommLibrary::own(Protocol protocol, bool tree) const {
  const OwnTimes& times = *now_->times[tree][static_cast<std::size_t>(protocol)];
  ProtocolCost out;
  out.hop = hop_of(times);
  if (!tree && network_.ring_step) out.hop.inter = times.net + *network_.ring_step;
  out.bandwidth_factor = times.bandwidth_factor;
  if (protocol == Protocol::ll && generation_ >= 1)
    out.ceiling = numbers_.ll_ceilings[static_cast<std::size_t>(generation_ - 1)]
                      .by_nodes[static_cast<std::size_t>(std::min(nodes_, 3) - 1)];
  return out;
}

std::optional<ProtocolCost> CommLibrary::cost(Protocol protocol, bool tree) const {
  if (!has(protocol, tree)) return std::nullopt;
  ProtocolCost out = own(protocol, tree);
  const auto place = static_cast<std::size_t>(protocol);
  const bool latency_only = protocol == Protocol::ll;
  if (!measured_ || !measured_->protocols[place] || (tree && !latency_only)) return out;
  const MeasuredProtocol& fitted = *measured_->protocols[place];
  out.hop.start = fitted.start;
  // Links were measured with the release of their time; hops of another one differ as in NCCL's own model.
  if (fitted.hop) out.hop.intra *= *fitted.hop / hop_of(usual_->times[tree][place].value()).intra;
  if (nodes_ == 1 && !latency_only) out.bandwidth_factor = fitted.factor;
  return out;
}

std::optional<ProtocolCost> CommLibrary::believed(Protocol protocol, bool tree) const {
  if (!chosen_by_library_) return cost(protocol, tree);
  if (!has(protocol, tree)) return std::nullopt;
  ProtocolCost out = own(protocol, tree);
  out.bandwidth_factor *= believed_rate_;
  return out;
}

double CommLibrary::tree_correction(Protocol protocol, Bytes payload) const {
  const std::vector<double>& factors = numbers_.tree_correction[static_cast<std::size_t>(protocol)];
  const double step = std::log2(std::max(1.0, payload / numbers_.smallest_correction));
  const auto place = static_cast<std::size_t>(std::floor(step));
  return place < factors.size() ? factors[place] : 1;
}

double CommLibrary::ring_plateau() const {
  return nodes_ < 2 ? 1 : numbers_.ring_plateau[generation_ >= 2 ? 1 : 0];
}

Duration CommLibrary::handshake(Protocol protocol, Bytes message) const {
  const Bytes sent = (protocol == Protocol::ll ? 2 : 1) * message;
  return sent > network_.eager ? network_.handshake : Duration{0};
}

Bytes CommLibrary::first_wave(Protocol protocol, bool nvls, Bytes payload) const {
  const double bytes = payload.base();
  double wave = 0;
  if (nvls) {
    // Sixteen channels (NVLS_NCHANNELS_SM90; Blackwell's 32 are not modelled), each with a head on every GPU
    // of the node; chunks of NCCL_NVLS_CHUNKSIZE, half of it from four nodes on (src/transport/nvls.cc).
    const double heads = 16.0 * local_;
    double chunk = nodes_ >= 4 ? 65536 : 131072;
    if (bytes < 4 * heads * chunk) chunk = std::min(chunk, 65536.0);
    if (bytes < heads * chunk) chunk = std::min(chunk, 32768.0);
    wave = heads * chunk;
  } else if (protocol == Protocol::ll) {
    wave = channels_ *
           32768.0;  // data of a step: 8 lines x 512 threads x 16 B, half of it flags (src/include/device.h)
  } else if (protocol == Protocol::ll128) {
    const double ppn = local_, steps = 1 + std::floor(std::log2(nodes_)) + 0.1 * ppn;
    double chunk = 614400;  // a step's buffer: 120 elements x 640 threads x 8 B
    while (bytes / (channels_ * chunk) < steps * 64 / ppn && chunk > 131072) chunk /= 2;
    while (bytes / (channels_ * chunk) < steps * 16 / ppn && chunk > 32768) chunk /= 2;
    wave = channels_ * chunk;
  } else {
    wave = channels_ * 524288.0;  // 4 MiB of buffer (NCCL_BUFFSIZE) in 8 steps
  }
  return Bytes{std::min(bytes, wave)};
}

HopLatency CommLibrary::peer_latency() const {
  return hop_of(now_->times[0][static_cast<std::size_t>(Protocol::simple)].value());
}

HopLatency CommLibrary::nvls_latency() const {
  // NCCL's own: 25 us for NVLS, 20.9 us for a step between nodes of the NVLS tree (src/graph/tuning.cc).
  const Duration start = (measured_ ? measured_->nvls_start : std::nullopt).value_or(Duration{25e-6});
  return {start, Duration{0}, Duration{20.9e-6} + network_.step};
}

}  // namespace rackcast
