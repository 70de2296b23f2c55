#pragma once
/// Time lines and drawings of a result document.
#include <utility>

#include "scenarios/document/form/field.hpp"

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

template <>
struct Custom<std::pair<double, double>> {
  static Written write(const std::pair<double, double>& point);
  static std::pair<double, double> read(const Json& json);
  static Written schema();
  static constexpr std::string_view type = "[time, share]";
};
template <>
struct Custom<MachineDrawing::Shape> {
  static Written write(const MachineDrawing::Shape& shape);
  static MachineDrawing::Shape read(const Json& json);
  static Written schema();
  static constexpr std::string_view type = "shape";
};

template <>
struct Fields<Timeline::Span> {
  static constexpr std::string_view name = "span";
  static constexpr auto list = std::tuple{
      field("name", &Timeline::Span::name).needed(),
      field("start_s", &Timeline::Span::start),
      field("seconds", &Timeline::Span::seconds),
  };
};
template <>
struct Fields<Timeline::Lane> {
  static constexpr std::string_view name = "lane";
  static constexpr auto list = std::tuple{
      field("name", &Timeline::Lane::name).needed(),
      field("spans", &Timeline::Lane::spans),
  };
};
template <>
struct Fields<Timeline::Share> {
  static constexpr std::string_view name = "used_share";
  static constexpr std::string_view meaning =
      "A busy link or server: from each moment on this share of the rate is in use.";
  static constexpr auto list = std::tuple{
      field("name", &Timeline::Share::name).needed(),
      field("mean", &Timeline::Share::mean),
      field("points", &Timeline::Share::points),
  };
};
template <>
struct Fields<Timeline::PathPart> {
  static constexpr std::string_view name = "path_part";
  static constexpr std::string_view meaning =
      "A task of the critical path: the chain of tasks each of which begins when the one before it ends, "
      "from "
      "the beginning of the step to its end.";
  static constexpr auto list = std::tuple{
      field("what", &Timeline::PathPart::what).needed(),
      field("where", &Timeline::PathPart::where,
            "the stream that runs it, or \"other streams\" for what is summed up")
          .omitted(),
      field("seconds", &Timeline::PathPart::seconds),
  };
};
template <>
struct Fields<Timeline> {
  static constexpr std::string_view name = "timeline";
  static constexpr std::string_view meaning = "One repeating step as simulated.";
  static constexpr auto list = std::tuple{
      field("length_s", &Timeline::length,
            "time from the end of one update of the weights to the end of the next")
          .above_zero(),
      field("lanes", &Timeline::lanes),
      field("shares", &Timeline::shares),
      field("critical_path", &Timeline::path, "together the parts are the step").omitted(),
  };
};
template <>
struct Fields<MachineDrawing> {
  static constexpr std::string_view name = "drawing";
  static constexpr std::string_view meaning =
      "The machine as a drawing made of simple shapes; coordinates are pixels.";
  static constexpr auto list = std::tuple{
      field("of", &MachineDrawing::of).of("node network"),
      field("title", &MachineDrawing::title),
      field("words", &MachineDrawing::words, "what it shows"),
      field("width", &MachineDrawing::width),
      field("height", &MachineDrawing::height),
      field("shapes", &MachineDrawing::shapes,
            "[\"rect\", class, x, y, width, height], [\"line\", class, width, x, y, x, y, ...], [\"arc\", "
            "class, width, x, y, "
            "x, y, depth], [\"text\", class, x, y, \"start\" | \"middle\" | \"end\", words]"),
  };
};

}  // namespace rackcast::doc
