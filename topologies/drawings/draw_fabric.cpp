#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "topologies/catalog/plain_name.hpp"
#include "topologies/drawings/drawings.hpp"
#include "topologies/drawings/svg.hpp"

namespace rackcast {
namespace {

constexpr double margin = 28, box_height = 30, level_gap = 120, storage_width = 110;
constexpr int most_boxes = 24;           ///< of one level, before switches share one
constexpr int most_nodes = 16;           ///< that are drawn one by one
constexpr int most_cables = 144;         ///< of a level that are drawn one by one
constexpr std::size_t most_counts = 24;  ///< bundles of a drawing that carry their number of cables

/// Switches of one level that are drawn as one box.
struct Box {
  int first = 0, count = 0;
  Point at;
  int nodes = 0;  ///< with ports below
};

std::string words_of(const FabricPlan& plan) {
  std::string kind = plan.kind;
  std::ranges::replace(kind, '_', ' ');
  std::string text = fmt::format("{}: {} nodes with {} {} port{}, {} {} ({})", kind, plan.nodes, plan.nics,
                                 plain_name(plan.port_link.id), plan.nics == 1 ? "" : "s", plan.leaves,
                                 plan.leaves == 1 ? "leaf" : "leaves", plan.leaf.name);
  if (plan.spines > 0) text += fmt::format(", {} spines ({})", plan.spines, plan.spine.name);
  if (plan.cores > 0) text += fmt::format(", {} cores ({})", plan.cores, plan.core.name);
  if (plan.storage_servers > 0)
    text += fmt::format(", {} storage server{}", plan.storage_servers, plan.storage_servers == 1 ? "" : "s");
  return plan.leaves == 1 ? text : text + fmt::format(", {} cables between switches", plan.trunk_cables());
}

class FabricDrawing {
 public:
  FabricDrawing(const FabricPlan& plan, std::string_view title) : plan_(plan), title_(title) {}

  Picture draw() {
    if (!title_.empty()) {
      svg_.text({margin, 34}, title_, "title", "start");
      svg_.text({margin, 54}, words_of(plan_), "note", "start");
    }
    if (plan_.torus.empty()) {
      layout();
    } else {
      layout_torus();
    }
    draw_trunks();
    if (draws_nodes()) draw_nodes();
    draw_boxes();
    return svg_.picture();
  }

 private:
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
      draw_bus(joined, (y.first + y.second) / 2, cables, style_between(*joined.begin(), *joined.rbegin()));
    }
  }

  /// Cables to cores are not those between leaves and spines.
  [[nodiscard]] std::string_view style_between(int a, int b) const {
    const int first =
        std::max(boxes_[static_cast<std::size_t>(a)].first, boxes_[static_cast<std::size_t>(b)].first);
    return first >= plan_.leaves + plan_.spines ? "core-trunk" : "trunk";
  }

  void draw_bus(const std::set<int>& joined, double y, int cables, std::string_view style) {
    double left = 1e9;
    double right = 0;
    for (const int box : joined) {
      const Point at = boxes_[static_cast<std::size_t>(box)].at;
      svg_.line({at.x, at.y + (at.y < y ? 1 : -1) * box_height / 2}, {at.x, y}, style, at.y < y ? 5 : 2.5);
      left = std::min(left, at.x);
      right = std::max(right, at.x);
    }
    svg_.line({left, y}, {right, y}, style, 9);
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
    int between = 0;  // cables of all levels
    for (const auto& [ends, cables] : bundles) {
      widest = std::max(widest, cables);
      between += cables;
    }
    const bool single = between <= most_cables && widest <= 4;
    std::vector<std::pair<Point, int>> counts;
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
                 -std::min(70.0, 14 + 0.1 * std::abs(a.x - b.x)), style_between(ends.first, ends.second),
                 width);
      } else {
        draw_bundle(a, b, cables, single ? 0 : width, style_between(ends.first, ends.second));
        if (!single && bundles.size() <= most_counts) counts.emplace_back(at_share(a, b, 0.32), cables);
      }
    }
    for (const auto& [at, cables] : counts) {
      svg_.rect({at.x - 15, at.y - 12}, 30, 16, "box");
      svg_.text(at, fmt::format("{}", cables), "");
    }
  }

  static Point at_share(Point a, Point b, double share) {
    return {a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share};
  }

  /// Between boxes of two levels: one line of that width for all cables, or 0 for a line of each.
  void draw_bundle(Point a, Point b, int cables, double width, std::string_view style) {
    const bool single = width <= 0;
    const double sign = a.y < b.y ? 1 : -1, spread = 3;
    for (int i = 0; i < (single ? cables : 1); ++i) {
      const double aside = single ? spread * (i - (cables - 1) / 2.0) : 0;
      svg_.line({a.x + aside, a.y + sign * box_height / 2}, {b.x + aside, b.y - sign * box_height / 2}, style,
                single ? 1.2 : width);
    }
  }

  [[nodiscard]] std::string_view style_of(const Box& box) const {
    if (box.first < plan_.leaves) return "leaf";
    return box.first < plan_.leaves + plan_.spines ? "spine" : "core";
  }

  /// Every node a box and every port a cable, where they are few.
  [[nodiscard]] bool draws_nodes() const {
    return plan_.torus.empty() && plan_.nodes > 0 && plan_.nodes <= most_nodes &&
           plan_.leaves <= most_boxes && plan_.node_cables() <= most_cables;
  }

  void draw_nodes() {
    double left = 1e9, right = 0, bottom = 0;
    for (const Box& box : boxes_) {
      left = std::min(left, box.at.x);
      right = std::max(right, box.at.x);
      bottom = std::max(bottom, box.at.y);
    }
    const double storage = plan_.storage_servers > 0 ? storage_width + 24 : 0;
    const double width = std::max(right - left + 120, plan_.nodes * 46.0 + storage) - storage;
    std::vector<int> cables(boxes_.size(), 0), drawn(boxes_.size(), 0);
    for (const int leaf : plan_.node_leaf)
      ++cables[static_cast<std::size_t>(box_of_[static_cast<std::size_t>(leaf)])];
    const double y = bottom + level_gap + 20, step = width / plan_.nodes,
                 box_width = std::min(step - 6, 120.0),
                 begin = std::max(margin, (left + right - width - storage) / 2);  // below the middle
    for (int node = 0; node < plan_.nodes; ++node) {
      const double x = begin + step * (node + 0.5);
      for (int port = 0; port < plan_.nics; ++port) {
        const int leaf = plan_.node_leaf[static_cast<std::size_t>(node * plan_.nics + port)];
        const auto box = static_cast<std::size_t>(box_of_[static_cast<std::size_t>(leaf)]);
        const double from = x + box_width * ((port + 0.5) / plan_.nics - 0.5) * 0.8;
        const double share = (drawn[box]++ + 0.5) / cables[box] - 0.5;
        svg_.line({from, y - box_height / 2},
                  {boxes_[box].at.x + 0.8 * widths_[box] * share, boxes_[box].at.y + box_height / 2},
                  "network", 1.2);
      }
      svg_.rect({x - box_width / 2, y - box_height / 2}, box_width, box_height, "server");
      svg_.text({x, y + 4}, fmt::format("{}", node), "");
    }
    if (storage > 0) draw_storage({begin + width + 24 + storage_width / 2, y});
    svg_.text(
        {margin, y + box_height / 2 + 18},
        fmt::format("nodes; each line is one cable, {} to each node{}", plan_.nics,
                    storage > 0 ? "; storage servers as one box, its lines as wide as they have cables" : ""),
        "note", "start");
  }

  /// All storage servers as one box.
  void draw_storage(Point at) {
    std::map<std::size_t, int> cables;
    for (const int leaf : plan_.storage_leaf)
      ++cables[static_cast<std::size_t>(box_of_[static_cast<std::size_t>(leaf)])];
    for (const auto& [box, count] : cables)
      svg_.line({at.x, at.y - box_height / 2}, {boxes_[box].at.x, boxes_[box].at.y + box_height / 2},
                "storage-cable", std::min(6.0, 1.0 + 0.4 * count));
    svg_.rect({at.x - storage_width / 2, at.y - box_height / 2}, storage_width, box_height, "storage");
    svg_.text({at.x, at.y + 4}, fmt::format("{} storage", plan_.storage_servers), "");
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
          box.count == 1 ? fmt::format("{}", box.first - base) : fmt::format("{} ×", box.count);
      if (width >= 18) svg_.text({box.at.x, box.at.y + 4}, name, "");
      if (box.nodes == 0 || draws_nodes()) continue;
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
      if (style == "leaf" && !draws_nodes())
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

std::string words_of_fabric(const FabricPlan& plan) {
  return words_of(plan);
}

Picture picture_of_fabric(const FabricPlan& plan, std::string_view title) {
  return FabricDrawing{plan, title}.draw();
}

std::string draw_fabric(const FabricPlan& plan, std::string_view title) {
  return svg_document(picture_of_fabric(plan, title), title);
}

}  // namespace rackcast
