#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "topologies/drawings.hpp"
#include "topologies/svg.hpp"

namespace rackcast {
namespace {

constexpr double margin = 28, box_height = 30, level_gap = 120;
constexpr int most_boxes = 40;  ///< of one level, before switches share one

/// Switches of one level that are drawn as one box.
struct Box {
  int first = 0, count = 0;
  Point at;
  int nodes = 0;  ///< with ports below
};

class FabricDrawing {
 public:
  FabricDrawing(const FabricPlan& plan, std::string_view title) : plan_(plan), title_(title) {}

  std::string draw() {
    svg_.text({margin, 34}, title_, "title", "start");
    svg_.text({margin, 54}, subtitle(), "note", "start");
    if (plan_.torus.empty()) {
      layout();
    } else {
      layout_torus();
    }
    draw_trunks();
    draw_boxes();
    return svg_.document(title_);
  }

 private:
  [[nodiscard]] std::string subtitle() const {
    std::string text = fmt::format("{}: {} nodes with {} {} ports, {} leaves ({})", plan_.kind, plan_.nodes,
                                   plan_.nics, plan_.port_link.id, plan_.leaves, plan_.leaf.name);
    if (plan_.spines > 0) text += fmt::format(", {} spines ({})", plan_.spines, plan_.spine.name);
    if (plan_.cores > 0) text += fmt::format(", {} cores ({})", plan_.cores, plan_.core.name);
    return text + fmt::format(", {} cables between switches", plan_.trunk_cables());
  }

  /// How many switches of a level share a box: all of a group, or a run of them, where they are too many.
  [[nodiscard]] static int per_box(int count, int per_group) {
    if (count <= most_boxes) return 1;
    if (per_group > 0 && count / per_group >= 2 && count / per_group <= most_boxes) return per_group;
    return (count + most_boxes - 1) / most_boxes;
  }

  void add_level(int first, int count, int per_group, double y, double width) {
    if (count == 0) return;
    const int each = per_box(count, per_group);
    const int boxes = (count + each - 1) / each;
    const double step = width / boxes;
    for (int b = 0; b < boxes; ++b) {
      Box box{first + b * each, std::min(each, count - b * each), {margin + step * (b + 0.5), y}, 0};
      for (int s = box.first; s < box.first + box.count; ++s)
        box_of_[static_cast<std::size_t>(s)] = static_cast<int>(boxes_.size());
      boxes_.push_back(box);
      widths_.push_back(std::min(step - 6, 120.0));
    }
  }

  void layout() {
    box_of_.assign(static_cast<std::size_t>(plan_.switches()), 0);
    const int leaf_boxes = (plan_.leaves + per_box(plan_.leaves, plan_.leaves_per_group) - 1) /
                           per_box(plan_.leaves, plan_.leaves_per_group);
    const double width = std::max(760.0, leaf_boxes * 46.0);
    double y = 100;
    if (plan_.cores > 0) {
      add_level(plan_.leaves + plan_.spines, plan_.cores, 0, y, width);
      y += level_gap;
    }
    const int spines_per_group = plan_.groups > 1 ? plan_.spines_per_group : 0;
    const int leaves_per_group = plan_.groups > 1 ? plan_.leaves_per_group : 0;
    if (plan_.spines > 0) {
      add_level(plan_.leaves, plan_.spines, spines_per_group,
                y + (plan_.cores == 0 && plan_.groups > 1 ? 60 : 0), width);
      y += level_gap + (plan_.cores == 0 && plan_.groups > 1 ? 60 : 0);
    }
    add_level(0, plan_.leaves, leaves_per_group, y, width);
    count_nodes();
  }

  /// The last two dimensions as a square; further ones as squares beside each other.
  void layout_torus() {
    box_of_.assign(static_cast<std::size_t>(plan_.switches()), 0);
    const int columns = plan_.torus.back();
    const int rows = plan_.torus[plan_.torus.size() - 2];
    const double cell =
        std::clamp(1400.0 / (columns * (plan_.torus.size() > 2 ? plan_.torus[0] : 1)), 16.0, 64.0);
    for (int s = 0; s < plan_.leaves; ++s) {
      const int plane = s / (rows * columns);
      const double x = margin + cell * (s % columns + 0.5) + plane * (columns + 1) * cell;
      const double y = 90 + cell * (s / columns % rows + 0.5) + plane * cell * 0.4;
      box_of_[static_cast<std::size_t>(s)] = static_cast<int>(boxes_.size());
      boxes_.push_back({s, 1, {x, y}, 0});
      widths_.push_back(cell * 0.6);
    }
  }

  void count_nodes() {
    std::map<int, std::set<int>> nodes;
    for (std::size_t port = 0; port < plan_.node_leaf.size(); ++port) {
      nodes[box_of_[static_cast<std::size_t>(plan_.node_leaf[port])]].insert(static_cast<int>(port) /
                                                                             std::max(1, plan_.nics));
    }
    for (const auto& [box, inside] : nodes)
      boxes_[static_cast<std::size_t>(box)].nodes = static_cast<int>(inside.size());
  }

  /// Cables between two levels that would cover the page become one bar, which every box of both is joined
  /// to.
  void draw_buses(std::map<std::pair<int, int>, int>& bundles) {
    constexpr std::size_t most_lines = 100;
    if (!plan_.torus.empty()) return;
    std::map<std::pair<double, double>, std::vector<std::pair<int, int>>> levels;
    for (const auto& [ends, cables] : bundles) {
      const auto y = std::minmax(boxes_[static_cast<std::size_t>(ends.first)].at.y,
                                 boxes_[static_cast<std::size_t>(ends.second)].at.y);
      if (y.first < y.second) levels[y].push_back(ends);
    }
    for (const auto& [y, lines] : levels) {
      if (lines.size() <= most_lines) continue;
      int cables = 0;
      std::set<int> joined;
      for (const auto& ends : lines) {
        cables += bundles.at(ends);
        joined.insert({ends.first, ends.second});
        bundles.erase(ends);
      }
      draw_bus(joined, (y.first + y.second) / 2, cables);
    }
  }

  void draw_bus(const std::set<int>& joined, double y, int cables) {
    double left = 1e9;
    double right = 0;
    for (const int box : joined) {
      const Point at = boxes_[static_cast<std::size_t>(box)].at;
      svg_.line({at.x, at.y + (at.y < y ? 1 : -1) * box_height / 2}, {at.x, y}, "trunk", at.y < y ? 5 : 2.5);
      left = std::min(left, at.x);
      right = std::max(right, at.x);
    }
    svg_.line({left, y}, {right, y}, "trunk", 9);
    svg_.rect({(left + right) / 2 - 150, y - 12}, 300, 24, "box");
    svg_.text({(left + right) / 2, y + 4}, fmt::format("{} cables between these levels", cables), "");
  }

  void draw_trunks() {
    std::map<std::pair<int, int>, int> bundles;
    for (const Trunk& trunk : plan_.trunks) {
      const int a = box_of_[static_cast<std::size_t>(trunk.a)];
      const int b = box_of_[static_cast<std::size_t>(trunk.b)];
      bundles[std::minmax(a, b)] += trunk.cables;
    }
    draw_buses(bundles);
    int widest = 1;
    for (const auto& [ends, cables] : bundles) widest = std::max(widest, cables);
    for (const auto& [ends, cables] : bundles) {
      const Point a = boxes_[static_cast<std::size_t>(ends.first)].at;
      const Point b = boxes_[static_cast<std::size_t>(ends.second)].at;
      const double width = 0.5 + 2.5 * cables / widest;
      if (ends.first == ends.second) continue;
      if (!plan_.torus.empty()) {
        const bool around = std::abs(a.x - b.x) + std::abs(a.y - b.y) > 1.6 * widths_.front() / 0.6;
        if (around)
          svg_.arc(a, b, 0.12 * std::abs(a.x - b.x) + 8, "trunk", width * 0.4);
        else
          svg_.line(a, b, "trunk", width);
      } else if (std::abs(a.y - b.y) < 1) {
        svg_.arc({a.x, a.y - box_height / 2}, {b.x, b.y - box_height / 2},
                 -std::min(70.0, 14 + 0.1 * std::abs(a.x - b.x)), "trunk", width);
      } else {
        const double sign = a.y < b.y ? 1 : -1;
        svg_.line({a.x, a.y + sign * box_height / 2}, {b.x, b.y - sign * box_height / 2}, "trunk", width);
      }
    }
  }

  [[nodiscard]] std::string_view style_of(const Box& box) const {
    if (box.first < plan_.leaves) return "leaf";
    return box.first < plan_.leaves + plan_.spines ? "spine" : "core";
  }

  void draw_boxes() {
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      const Box& box = boxes_[i];
      const double width = std::max(widths_[i], 6.0);
      const double height = plan_.torus.empty() ? box_height : widths_[i];
      svg_.rect({box.at.x - width / 2, box.at.y - height / 2}, width, height, style_of(box));
      const int base = style_of(box) == "leaf"    ? 0
                       : style_of(box) == "spine" ? plan_.leaves
                                                  : plan_.leaves + plan_.spines;
      const std::string name =
          box.count == 1 ? fmt::format("{}", box.first - base) : fmt::format("{}x", box.count);
      if (width >= 18) svg_.text({box.at.x, box.at.y + 4}, name, "");
      if (box.nodes == 0) continue;
      svg_.line({box.at.x, box.at.y + height / 2}, {box.at.x, box.at.y + height / 2 + 34}, "network", 3);
      svg_.rect({box.at.x - width / 2, box.at.y + height / 2 + 34}, width, 26, "server");
      svg_.text({box.at.x, box.at.y + height / 2 + 51}, fmt::format("{}", box.nodes), "");
    }
    if (!plan_.torus.empty()) return;
    std::set<double> named;
    for (const Box& box : boxes_) {
      if (!named.insert(box.at.y).second) continue;
      const std::string_view style = style_of(box);
      svg_.text({margin, box.at.y - box_height / 2 - 8},
                style == "leaf"    ? "leaves"
                : style == "spine" ? "spines"
                                   : "cores",
                "note", "start");
      if (style == "leaf")
        svg_.text({margin, box.at.y + box_height / 2 + 78},
                  "nodes with ports there (a line is as wide as it has cables)", "note", "start");
    }
  }

  const FabricPlan& plan_;
  std::string_view title_;
  Svg svg_;
  std::vector<Box> boxes_;
  std::vector<double> widths_;
  std::vector<int> box_of_;  ///< of each switch
};

}  // namespace

std::string draw_fabric(const FabricPlan& plan, std::string_view title) {
  return FabricDrawing{plan, title}.draw();
}

}  // namespace rackcast
