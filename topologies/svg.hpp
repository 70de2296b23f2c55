#pragma once
/// A small SVG canvas; private to the drawings. Coordinates are pixels, the size grows with what is drawn.
#include <string>
#include <string_view>
#include <vector>

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

  [[nodiscard]] double height() const { return height_; }

  /// A whole document with title; everything is escaped.
  [[nodiscard]] std::string document(std::string_view title) const;

 private:
  void grow(Point to);

  std::string body_;
  double width_ = 0, height_ = 0;
};

}  // namespace rackcast
