#pragma once
/// Time lines and drawings of a result document.
#include <string>
#include <utility>
#include <vector>

#include "scenarios/document/form/any.hpp"

namespace rackcast {
class Json;
}

namespace rackcast::doc {

/// One repeating step; times are in seconds since its begin.
struct Timeline {
  struct Span {
    std::string name;
    double start = 0, seconds = 0;
  };
  struct Lane {
    std::string name;
    std::vector<Span> spans;
  };
  /// A link or server: from each moment on this share of its rate is in use.
  struct Share {
    std::string name;
    double mean = 0;
    std::vector<std::pair<double, double>> points;
  };
  /// A task of the critical path, and the stream on which it runs.
  struct PathPart {
    std::string what, where;
    double seconds = 0;
  };
  double length = 0;
  std::vector<Lane> lanes;
  std::vector<Share> shares;
  std::vector<PathPart> path;
};

/// A drawing of the machine as simple shapes, in pixels.
struct MachineDrawing {
  /// In a document an array: ["rect", class, x, y, width, height], ["line", class, width, x, y, x, y, ...],
  /// ["arc", class, width, x, y, x, y, depth], ["text", class, x, y, "start" | "middle" | "end", words].
  struct Shape {
    enum class Kind { rect, line, arc, text };
    Kind kind = Kind::rect;
    std::string style;            ///< letters: what the shape stands for
    double width = 1;             ///< of a line or arc
    std::vector<double> numbers;  ///< rect: x y width height; line: points; arc: x y x y depth; text: x y
    std::string anchor, words;    ///< of a text
  };
  std::string of, title, words;
  double width = 0, height = 0;
  std::vector<Shape> shapes;
};

}  // namespace rackcast::doc
