#include "reports/drawings/floor_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/blocks/html_text.hpp"

namespace rackcast::reports {
namespace {

constexpr double page_width = 560, least_width = 420, floor_margin = 2, foot = 34;  ///< pixels
constexpr double most_per_metre = 100, label_height = 13, digit_width = 8.4;
constexpr double between_columns = 1.2;  ///< m, of the drawing
constexpr int most_rows = 12;            ///< below each other; more go on in the next column

int rows_of(const FloorDrawing& floor) {
  return (floor.racks + floor.racks_per_row - 1) / floor.racks_per_row;
}

/// Depth of the aisle above row `row`; the rows and one more, below the last.
double aisle(const FloorDrawing& floor, int row) {
  return row % 2 == 0 ? floor.cold_aisle : floor.hot_aisle;
}

/// Rows below each other before the drawing goes on in the next column; even, so that columns begin alike.
int rows_per_column(const FloorDrawing& floor) {
  const int rows = rows_of(floor);
  if (rows <= most_rows) return rows;
  const auto [width, depth] = floor_size(floor);
  const double columns = std::ceil(std::sqrt(depth / (width + between_columns)));
  return 2 * static_cast<int>(std::ceil(rows / columns / 2));
}

class FloorSvg {
 public:
  explicit FloorSvg(const FloorDrawing& floor)
      : floor_(floor),
        rows_(rows_of(floor)),
        per_column_(rows_per_column(floor)),
        width_(floor_size(floor).first) {
    const int columns = floor_columns(floor);
    metres_ = columns * width_ + (columns - 1) * between_columns;
    scale_ = std::min(most_per_metre, (page_width - 2 * floor_margin) / metres_);
  }

  std::string draw() {
    double lowest = 0;
    for (int begin = 0; begin < rows_; begin += per_column_) {
      const int column = begin / per_column_;
      left_ = floor_margin + column * (width_ + between_columns) * scale_;
      lowest = std::max(lowest, draw_column(begin, std::min(rows_, begin + per_column_)));
    }
    const double wide = std::max(metres_ * scale_, least_width) + 2 * floor_margin;
    out_ += fmt::format(R"(<path class="line" d="M{0},{1:.1f} h{2:.1f} m0,-5 v10 M{0},{3:.1f} v10"/>)",
                        floor_margin, lowest + 18, scale_, lowest + 13);
    out_ += fmt::format(
        R"(<text class="small" x="{:.1f}" y="{:.1f}">1 m; a thick edge is the front of a rack</text>)",
        floor_margin + scale_ + 10, lowest + 22);
    return fmt::format(R"(<svg class="plan" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}">{2}</svg>)", wide,
                       lowest + foot, out_);
  }

 private:
  /// Rows [begin, end) with their aisles; returns where they end.
  double draw_column(int begin, int end) {
    double y = floor_margin;
    for (int row = begin; row <= end; ++row) {
      draw_aisle(row, y);
      y += aisle(floor_, row) * scale_;
      if (row == end) break;
      draw_row(row, y);
      y += floor_.rack_depth * scale_;
    }
    return y;
  }

  void draw_aisle(int row, double y) {
    const double depth = aisle(floor_, row) * scale_;
    if (depth <= 0) return;
    out_ += fmt::format(R"(<rect class="aisle{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>)",
                        row % 2 == 0 ? "" : " hot", left_, y, width_ * scale_, depth);
    if (depth < label_height) return;
    out_ += fmt::format(R"(<text class="small" x="{:.1f}" y="{:.1f}">{}</text>)", left_ + 4,
                        y + depth / 2 + 4, row % 2 == 0 ? "cold aisle" : "hot aisle");
  }

  void draw_row(int row, double y) {
    const int first = row * floor_.racks_per_row + 1;
    const int last = std::min(floor_.racks, first + floor_.racks_per_row - 1);
    const double width = floor_.rack_width * scale_, depth = floor_.rack_depth * scale_;
    const double front = row % 2 == 0 ? y : y + depth;
    for (int rack = first; rack <= last; ++rack) {
      const double x = left_ + (rack - first) * width;
      const auto [colour, contents] = kind_of(rack);
      out_ += fmt::format(
          R"(<rect class="s{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"><title>{}</title></rect>)",
          colour, x, y, width, depth, html_escape(fmt::format("Rack {}: {}", rack, contents)));
      const std::string number = fmt::format("{}", rack);
      const bool fits = width >= digit_width * static_cast<double>(number.size()) + 2;
      if (depth >= label_height && fits) {
        out_ += fmt::format(R"(<text class="on middle" x="{:.1f}" y="{:.1f}">{}</text>)", x + width / 2,
                            y + depth / 2 + 5, number);
      }
    }
    out_ += fmt::format(R"(<path class="front" d="M{:.1f},{:.1f} h{:.1f}"/>)", left_, front,
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
  int rows_, per_column_;
  double width_;                              ///< of a row, m
  double metres_ = 0, scale_ = 0, left_ = 0;  ///< of the page; pixels of a metre; where the column begins
  std::string out_;
};

}  // namespace

std::pair<double, double> floor_size(const FloorDrawing& floor) {
  const int rows = rows_of(floor);
  double depth = rows * floor.rack_depth;
  for (int row = 0; row <= rows; ++row) depth += aisle(floor, row);
  return {std::min(floor.racks, floor.racks_per_row) * floor.rack_width, depth};
}

int floor_columns(const FloorDrawing& floor) {
  if (floor.racks < 1 || floor.racks_per_row < 1) return 0;
  const int each = rows_per_column(floor);
  return (rows_of(floor) + each - 1) / each;
}

std::string floor_svg(const FloorDrawing& floor) {
  return floor.racks < 1 || floor.racks_per_row < 1 ? std::string{} : FloorSvg(floor).draw();
}

}  // namespace rackcast::reports
