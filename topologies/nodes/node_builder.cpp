#include "topologies/nodes/node_builder.hpp"

#include <algorithm>
#include <map>

namespace rackcast {

LinkClass link_class_of(const LinkSpec& spec) {
  LinkKind kind = LinkKind::fabric;
  if (spec.family == "nvlink") kind = LinkKind::nvlink;
  if (spec.family == "xgmi") kind = LinkKind::xgmi;
  if (spec.family == "pcie") kind = LinkKind::pcie;
  if (spec.family == "socket_links") kind = LinkKind::socket;
  if (spec.family == "infiniband_4x" || spec.family == "ipoib") kind = LinkKind::infiniband;
  if (spec.family == "ethernet" || spec.family == "tcp") kind = LinkKind::ethernet;
  return {spec.id,
          kind,
          *spec.raw,
          *spec.achievable,
          *spec.latency,
          spec.achievable.confidence,
          spec.achievable.source};
}

namespace {

class NodeBuilder {
 public:
  explicit NodeBuilder(const NodeSpec& spec) : spec_(spec) {}

  Topology build() {
    builder_.begin_node(0);
    add_devices(DeviceKind::gpu, spec_.gpus, gpus_);
    add_devices(DeviceKind::cpu, spec_.sockets, cpus_);
    add_pcie();
    add_direct_links();
    add_nvswitches();
    add_sockets();
    builder_.end_node();
    return std::move(builder_).build();
  }

 private:
  void add_devices(DeviceKind kind, int count, std::vector<DeviceId>& ids) {
    for (int i = 0; i < count; ++i) ids.push_back(builder_.add_device(kind, 0, i));
  }

  /// Half the latency on either side of the device in the middle of a transfer.
  std::uint16_t half_latency_class(const LinkSpec& spec) {
    LinkClass link = link_class_of(spec);
    link.latency *= 0.5;
    return builder_.add_class(link);
  }

  [[nodiscard]] bool has_cpu_nvlink(int gpu) const {
    return std::ranges::any_of(spec_.cpu_nvlinks,
                               [gpu](const CpuGpuNvlink& link) { return link.gpu == gpu; });
  }

  /// The devices above a device in the PCIe tree: where its data go up, and where data come down to it. The
  /// two differ only at switches that do not connect their own devices with each other.
  struct Above {
    DeviceId up = no_id, down = no_id;
  };

  Above add_switch(int number) {
    const DeviceId up = builder_.add_device(DeviceKind::pcie_switch, 0, number);
    if (spec_.peer_to_peer) return {up, up};
    return {up,
            builder_.add_device(DeviceKind::pcie_switch, 0, number + static_cast<int>(spec_.pcie.size()))};
  }

  void join(Above below, Above above, std::uint16_t link_class) {
    builder_.add_link(below.up, above.up, link_class);
    builder_.add_link(above.down, below.down, link_class);
  }

  void add_pcie() {
    const std::uint16_t pcie = half_latency_class(spec_.pcie_link);
    std::vector<Above> nic_places;
    LinkClass between = link_class_of(spec_.pcie_link);
    between.name += " between switches";
    between.latency = spec_.pcie_switch_latency;
    std::map<std::string, Above> switches;
    int count = 0;
    for (const PcieBranch& branch : spec_.pcie) {
      const DeviceId host = cpus_[static_cast<std::size_t>(branch.cpu)];
      const Above cpu{host, host};
      Above parent = cpu;
      if (!branch.switch_name.empty()) {
        parent = add_switch(count++);
        if (branch.parent.empty()) {
          join(parent, cpu, pcie);
        } else {
          join(parent, switches.at(branch.parent), builder_.add_class(between));
        }
        switches[branch.switch_name] = parent;
      }
      for (const int number : branch.gpus) {
        const DeviceId gpu = gpus_[static_cast<std::size_t>(number)];
        if (!has_cpu_nvlink(number)) join({gpu, gpu}, parent, pcie);
      }
      nic_places.insert(nic_places.end(), static_cast<std::size_t>(branch.nics), parent);
    }
    add_nics(nic_places, pcie);
  }

  void add_nics(const std::vector<Above>& places, std::uint16_t pcie) {
    for (int i = 0; i < spec_.nics; ++i) {
      const auto n = static_cast<std::size_t>(i);
      const DeviceId cpu = cpus_[n % cpus_.size()];
      const DeviceId nic = builder_.add_device(DeviceKind::nic, 0, i);
      join({nic, nic}, n < places.size() ? places[n] : Above{cpu, cpu}, pcie);
    }
  }

  void add_direct_links() {
    if (spec_.gpu_link && !spec_.adjacency.empty()) {
      const std::uint16_t link = builder_.add_class(link_class_of(*spec_.gpu_link));
      for (std::size_t i = 0; i < spec_.adjacency.size(); ++i) {
        for (std::size_t j = i + 1; j < spec_.adjacency.size(); ++j) {
          if (spec_.adjacency[i][j] > 0) builder_.add_duplex(gpus_[i], gpus_[j], link, spec_.adjacency[i][j]);
        }
      }
    }
    if (!spec_.cpu_nvlink) return;
    LinkClass to_cpu = link_class_of(*spec_.cpu_nvlink);
    to_cpu.name += " to the CPU";
    const std::uint16_t link = builder_.add_class(to_cpu);
    for (const CpuGpuNvlink& pair : spec_.cpu_nvlinks) {
      builder_.add_duplex(gpus_[static_cast<std::size_t>(pair.gpu)],
                          cpus_[static_cast<std::size_t>(pair.cpu)], link, pair.links);
    }
  }

  static DeviceId nth(const std::vector<DeviceId>& ids, int n) { return ids[static_cast<std::size_t>(n)]; }

  void add_nvswitches() {
    if (spec_.nvswitches == 0 || !spec_.gpu_link) return;
    const std::uint16_t link = half_latency_class(*spec_.gpu_link);
    const int per_board = spec_.nvswitches / spec_.nvswitch_baseboards;
    const int gpus_per_board = spec_.gpus / spec_.nvswitch_baseboards;
    const int total = value_or(spec_.gpu.nvlink_links, 0);
    std::vector<DeviceId> switches;
    add_devices(DeviceKind::nvswitch, spec_.nvswitches, switches);
    std::vector<int> trunk;  // of one switch: what the GPUs of its board have to it
    for (int s = 0; s < per_board; ++s) {
      const int width = total / per_board + (s < total % per_board ? 1 : 0);
      trunk.push_back(width * gpus_per_board);
      for (int gpu = 0; gpu < spec_.gpus && width > 0; ++gpu) {
        builder_.add_duplex(nth(gpus_, gpu), nth(switches, gpu / gpus_per_board * per_board + s), link,
                            width);
      }
    }
    join_baseboards(switches, trunk);
  }

  void join_baseboards(const std::vector<DeviceId>& switches, const std::vector<int>& trunk) {
    LinkClass between = link_class_of(*spec_.gpu_link);
    between.name += " between baseboards";
    between.latency = value_or(spec_.nvswitch_latency, Duration{0});
    const std::uint16_t link = builder_.add_class(between);
    const int per_board = static_cast<int>(trunk.size());
    for (int s = per_board; s < spec_.nvswitches; ++s) {
      const int width = nth(trunk, s % per_board);
      if (width > 0) builder_.add_duplex(nth(switches, s - per_board), nth(switches, s), link, width);
    }
  }

  void add_sockets() {
    if (!spec_.socket_link) return;
    const std::uint16_t socket = builder_.add_class(link_class_of(*spec_.socket_link));
    for (std::size_t a = 0; a < cpus_.size(); ++a) {
      for (std::size_t b = a + 1; b < cpus_.size(); ++b) builder_.add_duplex(cpus_[a], cpus_[b], socket);
    }
  }

  const NodeSpec& spec_;
  TopologyBuilder builder_;
  std::vector<DeviceId> gpus_, cpus_;
};

}  // namespace

Topology build_node(const NodeSpec& spec) {
  return NodeBuilder{spec}.build();
}

}  // namespace rackcast
