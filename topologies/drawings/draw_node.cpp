#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "topologies/catalog/plain_name.hpp"
#include "topologies/drawings/drawings.hpp"
#include "topologies/drawings/node_drawing.hpp"
#include "topologies/drawings/svg.hpp"

namespace rackcast {
namespace {

using drawing::label_of, drawing::style_of;

constexpr double box_width = 68, node_box_height = 34, node_margin = 28;

class NodeDrawing {
 public:
  NodeDrawing(const Topology& topology, std::string_view title) : t_(topology), title_(title) {
    gpus_ = t_.devices_of(0, DeviceKind::gpu);
    cpus_ = t_.devices_of(0, DeviceKind::cpu);
    nvswitches_ = t_.devices_of(0, DeviceKind::nvswitch);
  }

  Picture draw() {
    if (!title_.empty()) svg_.text({node_margin, 34}, title_, "title", "start");
    if (gpus_.size() >= 32) {
      drawing::draw_groups(svg_, t_);
    } else {
      place_tree();
      draw_links();
      draw_boxes();
    }
    draw_legend();
    return svg_.picture();
  }

 private:
  [[nodiscard]] DeviceKind kind(DeviceId id) const { return t_.device(id).kind; }
  [[nodiscard]] Point top(DeviceId id) const { return {at_.at(id).x, at_.at(id).y - node_box_height / 2}; }
  [[nodiscard]] Point bottom(DeviceId id) const { return {at_.at(id).x, at_.at(id).y + node_box_height / 2}; }

  /// Devices right below this one: adapters, then GPUs, then switches, each by number.
  [[nodiscard]] std::vector<DeviceId> children(DeviceId id) const {
    std::vector<DeviceId> out;
    for (const LinkId link : t_.out(id)) {
      const DeviceId next = t_.link(link).to;
      if (t_.class_of(link).kind == LinkKind::socket || level_.contains(next)) continue;
      out.push_back(next);
    }
    return out;
  }

  /// Depth first; leaves take columns, what is above stands in the middle of its own.
  void place(DeviceId id, int level) {
    level_[id] = level;
    const double first = next_x_;
    std::vector<DeviceId> below;
    if (kind(id) == DeviceKind::cpu || kind(id) == DeviceKind::pcie_switch) {
      below = children(id);
      for (const DeviceId child : below) level_[child] = level + 1;
    }
    for (const DeviceId child : below) place(child, level + 1);
    const bool mesh_gpu = kind(id) == DeviceKind::gpu && in_squares();
    if (next_x_ == first && !mesh_gpu) next_x_ += column();
    const double last = std::max(first, next_x_ - column());
    at_[id] = {(first + last) / 2, 90 + 78.0 * level};
    deepest_ = std::max(deepest_, level);
  }

  /// Between the middles of boxes beside each other.
  [[nodiscard]] double column() const { return in_squares() ? 170 : 84; }

  /// Eight GPUs in two quads joined by links between GPU i and i + 4: the hybrid cube mesh.
  [[nodiscard]] bool in_squares() const {
    if (gpus_.size() != 8 || !nvswitches_.empty()) return false;
    for (std::size_t i = 0; i < 4; ++i) {
      if (t_.find_link(gpus_[i], gpus_[i + 4], LinkKind::nvlink) == no_id) return false;
    }
    return true;
  }

  void place_tree() {
    next_x_ = node_margin + box_width / 2;
    for (const DeviceId cpu : cpus_) {
      const double before = next_x_;
      place(cpu, 0);
      next_x_ = std::max(next_x_, before + column()) + (in_squares() ? 0 : 40);
    }
    if (in_squares()) place_squares();
    const double row = 90 + 78.0 * deepest_;
    if (!in_squares()) {
      for (const DeviceId gpu : gpus_) at_[gpu].y = row;  // all GPUs on one line
    }
    if (nvswitches_.empty()) return;
    const double left = at_[gpus_.front()].x;
    const double right = at_[gpus_.back()].x;
    const double step =
        (right - left) / static_cast<double>(std::max<std::size_t>(1, nvswitches_.size() - 1));
    for (std::size_t i = 0; i < nvswitches_.size(); ++i) {
      const double x = nvswitches_.size() == 1 ? (left + right) / 2 : left + step * static_cast<double>(i);
      at_[nvswitches_[i]] = {x, row + 170};
    }
  }

  void place_squares() {
    // Left quad 1 0 / 2 3, right quad 4 5 / 7 6: links between the quads stay short or go around.
    constexpr std::array<std::pair<int, int>, 8> cells{
        {{1, 0}, {0, 0}, {0, 1}, {1, 1}, {2, 0}, {3, 0}, {3, 1}, {2, 1}}};
    double right = 0;
    for (const auto& [id, p] : at_) right = std::max(right, p.x);
    const double middle =
        std::max((right + node_margin + box_width / 2) / 2, node_margin + box_width / 2 + 1.5 * 170);
    const double y = 90 + 78.0 * (deepest_ + 1) + 64;  // leaves room for the link around
    for (std::size_t i = 0; i < 8; ++i) {
      at_[gpus_[i]] = {middle + (cells[i].first - 1.5) * 170, y + cells[i].second * 150};
    }
  }

  void draw_links() {
    for (LinkId id = 0; id < static_cast<LinkId>(t_.links().size()); ++id) {
      const Link& link = t_.link(id);
      if (link.from > link.to) continue;
      const LinkKind sort = t_.class_of(id).kind;
      const std::string_view style = to_string(sort);
      const double width = sort == LinkKind::pcie ? 1.6 : 1.2 + 1.3 * std::min<int>(link.width, 4);
      if (sort == LinkKind::socket) {
        svg_.line({at_[link.from].x + 60, at_[link.from].y}, {at_[link.to].x - 60, at_[link.to].y}, style, 4);
        continue;
      }
      draw_link(link, style, width);
    }
  }

  void draw_link(const Link& link, std::string_view style, double width) {
    const bool gpus = kind(link.from) == DeviceKind::gpu && kind(link.to) == DeviceKind::gpu;
    const bool switches = kind(link.from) == DeviceKind::nvswitch && kind(link.to) == DeviceKind::nvswitch;
    if (gpus && in_squares()) return draw_in_squares(link, style, width);
    if (gpus || switches) {
      const double depth = switches ? 26 + 0.06 * std::abs(at_[link.to].x - at_[link.from].x)
                                    : 22 + 0.22 * std::abs(at_[link.to].x - at_[link.from].x);
      svg_.arc(bottom(link.from), bottom(link.to), depth, style, switches ? 2 : width);
      const Point middle{(at_[link.from].x + at_[link.to].x) / 2, bottom(link.from).y + depth};
      if (gpus && gpus_.size() <= 8)
        labels_.push_back({{middle.x, middle.y + 4}, fmt::format("{}", link.width)});
      return;
    }
    const bool from_above = at_[link.from].y < at_[link.to].y;
    const DeviceId upper = from_above ? link.from : link.to;
    const DeviceId lower = from_above ? link.to : link.from;
    if (kind(lower) == DeviceKind::nvswitch) {
      svg_.line(bottom(upper), top(lower), style, 0.5 + 0.4 * link.width);
    } else if (kind(lower) == DeviceKind::gpu && in_squares()) {
      draw_to_square(upper, lower);
    } else {
      const double middle = bottom(upper).y + 14;
      svg_.polyline({bottom(upper), {bottom(upper).x, middle}, {top(lower).x, middle}, top(lower)}, style,
                    width);
      if (style == "nvlink")
        labels_.push_back({{top(lower).x + 8, top(lower).y - 8}, fmt::format("{}", link.width)});
    }
  }

  /// PCIe to a GPU of the squares: the lower row is reached beside the column of the upper one.
  void draw_to_square(DeviceId upper, DeviceId lower) {
    const bool second_row = at_[lower].y > at_[gpus_[0]].y;
    const double lane = at_[gpus_[0]].y - node_box_height / 2 - (second_row ? 14 : 22);
    const double beside_nic = at_[upper].x + box_width / 2 + 12;  // the adapter stands below the switch
    std::vector<Point> points{
        {beside_nic - 12, at_[upper].y}, {beside_nic, at_[upper].y}, {beside_nic, lane}};
    if (second_row) {
      const double beside = at_[lower].x + 48;
      points.push_back({beside, lane});
      points.push_back({beside, top(lower).y - 14});
      points.push_back({top(lower).x, top(lower).y - 14});
    } else {
      points.push_back({top(lower).x, lane});
    }
    points.push_back(top(lower));
    svg_.polyline(points, "pcie", 1.4);
  }

  void draw_in_squares(const Link& link, std::string_view style, double width) {
    const Point a = at_[link.from];
    const Point b = at_[link.to];
    Point label{a.x + (b.x - a.x) * 0.36, a.y + (b.y - a.y) * 0.36 - 4};
    if (std::abs(a.x - b.x) > 300) {  // from the outer column to the other outer one
      const bool upper = a.y < at_[gpus_[2]].y;
      const double depth = upper ? -64 : 64;
      svg_.arc(upper ? top(link.from) : bottom(link.from), upper ? top(link.to) : bottom(link.to), depth,
               style, width);
      label = {(a.x + b.x) / 2,
               a.y + (upper ? -node_box_height / 2 : node_box_height / 2) + depth + (upper ? -3 : 13)};
    } else {
      svg_.line(a, b, style, width);
    }
    labels_.push_back({label, fmt::format("{}", link.width)});
  }

  void draw_boxes() {
    for (const auto& [point, words] : labels_) {
      svg_.rect({point.x - 7, point.y - 11}, 14, 14, "box");
      svg_.text(point, words, "");
    }
    for (const auto& [id, p] : at_) {
      const DeviceKind k = kind(id);
      const double width = k == DeviceKind::cpu ? 120 : k == DeviceKind::nvswitch ? 52 : box_width;
      const double height = k == DeviceKind::nic || k == DeviceKind::nvswitch ? 28 : node_box_height;
      svg_.rect({p.x - width / 2, p.y - height / 2}, width, height, style_of(k));
      const bool light = k == DeviceKind::gpu || k == DeviceKind::cpu;
      svg_.text(
          {p.x, p.y + 4},
          fmt::format("{}{}{}", label_of(k), k == DeviceKind::pcie_switch ? "" : " ", t_.device(id).index),
          light ? "light" : "");
    }
  }

  void draw_legend() {
    double y = svg_.height() + 40;
    std::map<std::string, const LinkClass*> shown;
    for (const LinkClass& sort : t_.link_classes()) {
      shown.emplace(sort.name.substr(0, sort.name.find(" between")), &sort);
    }
    for (const auto& [name, sort] : shown) {
      svg_.line({node_margin, y - 4}, {node_margin + 30, y - 4}, to_string(sort->kind), 4);
      svg_.text(
          {node_margin + 40, y},
          fmt::format(
              "{}: {:.3g} GB/s per link and direction ({:.3g} achievable){}", plain_name(name),
              sort->raw.base() / 1e9, sort->achievable.base() / 1e9,
              sort->kind == LinkKind::nvlink && !labels_.empty() ? "; figures at lines count links" : ""),
          "note", "start");
      y += 18;
    }
  }

  struct Label {
    Point at;
    std::string words;
  };

  const Topology& t_;
  std::string_view title_;
  Svg svg_;
  std::vector<DeviceId> gpus_, cpus_, nvswitches_;
  std::map<DeviceId, Point> at_;
  std::map<DeviceId, int> level_;
  std::vector<Label> labels_;
  double next_x_ = 0;
  int deepest_ = 0;
};

}  // namespace

Picture picture_of_node(const Topology& topology, std::string_view title) {
  return NodeDrawing{topology, title}.draw();
}

std::string draw_node(const Topology& topology, std::string_view title) {
  return svg_document(picture_of_node(topology, title), title);
}

}  // namespace rackcast
