#include "reports/floor_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/html_text.hpp"

namespace rackcast::reports {
namespace {

constexpr double page_width = 560, margin = 2, most_per_metre = 60, foot = 34;
constexpr double room_for_number = 20;  ///< pixels of a rack that can carry its number

int rows_of(const FloorDrawing& floor) {
  return (floor.racks + floor.racks_per_row - 1) / floor.racks_per_row;
}

/// Depth of the aisle above row `row`; the rows and one more, below the last.
double aisle(const FloorDrawing& floor, int row) {
  return row % 2 == 0 ? floor.cold_aisle : floor.hot_aisle;
}

class FloorSvg {
 public:
  explicit FloorSvg(const FloorDrawing& floor)
      : floor_(floor),
        scale_(std::min(most_per_metre, (page_width - 2 * margin) / floor_size(floor).first)) {}

  std::string draw() {
    const auto [width, depth] = floor_size(floor_);
    const double wide = std::max(width * scale_, 300.0) + 2 * margin;
    double y = margin;
    const int rows = rows_of(floor_);
    for (int row = 0; row <= rows; ++row) {
      draw_aisle(row, y, width);
      y += aisle(floor_, row) * scale_;
      if (row == rows) break;
      draw_row(row, y);
      y += floor_.rack_depth * scale_;
    }
    out_ += fmt::format(R"(<path class="line" d="M{0},{1:.1f} h{2:.1f} m{3:.1f},-5 v10 M{0},{4:.1f} v10"/>)",
                        margin, y + 18, scale_, 0.0, y + 13);
    out_ += fmt::format(
        R"(<text class="small" x="{:.1f}" y="{:.1f}">1 m; a thick edge is the front of a rack</text>)",
        margin + scale_ + 10, y + 22);
    return fmt::format(R"(<svg class="plan" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}">{2}</svg>)", wide,
                       y + foot, out_);
  }

 private:
  void draw_aisle(int row, double y, double width) {
    const double depth = aisle(floor_, row) * scale_;
    if (depth <= 0) return;
    out_ += fmt::format(R"(<rect class="aisle{}" x="{}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>)",
                        row % 2 == 0 ? "" : " hot", margin, y, width * scale_, depth);
    if (depth < 13) return;
    out_ += fmt::format(R"(<text class="small" x="{}" y="{:.1f}">{}</text>)", margin + 4, y + depth / 2 + 4,
                        row % 2 == 0 ? "cold aisle" : "hot aisle");
  }

  void draw_row(int row, double y) {
    const int first = row * floor_.racks_per_row + 1;
    const int last = std::min(floor_.racks, first + floor_.racks_per_row - 1);
    const double width = floor_.rack_width * scale_, depth = floor_.rack_depth * scale_;
    const double front = row % 2 == 0 ? y : y + depth;
    for (int rack = first; rack <= last; ++rack) {
      const double x = margin + (rack - first) * width;
      const auto [colour, contents] = kind_of(rack);
      out_ += fmt::format(
          R"(<rect class="s{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"><title>{}</title></rect>)",
          colour, x, y, width, depth, html_escape(fmt::format("Rack {}: {}", rack, contents)));
      if (width >= room_for_number || rack == first) {
        out_ += fmt::format(R"(<text class="on{}" x="{:.1f}" y="{:.1f}">{}</text>)",
                            width >= room_for_number ? " middle" : "",
                            x + (width >= room_for_number ? width / 2 : 1), y + depth / 2 + 5, rack);
      }
    }
    out_ += fmt::format(R"(<path class="front" d="M{:.1f},{:.1f} h{:.1f}"/>)", margin, front,
                        (last - first + 1) * width);
  }

  /// Colour and contents of a rack, counted from 1.
  [[nodiscard]] std::pair<std::size_t, std::string> kind_of(int rack) const {
    const auto index = static_cast<std::size_t>(rack - 1);
    const std::size_t kind = index < floor_.kind_of.size() ? floor_.kind_of[index] : floor_.contents.size();
    return {std::min<std::size_t>(kind, 5),
            kind < floor_.contents.size() ? floor_.contents[kind] : "not listed"};
  }

  const FloorDrawing& floor_;
  double scale_;  ///< pixels of a metre
  std::string out_;
};

}  // namespace

std::pair<double, double> floor_size(const FloorDrawing& floor) {
  const int rows = rows_of(floor);
  double depth = rows * floor.rack_depth;
  for (int row = 0; row <= rows; ++row) depth += aisle(floor, row);
  return {std::min(floor.racks, floor.racks_per_row) * floor.rack_width, depth};
}

std::string floor_svg(const FloorDrawing& floor) {
  return floor.racks < 1 || floor.racks_per_row < 1 ? std::string{} : FloorSvg(floor).draw();
}

}  // namespace rackcast::reports
