#pragma once
/// A small canvas; private to the drawings. Coordinates are pixels, the size grows with what is drawn.
#include <string>
#include <string_view>
#include <vector>

#include "topologies/drawings/picture.hpp"

namespace rackcast {

struct Point {
  double x = 0, y = 0;
};

class Svg {
 public:
  void rect(Point corner, double width, double height, std::string_view style_class);
  void line(Point a, Point b, std::string_view style_class, double width = 1);
  /// Through all points, with straight parts.
  void polyline(const std::vector<Point>& points, std::string_view style_class, double width = 1);
  /// A curve that leaves both ends downwards (depth > 0) or upwards (depth < 0).
  void arc(Point a, Point b, double depth, std::string_view style_class, double width = 1);
  void text(Point at, std::string_view words, std::string_view style_class,
            std::string_view anchor = "middle");

  [[nodiscard]] double height() const { return picture_.height; }
  [[nodiscard]] const Picture& picture() const { return picture_; }

 private:
  void grow(Point to);

  Picture picture_;
};

/// A whole SVG document with title; everything is escaped.
std::string svg_document(const Picture& picture, std::string_view title);

}  // namespace rackcast
