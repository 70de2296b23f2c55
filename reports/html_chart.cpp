#include "reports/html_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reports/html_text.hpp"

namespace rackcast::reports {
namespace {

constexpr std::size_t part_colours = 6;
constexpr double label_from_share = 0.09;  ///< a narrower part has no room for its percentage

struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = 0;

  void include(double value) {
    if (value > 0 && std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  /// Room at both ends, as a share of the logarithmic length.
  void widen(double share) {
    const double factor = std::pow(high / low, share) * 1.02;
    low /= factor;
    high *= factor;
  }
};

/// From values to pixels of one plot.
class Plot {
 public:
  Plot(const Chart& chart, double width, double height) : chart_(chart), width_(width), height_(height) {
    for (const auto& line : chart.lines) {
      for (const auto& point : line.points) {
        x_.include(point.x);
        y_.include(point.low);
        y_.include(point.high);
      }
    }
    if (drawable()) {
      x_.widen(0.04);
      y_.widen(0.06);
    }
  }

  [[nodiscard]] bool drawable() const { return x_.high > 0 && y_.high > 0; }

  std::string svg() {
    out_ = fmt::format(R"(<svg viewBox="0 0 {} {}" role="img" aria-label="{}">)", width_, height_,
                       html_escape(chart_.caption));
    grid();
    for (std::size_t i = 0; i < chart_.lines.size(); ++i) {
      band(chart_.lines[i], i);
    }
    for (std::size_t i = chart_.lines.size(); i-- > 0;) {
      curve(chart_.lines[i], i);
    }
    mark();
    return out_ + "</svg>";
  }

 private:
  static constexpr double left = 96, right = 14, top = 14, bottom = 46;

  [[nodiscard]] double px(double x) const {
    return left + (width_ - left - right) * std::log(x / x_.low) / std::log(x_.high / x_.low);
  }
  [[nodiscard]] double py(double y) const {
    return height_ - bottom - (height_ - top - bottom) * std::log(y / y_.low) / std::log(y_.high / y_.low);
  }

  void grid() {
    for (const Tick& tick : log_ticks(chart_.y.scale, y_.low, y_.high)) {
      out_ += fmt::format(R"(<line class="grid" x1="{0}" y1="{2:.1f}" x2="{1:.1f}" y2="{2:.1f}"/>)", left,
                          width_ - right, py(tick.value));
      out_ += fmt::format(R"(<text class="tick end" x="{}" y="{:.1f}">{}</text>)", left - 8,
                          py(tick.value) + 4, html_escape(tick.text));
    }
    double last = -1e9;
    for (const Tick& tick : log_ticks(chart_.x.scale, x_.low, x_.high)) {
      const double x = px(tick.value);
      if (x - last < 34) {
        continue;  // its text would touch the one before
      }
      last = x;
      out_ += fmt::format(R"(<line class="grid" x1="{0:.1f}" y1="{1}" x2="{0:.1f}" y2="{2}"/>)", x, top,
                          height_ - bottom);
      out_ += fmt::format(R"(<text class="tick mid" x="{:.1f}" y="{}">{}</text>)", x, height_ - bottom + 18,
                          html_escape(tick.text));
    }
    out_ += fmt::format(R"(<path class="axis" d="M{0} {1}V{2}H{3}"/>)", left, top, height_ - bottom,
                        width_ - right);
    out_ += fmt::format(R"(<text class="label mid" x="{:.1f}" y="{}">{}</text>)", (left + width_ - right) / 2,
                        height_ - 8, html_escape(chart_.x.label));
    out_ +=
        fmt::format(R"svg(<text class="label mid" transform="translate(13 {:.1f}) rotate(-90)">{}</text>)svg",
                    (top + height_ - bottom) / 2, html_escape(chart_.y.label));
  }

  void band(const Chart::Line& line, std::size_t index) {
    const bool any = std::ranges::any_of(line.points, [](const auto& p) { return p.low < p.high; });
    if (!any || line.scattered) {
      return;
    }
    std::string path;
    for (const auto& point : line.points) {
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", px(point.x), py(point.high));
    }
    for (auto point = line.points.rbegin(); point != line.points.rend(); ++point) {
      path += fmt::format("L{:.1f} {:.1f}", px(point->x), py(point->low));
    }
    out_ += fmt::format(R"(<path class="band s{}" d="{}Z"/>)", index % part_colours, path);
  }

  void curve(const Chart::Line& line, std::size_t index) {
    std::string path;
    for (const auto& point : line.points) {
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", px(point.x), py(point.y));
    }
    if (!line.scattered) {
      out_ += fmt::format(R"(<path class="line s{}{}" d="{}"/>)", index % part_colours,
                          line.dashed ? " dashed" : "", path);
    }
    for (const auto& point : line.points) {
      if (!line.dashed) {
        out_ += fmt::format(R"(<circle class="dot s{}" cx="{:.1f}" cy="{:.1f}" r="3"/>)",
                            index % part_colours, px(point.x), py(point.y));
      }
    }
  }

  /// The chosen point: a ring on the first line and its name.
  void mark() {
    if (!chart_.marked_x || chart_.lines.empty()) {
      return;
    }
    const auto& points = chart_.lines.front().points;
    const auto found = std::ranges::find(points, *chart_.marked_x, &Chart::Point::x);
    if (found == points.end()) {
      return;
    }
    const double x = px(found->x), y = py(found->y);
    const bool near_right = x > width_ - 120;
    out_ += fmt::format(R"(<circle class="ring" cx="{:.1f}" cy="{:.1f}" r="7"/>)", x, y);
    out_ += fmt::format(R"(<text class="chosen{}" x="{:.1f}" y="{:.1f}">{}</text>)", near_right ? " end" : "",
                        near_right ? x - 11 : x + 11, y - 11, html_escape(chart_.marked_label));
  }

  const Chart& chart_;
  double width_, height_;
  Extent x_, y_;
  std::string out_;
};

}  // namespace

std::string stacked_bar_svg(const StackedBar& bar) {
  double total = 0;
  for (const auto& part : bar.parts) {
    total += part.value;
  }
  if (!(total > 0) || !std::isfinite(total)) {
    return {};
  }
  std::string out =
      fmt::format(R"(<svg class="bar" height="34" role="img" aria-label="{}">)", html_escape(bar.caption));
  double reached = 0;
  for (std::size_t i = 0; i < bar.parts.size(); ++i) {
    const double share = bar.parts[i].value / total;
    out += fmt::format(R"(<rect class="s{}" x="{:.3f}%" y="0" width="{:.3f}%" height="34"/>)",
                       i % part_colours, 100 * reached, 100 * share);
    if (share >= label_from_share) {
      out += fmt::format(R"(<text class="on{}" x="{:.3f}%" y="22">{:.0f} %</text>)", i % part_colours,
                         100 * (reached + share / 2), 100 * share);
    }
    reached += share;
  }
  return out + "</svg>";
}

std::string chart_svg(const Chart& chart, double width, double height) {
  Plot plot(chart, width, height);
  return plot.drawable() ? plot.svg() : std::string{};
}

}  // namespace rackcast::reports
