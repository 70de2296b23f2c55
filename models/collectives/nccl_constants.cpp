#include "models/collectives/nccl_constants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "models/cluster.hpp"
#include "models/data_files.hpp"
#include "sim/quantity_text.hpp"
#include "topologies/node_matrix.hpp"

namespace rackcast {
namespace {

const Json& nccl_file() {
  static const Json file = parse_model_data("collectives/nccl.json");
  return file;
}
const Json& links_file() {
  static const Json file = parse_model_data("collectives/links.json");
  return file;
}

/// "2.7.8-1" -> 2.07, "2.12" -> 2.12, "" -> 0.
double parse_version(std::string_view text) {
  const auto digit = text.find_first_of("0123456789");
  if (digit == std::string_view::npos) return 0;
  int major = 0, minor = 0;
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data() + digit, end, major);
  if (failure == std::errc{} && rest + 1 < end && *rest == '.') std::from_chars(rest + 1, end, minor);
  return major + std::min(minor, 99) / 100.0;
}

/// By compute capability, as NCCL tells them apart (src/graph/tuning.cc, minCompCap): 0 before Volta, Volta,
/// Ampere, Hopper, Blackwell.
int generation_of(const ArchitectureSpec& line) {
  constexpr std::array<double, 4> firsts{7.0, 8.0, 9.0, 10.0};
  return static_cast<int>(
      std::ranges::count_if(firsts, [&](double first) { return line.compute_capability >= first; }));
}

const Json& constants_of(double version) {
  const Json* best = nullptr;
  for (const Json& entry : nccl_file().require("versions").array())
    if (!best || parse_version(entry.require("from").string()) <= version + 1e-9) best = &entry;
  return *best;
}

Duration time_in(const Json& object, std::string_view key) {
  return parse_quantity<Duration>(object.require(key).string());
}

std::string link_name(const Cluster& cluster) {
  const NodeSpec& node = cluster.node;
  if (!node.gpu_link || cluster.local_ranks() < 2) return "pcie";
  return node.gpu_link->id + (node.nvswitches > 0 ? "+nvswitch" : "");
}

}  // namespace

std::string_view to_string(Protocol protocol) {
  constexpr std::array<std::string_view, 3> names{"Simple", "LL", "LL128"};
  return names[static_cast<std::size_t>(protocol)];
}

NcclConstants::NcclConstants(const Cluster& cluster, std::string_view version, const Json* links)
    : links_{links ? links : &links_file()},
      nodes_{cluster.used_nodes()},
      local_{cluster.local_ranks()},
      link_{link_name(cluster)} {
  generation_ = generation_of(cluster.node.gpu.line);
  usual_version_ = parse_version(cluster.node.gpu.line.collective_release);
  version_ = parse_version(version);
  if (version_ == 0) version_ = usual_version_;
  // Every ring that was found is used by two channels; 32 are the most (src/graph/connect.cc).
  const std::size_t rings =
      relays() && !cluster.relayed_rings.empty() ? cluster.relayed_rings.size() : cluster.rings.size();
  channels_ = std::clamp(2 * static_cast<int>(rings), 2, 32);
  // "4 compute channels per search channel to reach peak BW on <8 PPN" (the same file, Hopper and later).
  if (generation_ >= 3 && nodes_ > 1 && channels_ < 16) channels_ *= 2;
  if (nodes_ > 1 && cluster.node.nic_link) {
    const Json* step = links_->require("network_step").find(cluster.node.nic_link->id);
    if (step) network_step_ = time_in(*step, "value");
    if (const Json* longer = step ? step->find("long") : nullptr) {
      handshake_ = time_in(*longer, "value");
      eager_ = parse_quantity<Bytes>(longer->require("above").string());
    }
    simple_only_ = links_->require("simple_only").find(cluster.node.nic_link->id) != nullptr;
  }
  // Its lines of 128 bytes must arrive whole: NCCL takes LL128 over a network only where adapter and GPU meet
  // below the CPU (src/graph/tuning.cc, typeInter <= PATH_PXB). What later versions allow over NVLink to the
  // CPU (NCCL_LL128_C2C) is not modelled.
  network_ll128_ = nodes_ < 2 || adapter_beside_gpu(cluster.topology);
  hardware_ = link_ == "pcie" ? "pcie" : "nvlink";
  const Json& protocols = links_->require("protocols");
  measured_ = protocols.find(link_);
  if (const Json* other = measured_ ? measured_->find("as") : nullptr)
    measured_ = protocols.find(other->string());
  chosen_by_library_ = nodes_ == 1 && measured_ && measured_->find("chosen_by_library");
  if (chosen_by_library_) {
    const auto taken_for = parse_quantity<Bandwidth>(constants_of(version_).require("nvlink2").string());
    const double efficiency = links_->require("efficiency").require(link_).require("value").number();
    believed_rate_ = taken_for / (cluster.node.gpu_link->raw.value * efficiency);
  }
  nvls_ = cluster.node.nvswitches > 0 && generation_ >= 3 && version_ >= 2.17 && local_ > 4;
}

bool NcclConstants::has(Protocol protocol, bool tree) const {
  if (simple_only_ && protocol != Protocol::simple) return false;
  // LL came with 2.1, trees with 2.4, LL128 with 2.5; LL128 needs the 128-byte stores of Volta over NVLink.
  if (protocol == Protocol::ll && version_ < 2.01) return false;
  if (tree && version_ < 2.04) return false;
  return protocol != Protocol::ll128 ||
         (version_ >= 2.05 && generation_ >= 1 && hardware_ == "nvlink" && network_ll128_);
}

ProtocolCost NcclConstants::own(Protocol protocol, bool tree, double version) const {
  const std::string name{to_string(protocol)}, algorithm = tree ? "tree" : "ring";
  const Json& constants = constants_of(version);
  ProtocolCost out;
  out.hop.start = time_in(constants.require("start").require(algorithm), name);
  out.hop.intra = time_in(constants.require("hop").require(hardware_).require(algorithm), name);
  out.hop.inter = time_in(constants.require("hop").require("net").require(algorithm), name);
  out.bandwidth_factor = nccl_file().require("bandwidth_factor").require(algorithm).require(name).number();
  out.hop.inter += network_step_;
  if (protocol == Protocol::ll && generation_ >= 1) {
    constexpr std::array<const char*, 5> keys{"volta", "volta", "ampere", "hopper", "blackwell"};
    const char* scale = nodes_ == 1 ? "1" : nodes_ == 2 ? "2" : "more";
    out.ceiling = Bandwidth{1e9 * nccl_file()
                                      .require("ll_ceiling_gb_per_s")
                                      .require(keys[static_cast<std::size_t>(generation_)])
                                      .require(scale)
                                      .number()};
  }
  return out;
}

std::optional<ProtocolCost> NcclConstants::cost(Protocol protocol, bool tree) const {
  if (!has(protocol, tree)) return std::nullopt;
  ProtocolCost out = own(protocol, tree, version_);
  const bool latency_only = protocol == Protocol::ll;
  const Json* fitted =
      measured_ && (!tree || latency_only) ? measured_->find(std::string{to_string(protocol)}) : nullptr;
  if (fitted && latency_only) {
    out.hop.start = time_in(*fitted, "start");
  } else if (fitted) {
    out.hop.start = time_in(*fitted, "start");
    // Links were measured with the release of their time; hops of another one differ as in NCCL's own model.
    const ProtocolCost measured = own(protocol, tree, usual_version_);
    out.hop.intra *= time_in(*fitted, "hop") / measured.hop.intra;
    if (nodes_ == 1) out.bandwidth_factor = fitted->require("factor").number();
  }
  return out;
}

std::optional<ProtocolCost> NcclConstants::believed(Protocol protocol, bool tree) const {
  if (!chosen_by_library_) return cost(protocol, tree);
  if (!has(protocol, tree)) return std::nullopt;
  ProtocolCost out = own(protocol, tree, version_);
  out.bandwidth_factor *= believed_rate_;
  return out;
}

double NcclConstants::tree_correction(Protocol protocol, Bytes payload) {
  const Json& table = nccl_file().require("tree_correction");
  const auto& factors = table.require("factors").require(to_string(protocol)).array();
  const double step = std::log2(std::max(1.0, payload.base() / table.require("smallest_bytes").number()));
  const auto place = static_cast<std::size_t>(std::floor(step));
  return place < factors.size() ? factors[place].number() : 1;
}

double NcclConstants::ring_plateau() const {
  if (nodes_ < 2) return 1;
  const Json& factor = nccl_file().require("ring_plateau_factor");
  return factor.require(generation_ >= 2 ? "later" : "before_ampere").number();
}

Duration NcclConstants::handshake(Protocol protocol, Bytes message) const {
  const Bytes sent = (protocol == Protocol::ll ? 2 : 1) * message;
  return sent > eager_ ? handshake_ : Duration{0};
}

Bytes NcclConstants::first_wave(Protocol protocol, bool nvls, Bytes payload) const {
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

HopLatency NcclConstants::peer_latency() const {
  const Json& constants = constants_of(version_);
  return {time_in(constants.require("start").require("ring"), "Simple"),
          time_in(constants.require("hop").require(hardware_).require("ring"), "Simple"),
          time_in(constants.require("hop").require("net").require("ring"), "Simple") + network_step_};
}

HopLatency NcclConstants::nvls_latency() const {
  const Json* fitted = measured_ ? measured_->find("NVLS") : nullptr;
  // NCCL's own: 25 us for NVLS, 20.9 us for a step between nodes of the NVLS tree (src/graph/tuning.cc).
  const Duration between = Duration{20.9e-6} + network_step_;
  return {fitted ? time_in(*fitted, "start") : Duration{25e-6}, Duration{0}, between};
}

}  // namespace rackcast
