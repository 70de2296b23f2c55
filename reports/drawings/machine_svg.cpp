#include "reports/drawings/machine_svg.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/blocks/html_text.hpp"

namespace rackcast::reports {
namespace {

using Shape = MachineDrawing::Shape;

constexpr double drawing_margin = 12;

std::string points_of(const std::vector<double>& n) {
  std::string path;
  for (std::size_t i = 0; i + 1 < n.size(); i += 2) {
    path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", n[i], n[i + 1]);
  }
  return path;
}

std::string element(const Shape& shape) {
  const std::vector<double>& n = shape.numbers;
  switch (shape.kind) {
    case Shape::Kind::rect:
      return fmt::format(R"(<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>)",
                         shape.style, n[0], n[1], n[2], n[3]);
    case Shape::Kind::line:
      return fmt::format(R"(<polyline class="{}" stroke-width="{:.2f}" points="{}"/>)", shape.style,
                         shape.width, points_of(n));
    case Shape::Kind::arc: {
      const double bend = n[4] * 4 / 3;
      return fmt::format(
          R"(<path class="{}" stroke-width="{:.2f}" d="M{:.1f},{:.1f} C{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}"/>)",
          shape.style, shape.width, n[0], n[1], n[0], n[1] + bend, n[2], n[3] + bend, n[2], n[3]);
    }
    case Shape::Kind::text:
      break;
  }
  return fmt::format(R"(<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)", shape.style,
                     n[0], n[1], shape.anchor, html_escape(shape.words));
}

/// The highest point of all shapes, about.
double top_of(const MachineDrawing& drawing) {
  double top = drawing.height;
  for (const Shape& shape : drawing.shapes) {
    top = std::min(top, shape.numbers[1] - (shape.kind == Shape::Kind::text ? 12 : 0));
  }
  return std::max(0.0, top - drawing_margin);
}

/// A wide drawing is shown smaller, so its letters are drawn larger, as far as the boxes allow.
double letters_of(double width) {
  constexpr double usual = 12, largest = 18, fits = 880;
  return std::clamp(usual * width / fits, usual, largest);
}

}  // namespace

Drawing machine_drawing(const MachineDrawing& drawing) {
  std::string body;
  for (const Shape& shape : drawing.shapes) {
    body += element(shape);
  }
  const double top = top_of(drawing), width = drawing.width + drawing_margin;
  return {
      drawing.title + (drawing.words.empty() ? "" : ": " + drawing.words), drawing.words,
      fmt::format(
          R"(<svg class="machine" viewBox="0 {:.0f} {:.0f} {:.0f}" style="width:{:.0f}px;--letters:{:.1f}px">{}</svg>)",
          top, width, drawing.height + drawing_margin - top, width, letters_of(width), body)};
}

}  // namespace rackcast::reports
