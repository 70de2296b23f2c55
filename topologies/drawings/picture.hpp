#pragma once
/// A drawing as a list of simple shapes: what becomes an SVG document here and a part of a page in the
/// reports. Coordinates are pixels from the top left; a shape's style is the name of what it stands for
/// ("gpu", "leaf", "trunk").
#include <string>
#include <vector>

namespace rackcast {

struct Shape {
  enum class Kind { rect, line, arc, text };
  Kind kind = Kind::rect;
  std::string style;
  double width = 1;  ///< of a line or arc
  std::vector<double>
      numbers;  ///< rect: x y width height; line: x y for each point; arc: x y x y depth; text: x y
  std::string anchor, words;  ///< of a text: "start", "middle" or "end"
};

struct Picture {
  double width = 0, height = 0;
  std::vector<Shape> shapes;  ///< the first lies at the bottom
};

}  // namespace rackcast
