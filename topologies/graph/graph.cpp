#include "topologies/graph/graph.hpp"

#include <fmt/format.h>

#include <array>
#include <cassert>

namespace rackcast {

std::string_view to_string(DeviceKind kind) {
  constexpr std::array<std::string_view, 9> names{"gpu",  "cpu",   "plx",  "nvswitch", "nic",
                                                  "leaf", "spine", "core", "storage"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view to_string(LinkKind kind) {
  constexpr std::array<std::string_view, 7> names{"nvlink",     "xgmi",     "pcie",  "socket",
                                                  "infiniband", "ethernet", "fabric"};
  return names[static_cast<std::size_t>(kind)];
}

std::span<const LinkId> Topology::out(DeviceId id) const {
  const auto begin = static_cast<std::size_t>(out_begin_[static_cast<std::size_t>(id)]);
  const auto end = static_cast<std::size_t>(out_begin_[static_cast<std::size_t>(id) + 1]);
  return std::span{out_}.subspan(begin, end - begin);
}

LinkId Topology::find_link(DeviceId from, DeviceId to) const {
  for (const LinkId id : out(from)) {
    if (link(id).to == to) return id;
  }
  return no_id;
}

LinkId Topology::find_link(DeviceId from, DeviceId to, LinkKind kind) const {
  for (const LinkId id : out(from)) {
    if (link(id).to == to && class_of(id).kind == kind) return id;
  }
  return no_id;
}

std::string Topology::name(DeviceId id) const {
  const Device& d = device(id);
  const std::string local = fmt::format("{}{}", to_string(d.kind), d.index);
  return d.node == no_id ? local : fmt::format("node{}/{}", d.node, local);
}

std::vector<DeviceId> Topology::devices_of(int node_index, DeviceKind kind) const {
  DeviceId begin = 0;
  DeviceId end = static_cast<DeviceId>(devices_.size());
  if (node_index != no_id) {
    begin = node(node_index).first_device;
    end = begin + node(node_index).device_count;
  } else if (!node_ranges_.empty()) {
    begin =
        node_ranges_.back().first_device + node_ranges_.back().device_count;  // the fabric follows the nodes
  }
  std::vector<DeviceId> found;
  for (DeviceId id = begin; id < end; ++id) {
    if (device(id).kind == kind) found.push_back(id);
  }
  return found;
}

DeviceId Topology::gpu(int node_index, int index) const {
  // Every builder adds the GPUs of a node first.
  assert(index >= 0 && index < node(node_index).device_count);
  const DeviceId id = node(node_index).first_device + index;
  assert(device(id).kind == DeviceKind::gpu);
  return id;
}

std::vector<DeviceId> Topology::gpus() const {
  std::vector<DeviceId> found;
  for (DeviceId id = 0; id < static_cast<DeviceId>(devices_.size()); ++id) {
    if (device(id).kind == DeviceKind::gpu) found.push_back(id);
  }
  return found;
}

void TopologyBuilder::reserve(std::size_t devices, std::size_t links) {
  topology_.devices_.reserve(devices);
  topology_.links_.reserve(links);
}

std::uint16_t TopologyBuilder::add_class(const LinkClass& link_class) {
  auto& classes = topology_.classes_;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes[i].name == link_class.name && classes[i].achievable == link_class.achievable &&
        classes[i].latency == link_class.latency) {
      return static_cast<std::uint16_t>(i);
    }
  }
  assert(classes.size() < 65535);
  classes.push_back(link_class);
  return static_cast<std::uint16_t>(classes.size() - 1);
}

DeviceId TopologyBuilder::add_device(DeviceKind kind, int node, int index) {
  assert(index >= 0 && index < 65536);
  topology_.devices_.push_back({node, static_cast<std::uint16_t>(index), kind});
  return static_cast<DeviceId>(topology_.devices_.size() - 1);
}

LinkId TopologyBuilder::add_link(DeviceId from, DeviceId to, std::uint16_t link_class, int width) {
  assert(width >= 1 && from != to);
  topology_.links_.push_back({from, to, width, link_class});
  return static_cast<LinkId>(topology_.links_.size() - 1);
}

LinkId TopologyBuilder::add_duplex(DeviceId a, DeviceId b, std::uint16_t link_class, int width) {
  const LinkId first = add_link(a, b, link_class, width);
  add_link(b, a, link_class, width);
  return first;
}

void TopologyBuilder::begin_node(int shape) {
  topology_.node_ranges_.push_back({static_cast<DeviceId>(topology_.devices_.size()), 0,
                                    static_cast<LinkId>(topology_.links_.size()), 0, shape});
}

void TopologyBuilder::end_node() {
  Topology::Range& range = topology_.node_ranges_.back();
  range.device_count = static_cast<DeviceId>(topology_.devices_.size()) - range.first_device;
  range.link_count = static_cast<LinkId>(topology_.links_.size()) - range.first_link;
}

void TopologyBuilder::append_node(const Topology& node, int shape) {
  if (last_template_ != &node) {
    last_template_ = &node;
    class_map_.clear();
    for (const LinkClass& link_class : node.link_classes()) class_map_.push_back(add_class(link_class));
  }
  const int index = topology_.nodes();
  begin_node(shape);
  const DeviceId offset = topology_.node_ranges_.back().first_device;
  for (Device device : node.devices()) {
    device.node = index;
    topology_.devices_.push_back(device);
  }
  for (Link link : node.links()) {
    link.from += offset;
    link.to += offset;
    link.link_class = class_map_[link.link_class];
    topology_.links_.push_back(link);
  }
  end_node();
}

Topology TopologyBuilder::build() && {
  auto& t = topology_;
  t.out_begin_.assign(t.devices_.size() + 1, 0);
  for (const Link& link : t.links_) ++t.out_begin_[static_cast<std::size_t>(link.from) + 1];
  for (std::size_t i = 1; i < t.out_begin_.size(); ++i) t.out_begin_[i] += t.out_begin_[i - 1];
  t.out_.resize(t.links_.size());
  std::vector<std::int32_t> next(t.out_begin_.begin(), t.out_begin_.end() - 1);
  for (std::size_t id = 0; id < t.links_.size(); ++id) {
    auto& slot = next[static_cast<std::size_t>(t.links_[id].from)];
    t.out_[static_cast<std::size_t>(slot++)] = static_cast<LinkId>(id);
  }
  return std::move(t);
}

}  // namespace rackcast
