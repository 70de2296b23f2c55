#include "reports/drawings/level_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/blocks/display_text.hpp"
#include "reports/blocks/html_text.hpp"

namespace rackcast::reports {
namespace {

constexpr double page_width = 560, box_height = 24, label_height = 20, gap = 56, between = 24;
constexpr double least_box = 26;  ///< width of a box that can carry a number

/// Boxes of one group, side by side; the last one says how many more there are.
class Boxes {
 public:
  Boxes(const LevelDrawing::Group& group, double x, double width)
      : group_(group), x_(x), width_(width), shown_(std::clamp<std::int64_t>(group.count, 1, most(width))) {}

  /// The middle of each box along the page.
  [[nodiscard]] std::vector<double> middles() const {
    std::vector<double> at;
    for (std::int64_t i = 0; i < shown_; ++i) at.push_back(x_ + step() * (static_cast<double>(i) + 0.5));
    return at;
  }

  [[nodiscard]] std::string draw(double y) const {
    const auto columns = static_cast<int>(width_ / 8);
    const auto lines = wrap(group_.label, std::max(columns, 8));
    std::string out =
        fmt::format(R"(<text x="{:.1f}" y="{:.1f}">{}{}<title>{}</title></text>)", x_ + 2, y + 14,
                    html_escape(lines.front()), lines.size() > 1 ? "…" : "", html_escape(group_.label));
    for (std::int64_t i = 0; i < shown_; ++i) {
      const bool rest = i + 1 == shown_ && group_.count > shown_;
      const double left = x_ + step() * static_cast<double>(i);
      out += fmt::format(R"(<rect class="s{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{}"/>)",
                         group_.colour, left + 1, y + label_height, step() - 2, box_height);
      const std::string name =
          rest ? fmt::format("+{}", group_.count - shown_ + 1) : fmt::format("{}", i + 1);
      if (step() >= least_box || rest) {
        out += fmt::format(R"(<text class="on middle" x="{:.1f}" y="{:.1f}">{}</text>)", left + step() / 2,
                           y + label_height + 17, name);
      }
    }
    return out;
  }

 private:
  static std::int64_t most(double width) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(width / 44));
  }
  [[nodiscard]] double step() const { return std::min(width_ / static_cast<double>(shown_), 110.0); }

  const LevelDrawing::Group& group_;
  double x_, width_;
  std::int64_t shown_;
};

std::vector<Boxes> boxes_of(const std::vector<LevelDrawing::Group>& row) {
  const double each =
      (page_width - between * static_cast<double>(row.size() - 1)) / static_cast<double>(row.size());
  std::vector<Boxes> boxes;
  for (std::size_t i = 0; i < row.size(); ++i) {
    boxes.emplace_back(row[i], static_cast<double>(i) * (each + between), each);
  }
  return boxes;
}

/// A bar between two rows that every box of both is joined to.
std::string join(const std::vector<Boxes>& above, const std::vector<Boxes>& below, double y,
                 const std::string& label) {
  const double bar = y + gap / 2;
  std::string out;
  double left = page_width, right = 0;
  const auto stems = [&](const std::vector<Boxes>& row, double from, double to) {
    for (const Boxes& boxes : row) {
      for (const double x : boxes.middles()) {
        out += fmt::format(R"(<path class="line" d="M{:.1f},{:.1f} V{:.1f}"/>)", x, from, to);
        left = std::min(left, x);
        right = std::max(right, x);
      }
    }
  };
  stems(above, y, bar);
  stems(below, bar, y + gap);
  out += fmt::format(R"(<path class="trunk" d="M{:.1f},{:.1f} H{:.1f}"/>)", left - 3, bar, right + 3);
  if (!label.empty()) {
    out += fmt::format(R"(<text class="small" x="{:.1f}" y="{:.1f}">{}</text>)",
                       right + 10 < page_width - 80 ? right + 10 : left + 4,
                       bar + (right + 10 < page_width - 80 ? 4 : -7), html_escape(label));
  }
  return out;
}

}  // namespace

std::string level_svg(const LevelDrawing& drawing) {
  std::string out;
  double y = 0;
  for (std::size_t i = 0; i < drawing.rows.size(); ++i) {
    if (drawing.rows[i].empty()) continue;
    const auto boxes = boxes_of(drawing.rows[i]);
    for (const Boxes& group : boxes) out += group.draw(y);
    y += label_height + box_height;
    if (i + 1 < drawing.rows.size() && !drawing.rows[i + 1].empty()) {
      out += join(boxes, boxes_of(drawing.rows[i + 1]), y, i < drawing.joins.size() ? drawing.joins[i] : "");
      y += gap;
    }
  }
  return fmt::format(R"(<svg class="plan" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}">{2}</svg>)",
                     page_width, y + 4, out);
}

}  // namespace rackcast::reports
