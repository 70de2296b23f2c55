#include "topologies/nodes/node_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <string_view>
#include <utility>

namespace rackcast {
namespace {

/// The tree of CPUs, PCIe switches and what hangs below them.
class HostTree {
 public:
  HostTree(const Topology& topology, int node) : range_(topology.node(node)) {
    parent_.assign(static_cast<std::size_t>(range_.device_count), no_id);
    std::deque<DeviceId> open;
    for (const DeviceId cpu : topology.devices_of(node, DeviceKind::cpu)) {
      parent(cpu) = cpu;
      open.push_back(cpu);
    }
    while (!open.empty()) {
      const DeviceId at = open.front();
      open.pop_front();
      const DeviceKind kind = topology.device(at).kind;
      if (kind != DeviceKind::cpu && kind != DeviceKind::pcie_switch) continue;
      for (const LinkId id : topology.out(at)) {
        const DeviceId next = topology.link(id).to;
        if (topology.device(next).node != node || parent(next) != no_id) continue;
        if (topology.class_of(id).kind == LinkKind::socket) continue;
        parent(next) = at;
        open.push_back(next);
      }
    }
  }

  /// From the device up to its CPU; empty if it hangs nowhere.
  [[nodiscard]] std::vector<DeviceId> chain(DeviceId id) const {
    std::vector<DeviceId> up{id};
    while (up.back() != no_id && parent(up.back()) != up.back()) up.push_back(parent(up.back()));
    if (up.back() == no_id) up.clear();
    return up;
  }

 private:
  DeviceId& parent(DeviceId id) { return parent_[static_cast<std::size_t>(id - range_.first_device)]; }
  [[nodiscard]] DeviceId parent(DeviceId id) const {
    return parent_[static_cast<std::size_t>(id - range_.first_device)];
  }

  Topology::Range range_;
  std::vector<DeviceId> parent_;
};

/// "NV6" for GPUs with direct links or NVSwitches in common; empty if there are none.
std::string gpu_links(const Topology& t, DeviceId a, DeviceId b) {
  if (const LinkId link = t.find_link(a, b); link != no_id) {
    return fmt::format("{}{}", t.class_of(link).kind == LinkKind::xgmi ? "XGMI" : "NV", t.link(link).width);
  }
  const auto to_switches = [&](DeviceId gpu) {
    int links = 0;
    for (const LinkId id : t.out(gpu)) {
      if (t.device(t.link(id).to).kind == DeviceKind::nvswitch) links += t.link(id).width;
    }
    return links;
  };
  const int links = std::min(to_switches(a), to_switches(b));
  return links > 0 ? fmt::format("NV{}", links) : "";
}

bool has_one_host_bridge(const Topology& t, DeviceId cpu) {
  for (const LinkId id : t.out(cpu)) {
    const LinkClass& link = t.class_of(id);
    if (link.kind == LinkKind::socket) return link.name.find("qpi") != std::string::npos;
  }
  return true;
}

std::string host_path(const Topology& t, const HostTree& tree, DeviceId a, DeviceId b) {
  const auto up_a = tree.chain(a);
  const auto up_b = tree.chain(b);
  if (up_a.empty() || up_b.empty()) return "--";
  for (std::size_t i = 0; i < up_a.size(); ++i) {
    const auto common = std::ranges::find(up_b, up_a[i]);
    if (common == up_b.end()) continue;
    if (t.device(up_a[i]).kind == DeviceKind::cpu) return has_one_host_bridge(t, up_a[i]) ? "PHB" : "NODE";
    const auto switches = i + static_cast<std::size_t>(common - up_b.begin()) - 1;
    return switches == 1 ? "PIX" : "PXB";
  }
  return t.find_link(up_a.back(), up_b.back()) != no_id ? "SYS" : "--";
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> legend{{
    {"X", "itself"},
    {"NV#", "# NVLinks together, directly or through NVSwitches"},
    {"PIX", "one PCIe switch"},
    {"PXB", "several PCIe switches, not the CPU"},
    {"PHB", "the PCIe host bridge of a CPU"},
    {"NODE", "between the PCIe host bridges of one CPU"},
    {"SYS", "the link between CPUs"},
    {"--", "no way but NVLink or the network"},
}};

}  // namespace

NodeMatrix node_matrix(const Topology& topology, int node) {
  const HostTree tree{topology, node};
  NodeMatrix matrix;
  for (const DeviceKind kind : {DeviceKind::gpu, DeviceKind::nic}) {
    for (const DeviceId id : topology.devices_of(node, kind)) {
      matrix.devices.push_back(id);
      matrix.names.push_back(
          fmt::format("{}{}", kind == DeviceKind::gpu ? "GPU" : "NIC", topology.device(id).index));
      const auto up = tree.chain(id);
      matrix.cpu.push_back(up.empty() ? no_id : topology.device(up.back()).index);
    }
  }
  for (const DeviceId a : matrix.devices) {
    auto& row = matrix.cells.emplace_back();
    for (const DeviceId b : matrix.devices) {
      const bool gpus =
          topology.device(a).kind == DeviceKind::gpu && topology.device(b).kind == DeviceKind::gpu;
      std::string cell = a == b ? "X" : gpus ? gpu_links(topology, a, b) : "";
      if (cell.empty()) cell = host_path(topology, tree, a, b);
      row.push_back(std::move(cell));
    }
  }
  return matrix;
}

bool adapter_beside_gpu(const Topology& topology, int node) {
  const HostTree tree{topology, node};
  const std::vector<DeviceId> gpus = topology.devices_of(node, DeviceKind::gpu);
  return std::ranges::any_of(topology.devices_of(node, DeviceKind::nic), [&](DeviceId nic) {
    return std::ranges::any_of(gpus, [&](DeviceId gpu) {
      const std::string path = host_path(topology, tree, gpu, nic);
      return path == "PIX" || path == "PXB";
    });
  });
}

namespace {

constexpr std::string_view affinity = "CPU affinity";

/// How columns share the width.
struct MatrixLayout {
  std::size_t cell = 7, columns = 0;  ///< letters of a column, columns beside each other
};

MatrixLayout lay_out(const NodeMatrix& matrix, int width) {
  const std::size_t count = matrix.names.size(),
                    room = static_cast<std::size_t>(std::max(width, 40)) - affinity.size();
  MatrixLayout layout{7, count};
  if (layout.cell * (count + 1) <= room) return layout;
  layout.cell = 0;
  for (const std::string& name : matrix.names) layout.cell = std::max(layout.cell, name.size() + 1);
  for (const auto& row : matrix.cells) {
    for (const std::string& cell : row) layout.cell = std::max(layout.cell, cell.size() + 1);
  }
  layout.columns = std::min(count, room / layout.cell - 1);
  return layout;
}

std::string affinity_of(const NodeMatrix& matrix, std::size_t row, int sockets, int cores) {
  const int each = cores / std::max(1, sockets), cpu = matrix.cpu[row];
  if (cpu == no_id) return "-";
  return each > 0 ? fmt::format("{}-{}", cpu * each, (cpu + 1) * each - 1) : fmt::format("CPU{}", cpu);
}

}  // namespace

std::string to_text(const NodeMatrix& matrix, int sockets, int cores, int width) {
  const MatrixLayout layout = lay_out(matrix, width);
  const std::size_t count = matrix.names.size();
  std::string text;
  std::set<std::string> words;
  for (std::size_t from = 0; from < count; from += layout.columns) {
    const std::size_t to = std::min(count, from + layout.columns);
    const bool last = to == count;
    text += fmt::format("{}{:<{}}", from > 0 ? "\n" : "", "", layout.cell);
    for (std::size_t i = from; i < to; ++i) text += fmt::format("{:<{}}", matrix.names[i], layout.cell);
    text += fmt::format("{}\n", last ? affinity : "");
    for (std::size_t row = 0; row < matrix.cells.size(); ++row) {
      text += fmt::format("{:<{}}", matrix.names[row], layout.cell);
      for (std::size_t i = from; i < to; ++i) {
        const std::string& cell = matrix.cells[row][i];
        text += fmt::format("{:<{}}", cell == "X" ? " X" : cell, layout.cell);
        words.insert(cell.starts_with("NV") ? "NV#" : cell);
      }
      text += fmt::format("{}\n", last ? affinity_of(matrix, row, sockets, cores) : "");
    }
  }
  text += "\n";
  for (const auto& [word, meaning] : legend) {
    if (words.contains(std::string{word})) text += fmt::format("  {:<5} {}\n", word, meaning);
  }
  return text;
}

}  // namespace rackcast
