#include "reports/drawings/machine_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

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

/// How full links are, in steps that a page can tell apart; class load0 to load4.
struct LoadStep {
  double from;  ///< share of a step
  std::string_view words;
};
constexpr LoadStep load_steps[] = {
    {0, "below 1 %"}, {0.01, "1 to 10 %"}, {0.1, "10 to 30 %"}, {0.3, "30 to 60 %"}, {0.6, "60 % and more"}};

std::size_t step_of(double load) {
  std::size_t step = 0;
  while (step + 1 < std::size(load_steps) && load >= load_steps[step + 1].from) ++step;
  return step;
}

std::string style_of(const Shape& shape, const LineLoads& loads) {
  const auto at = loads.find(shape.style);
  return at == loads.end() ? shape.style : fmt::format("{} load{}", shape.style, step_of(at->second));
}

/// One line below the drawing; `letters`: pixels of a letter's height.
std::string legend(double x, double y, double letters) {
  const double width = 11 * letters, line = 2 * letters;
  std::string out =
      fmt::format(R"(<text class="note" x="{:.1f}" y="{:.1f}">How full in a step:</text>)", x, y);
  x += width;
  for (std::size_t i = 0; i < std::size(load_steps); ++i, x += width) {
    out += fmt::format(R"(<polyline class="load{}" stroke-width="4" points="{:.1f},{:.1f} {:.1f},{:.1f}"/>)",
                       i, x, y - letters / 3, x + line, y - letters / 3);
    out += fmt::format(R"(<text class="note" x="{:.1f}" y="{:.1f}">{}</text>)", x + line + letters / 2, y,
                       load_steps[i].words);
  }
  return out;
}

std::string element(const Shape& shape, const LineLoads& loads) {
  const std::vector<double>& n = shape.numbers;
  const std::string style = style_of(shape, loads);
  switch (shape.kind) {
    case Shape::Kind::rect:
      return fmt::format(R"(<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>)",
                         shape.style, n[0], n[1], n[2], n[3]);
    case Shape::Kind::line:
      return fmt::format(R"(<polyline class="{}" stroke-width="{:.2f}" points="{}"/>)", style, shape.width,
                         points_of(n));
    case Shape::Kind::arc: {
      const double bend = n[4] * 4 / 3;
      return fmt::format(
          R"(<path class="{}" stroke-width="{:.2f}" d="M{:.1f},{:.1f} C{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}"/>)",
          style, shape.width, n[0], n[1], n[0], n[1] + bend, n[2], n[3] + bend, n[2], n[3]);
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

LineLoads line_loads(const std::vector<WorkloadResult>& workloads) {
  LineLoads out;
  for (const WorkloadResult& workload : workloads) {
    for (const doc::LinkShare& link : workload.links) {
      const auto between = [&link](std::string_view one, std::string_view other) {
        return (link.from == one && link.to == other) || (link.from == other && link.to == one);
      };
      const char* style = between("nic", "leaf")                                ? "network"
                          : between("storage", "leaf")                          ? "storage-cable"
                          : between("core", "spine") || between("core", "leaf") ? "core-trunk"
                          : between("spine", "leaf") || between("spine", "spine") || between("leaf", "leaf")
                              ? "trunk"
                              : nullptr;
      if (style == nullptr) continue;
      double& load = out[style];
      load = std::max(load, link.fullest);
    }
  }
  if (out.empty()) return out;
  for (const char* style : {"network", "storage-cable", "trunk", "core-trunk"}) out.try_emplace(style, 0);
  return out;
}

Drawing machine_drawing(const MachineDrawing& drawing, const LineLoads& loads) {
  std::string body;
  for (const Shape& shape : drawing.shapes) body += element(shape, loads);
  const double top = top_of(drawing), width = drawing.width + drawing_margin, letters = letters_of(width);
  double height = drawing.height + drawing_margin - top;
  if (!loads.empty()) {
    body += legend(drawing_margin, top + height + letters, letters);
    height += 2 * letters;
  }
  return {
      drawing.title + (drawing.words.empty() ? "" : ": " + drawing.words), drawing.words,
      fmt::format(
          R"(<svg class="machine" viewBox="0 {:.0f} {:.0f} {:.0f}" style="width:{:.0f}px;--letters:{:.1f}px">{}</svg>)",
          top, width, height, width, letters, body)};
}

}  // namespace rackcast::reports
