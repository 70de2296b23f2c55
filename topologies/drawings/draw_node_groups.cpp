#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "topologies/drawings/node_drawing.hpp"

namespace rackcast::drawing {

std::string_view style_of(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::gpu:
      return "gpu";
    case DeviceKind::cpu:
      return "cpu";
    case DeviceKind::nvswitch:
      return "nvswitch";
    case DeviceKind::nic:
      return "nic";
    default:
      return "plx";
  }
}

std::string_view label_of(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::gpu:
      return "GPU";
    case DeviceKind::cpu:
      return "CPU";
    case DeviceKind::nvswitch:
      return "SW";
    case DeviceKind::nic:
      return "NIC";
    default:
      return "PCIe ";
  }
}

namespace {

constexpr double group_margin = 28;

class GroupDrawing {
 public:
  GroupDrawing(Svg& svg, const Topology& topology)
      : svg_(svg),
        t_(topology),
        gpus_(t_.devices_of(0, DeviceKind::gpu)),
        cpus_(t_.devices_of(0, DeviceKind::cpu)),
        nvswitches_(t_.devices_of(0, DeviceKind::nvswitch)) {}

  /// Very many GPUs: a box per CPU on both sides of a bar of NVSwitches.
  void draw() {
    constexpr int per_row = 6;
    std::map<DeviceId, std::vector<DeviceId>> below;
    int most = 0;
    for (const DeviceId cpu : cpus_) {
      for (const LinkId id : t_.out(cpu)) {
        if (kind(t_.link(id).to) != DeviceKind::cpu) below[cpu].push_back(t_.link(id).to);
      }
      most = std::max(most, static_cast<int>(below[cpu].size()));
    }
    const double width = 60.0 * std::max(2, (most + 1) / 2) + 24;
    const double height = 132;
    const int rows = (static_cast<int>(cpus_.size()) + per_row - 1) / per_row;
    const int above_bar = (rows + 1) / 2;
    const double bar = 60 + above_bar * (height + 22) + 14;
    for (std::size_t i = 0; i < cpus_.size(); ++i) {
      const int row = static_cast<int>(i) / per_row;
      const double x = group_margin + static_cast<double>(static_cast<int>(i) % per_row) * (width + 22);
      const double y =
          row < above_bar ? 60 + row * (height + 22) : bar + 62 + (row - above_bar) * (height + 22);
      draw_group(cpus_[i], below[cpus_[i]], {x, y}, width, height);
    }
    const double bar_width = per_row * (width + 22);
    svg_.rect({group_margin, bar}, bar_width, 40, "nvswitch");
    int links = 0;
    for (const LinkId id : t_.out(gpus_.front())) {
      if (kind(t_.link(id).to) == DeviceKind::nvswitch) links += t_.link(id).width;
    }
    svg_.text(
        {group_margin + bar_width / 2, bar + 25},
        fmt::format("{} NVSwitches: {} links from each of {} GPUs", nvswitches_.size(), links, gpus_.size()),
        "strong");
    for (int c = 0; c < per_row; ++c) {
      const double x = group_margin + c * (width + 22) + width + 11;
      svg_.line({x, 60 + height / 2}, {x, bar}, "nvlink", 5);
      svg_.line({x, bar + 40}, {x, bar + 62 + (rows - above_bar - 1) * (height + 22) + height / 2}, "nvlink",
                5);
    }
    for (int row = 0; row < rows; ++row) {
      const double y =
          (row < above_bar ? 60 + row * (height + 22) : bar + 62 + (row - above_bar) * (height + 22));
      for (int c = 0; c < per_row; ++c) {
        const double x = group_margin + c * (width + 22) + width;
        svg_.line({x, y + height / 2}, {x + 11, y + height / 2}, "nvlink", 4);
      }
    }
  }

 private:
  [[nodiscard]] DeviceKind kind(DeviceId id) const { return t_.device(id).kind; }

  void draw_group(DeviceId cpu, const std::vector<DeviceId>& below, Point corner, double width,
                  double height) {
    svg_.rect(corner, width, height, "box");
    const auto small = [&](DeviceId id, Point at, double w) {
      svg_.rect({at.x, at.y}, w, 26, style_of(kind(id)));
      const bool light = kind(id) == DeviceKind::gpu || kind(id) == DeviceKind::cpu;
      const std::string number = fmt::format("{}", t_.device(id).index);
      svg_.text({at.x + w / 2, at.y + 17},
                kind(id) == DeviceKind::nic ? number : fmt::format("{} {}", label_of(kind(id)), number),
                light ? "light" : "");
    };
    small(cpu, {corner.x + 12, corner.y + 10}, width - 24);
    int gpu = 0;
    int nic = 0;
    const int half = std::max(1, static_cast<int>(below.size()) / 2);
    const double each = (width - 24) / half;
    for (const DeviceId id : below) {
      const bool is_gpu = kind(id) == DeviceKind::gpu;
      int& place = is_gpu ? gpu : nic;
      const double y = corner.y + (is_gpu ? 54 : 96);
      const Point at{corner.x + 12 + each * place + 3, y};
      if (is_gpu) svg_.line({at.x + each / 2 - 3, corner.y + 36}, {at.x + each / 2 - 3, y}, "nvlink", 3);
      small(id, at, each - 6);
      ++place;
    }
  }

  Svg& svg_;
  const Topology& t_;
  std::vector<DeviceId> gpus_, cpus_, nvswitches_;
};

}  // namespace

void draw_groups(Svg& svg, const Topology& topology) {
  GroupDrawing{svg, topology}.draw();
}

}  // namespace rackcast::drawing
