#pragma once
/// The graph of a machine: devices joined by directed links. Built once, then const.
///
/// A duplex cable is two links, one per direction. Parallel links between the same two devices are one Link
/// with a `width`; its capacity is the width times that of one. Names and rates are computed on demand, so
/// that a cluster of a hundred thousand GPUs stays at 20 bytes a link, index included, and 12 a device.
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/units/quantity.hpp"
#include "topologies/catalog/known.hpp"

namespace rackcast {

enum class DeviceKind : std::uint8_t { gpu, cpu, pcie_switch, nvswitch, nic, leaf, spine, core, storage };
std::string_view to_string(DeviceKind);

enum class LinkKind : std::uint8_t { nvlink, xgmi, pcie, socket, infiniband, ethernet, fabric };
std::string_view to_string(LinkKind);

using DeviceId = std::int32_t;
using LinkId = std::int32_t;
inline constexpr std::int32_t no_id = -1;  ///< no such device, link or node

struct Device {
  std::int32_t node = no_id;  ///< no_id for switches of the fabric and storage servers
  std::uint16_t index = 0;    ///< among the devices of its kind in the node, or (low bits) in the fabric
  DeviceKind kind = DeviceKind::gpu;
};

/// What the links of one sort have in common.
struct LinkClass {
  std::string name;  ///< "nvlink/nvlink2"
  LinkKind kind = LinkKind::nvlink;
  Bandwidth raw{0};         ///< one direction, one link
  Bandwidth achievable{0};  ///< the same after protocol overhead, large messages
  Duration latency{0};      ///< one way, small message
  Confidence confidence = Confidence::memory;
  std::string source;  ///< of the achievable rate
};

struct Link {
  DeviceId from = no_id, to = no_id;
  /// Parallel links. The core of a job's part counts sixteenths of a cable (topologies/fabrics/gang.cpp), of
  /// which a pod has more than 16 bits hold.
  std::int32_t width = 1;
  std::uint16_t link_class = 0;
};

class TopologyBuilder;

/// How switches choose among paths that are equally short.
enum class FabricRouting {
  /// Static, as InfiniBand's subnet managers set it up (D-Mod-K; Zahavi, Technion CCIT report 776, 2010). A
  /// switch with several ways takes the next digit of the destination's number, in the base of the number of
  /// ways.
  destination_mod,
  ecmp,      ///< a hash of source, destination and flow chooses at each switch
  adaptive,  ///< every packet may go another way: an even split
};

class Topology {
 public:
  [[nodiscard]] FabricRouting routing() const { return routing_; }  ///< of the switches between nodes
  [[nodiscard]] std::span<const Device> devices() const { return devices_; }
  [[nodiscard]] std::span<const Link> links() const { return links_; }
  [[nodiscard]] std::span<const LinkClass> link_classes() const { return classes_; }

  [[nodiscard]] const Device& device(DeviceId id) const { return devices_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] const Link& link(LinkId id) const { return links_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] const LinkClass& class_of(LinkId id) const { return classes_[link(id).link_class]; }

  [[nodiscard]] Bandwidth bandwidth(LinkId id) const { return class_of(id).achievable * link(id).width; }
  [[nodiscard]] Bandwidth raw_bandwidth(LinkId id) const { return class_of(id).raw * link(id).width; }
  [[nodiscard]] Duration latency(LinkId id) const { return class_of(id).latency; }

  /// Links that leave a device, by ascending id.
  [[nodiscard]] std::span<const LinkId> out(DeviceId id) const;
  /// The link of this kind from one device to another, or no_id; any kind if there is no third argument.
  [[nodiscard]] LinkId find_link(DeviceId from, DeviceId to) const;
  [[nodiscard]] LinkId find_link(DeviceId from, DeviceId to, LinkKind kind) const;

  [[nodiscard]] std::string name(DeviceId id) const;  ///< "node3/gpu5", "leaf2", "storage0"

  /// Nodes lie one after the other: node n owns a contiguous range of devices and of links.
  [[nodiscard]] int nodes() const { return static_cast<int>(node_ranges_.size()); }
  struct Range {
    DeviceId first_device = 0, device_count = 0;
    LinkId first_link = 0, link_count = 0;
    int shape = 0;  ///< nodes of equal shape have the same devices and links at the same offsets
  };
  [[nodiscard]] const Range& node(int n) const { return node_ranges_[static_cast<std::size_t>(n)]; }

  /// Devices of a kind in one node (or, for no_id, outside the nodes), by index.
  [[nodiscard]] std::vector<DeviceId> devices_of(int node, DeviceKind kind) const;
  /// GPU `index` of a node; an assert if there is none.
  [[nodiscard]] DeviceId gpu(int node, int index) const;
  /// All GPUs, node by node.
  [[nodiscard]] std::vector<DeviceId> gpus() const;

 private:
  friend class TopologyBuilder;
  Topology() = default;

  std::vector<Device> devices_;
  std::vector<Link> links_;
  std::vector<LinkClass> classes_;
  std::vector<Range> node_ranges_;
  std::vector<std::int32_t> out_begin_;  ///< per device, into out_
  std::vector<LinkId> out_;
  FabricRouting routing_ = FabricRouting::destination_mod;
};

/// Collects devices and links; build() indexes them.
class TopologyBuilder {
 public:
  void reserve(std::size_t devices, std::size_t links);
  /// The number of a class, the same for an equal name, latency and rate.
  std::uint16_t add_class(const LinkClass& link_class);
  DeviceId add_device(DeviceKind kind, int node, int index);
  LinkId add_link(DeviceId from, DeviceId to, std::uint16_t link_class, int width = 1);
  /// Both directions; returns the first.
  LinkId add_duplex(DeviceId a, DeviceId b, std::uint16_t link_class, int width = 1);

  /// Devices and links added between these two belong to one node.
  void begin_node(int shape);
  void end_node();
  /// Copies node 0 of `node` as the next node. `shape` numbers the template.
  void append_node(const Topology& node, int shape);

  void set_routing(FabricRouting routing) { topology_.routing_ = routing; }
  [[nodiscard]] std::size_t device_count() const { return topology_.devices_.size(); }
  Topology build() &&;

 private:
  Topology topology_;
  const Topology* last_template_ = nullptr;
  std::vector<std::uint16_t> class_map_;  ///< of the last template
};

}  // namespace rackcast
