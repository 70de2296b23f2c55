#include "topologies/drawings/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rackcast {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (static_cast<unsigned char>(c) < 0x20)
      out += ' ';
    else
      out += c;
  }
  return out;
}

constexpr std::string_view style = R"(
text { font-family: "DejaVu Sans", Arial, sans-serif; font-size: 12px; fill: #1f2937; }
text.title { font-size: 17px; font-weight: bold; }
text.note { font-size: 11px; fill: #6b7280; }
text.strong { font-weight: bold; }
text.light { fill: #ffffff; font-weight: bold; }
rect { rx: 4px; stroke: #374151; }
rect.gpu { fill: #4d7c0f; stroke: #365314; } rect.cpu { fill: #1d4ed8; stroke: #1e3a8a; }
rect.plx { fill: #e5e7eb; } rect.nvswitch { fill: #bef264; stroke: #4d7c0f; } rect.nic { fill: #fed7aa; stroke: #9a3412; }
rect.leaf { fill: #bfdbfe; } rect.spine { fill: #c7d2fe; } rect.core { fill: #ddd6fe; } rect.storage { fill: #fde68a; }
rect.box { fill: #f9fafb; stroke: #d1d5db; } rect.rack { fill: #f3f4f6; stroke: #4b5563; }
rect.server { fill: #86a857; stroke: #365314; rx: 1px; } rect.net { fill: #93c5fd; stroke: #1e3a8a; rx: 1px; }
.nvlink { stroke: #65a30d; fill: none; } .xgmi { stroke: #dc2626; fill: none; } .pcie { stroke: #9ca3af; fill: none; }
.socket { stroke: #1d4ed8; fill: none; } .network, .storage-cable { stroke: #c2410c; fill: none; } .trunk, .core-trunk { stroke: #4b5563; fill: none; opacity: 0.55; }
)";

std::string element(const Shape& shape) {
  const std::vector<double>& n = shape.numbers;
  switch (shape.kind) {
    case Shape::Kind::rect:
      return fmt::format(
          "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n", shape.style,
          n[0], n[1], n[2], n[3]);
    case Shape::Kind::line: {
      std::string path;
      for (std::size_t i = 0; i + 1 < n.size(); i += 2)
        path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", n[i], n[i + 1]);
      return fmt::format("<polyline class=\"{}\" stroke-width=\"{:.2f}\" points=\"{}\"/>\n", shape.style,
                         shape.width, path);
    }
    case Shape::Kind::arc: {
      const double bend = n[4] * 4 / 3;
      return fmt::format(
          "<path class=\"{}\" stroke-width=\"{:.2f}\" d=\"M{:.1f},{:.1f} C{:.1f},{:.1f} {:.1f},{:.1f} "
          "{:.1f},{:.1f}\"/>\n",
          shape.style, shape.width, n[0], n[1], n[0], n[1] + bend, n[2], n[3] + bend, n[2], n[3]);
    }
    case Shape::Kind::text:
      break;
  }
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
                     shape.style, n[0], n[1], shape.anchor, escaped(shape.words));
}

}  // namespace

void Svg::grow(Point to) {
  picture_.width = std::max(picture_.width, to.x);
  picture_.height = std::max(picture_.height, to.y);
}

void Svg::rect(Point corner, double width, double height, std::string_view style_class) {
  grow({corner.x + width, corner.y + height});
  picture_.shapes.push_back(
      {Shape::Kind::rect, std::string{style_class}, 1, {corner.x, corner.y, width, height}, {}, {}});
}

void Svg::line(Point a, Point b, std::string_view style_class, double width) {
  polyline({a, b}, style_class, width);
}

void Svg::polyline(const std::vector<Point>& points, std::string_view style_class, double width) {
  std::vector<double> numbers;
  for (const Point& p : points) {
    grow(p);
    numbers.insert(numbers.end(), {p.x, p.y});
  }
  picture_.shapes.push_back({Shape::Kind::line, std::string{style_class}, width, std::move(numbers), {}, {}});
}

void Svg::arc(Point a, Point b, double depth, std::string_view style_class, double width) {
  grow({std::max(a.x, b.x), std::max(a.y, b.y) + std::max(0.0, depth)});
  picture_.shapes.push_back(
      {Shape::Kind::arc, std::string{style_class}, width, {a.x, a.y, b.x, b.y, depth}, {}, {}});
}

void Svg::text(Point at, std::string_view words, std::string_view style_class, std::string_view anchor) {
  const double letter = style_class == "title" ? 11.5 : 7.0;  // of 17 and 12 px, about
  const double length = letter * static_cast<double>(words.size());
  grow({at.x + (anchor == "start" ? length : anchor == "middle" ? length / 2 : 0), at.y + 4});
  picture_.shapes.push_back({Shape::Kind::text,
                             std::string{style_class},
                             1,
                             {at.x, at.y},
                             std::string{anchor},
                             std::string{words}});
}

std::string svg_document(const Picture& picture, std::string_view title) {
  std::string body;
  for (const Shape& shape : picture.shapes) body += element(shape);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\">\n<title>{2}</title>\n<style>{3}</style>\n"
      "<rect x=\"0\" y=\"0\" width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#ffffff\" stroke=\"none\" "
      "style=\"stroke:none\"/>\n{4}</svg>\n",
      picture.width + 24, picture.height + 24, escaped(title), style, body);
}

}  // namespace rackcast
