#pragma once
/// Keys, units and meanings of the structs of scenarios/document/drawing.hpp.
#include "scenarios/document/drawing.hpp"
#include "scenarios/document/form/field.hpp"

namespace rackcast::doc {

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
  static void each(const auto& visit) {
    visit(field("name", &Timeline::Span::name).needed());
    visit(field("start_s", &Timeline::Span::start));
    visit(field("seconds", &Timeline::Span::seconds));
  }
};

template <>
struct Fields<Timeline::Lane> {
  static constexpr std::string_view name = "lane";
  static void each(const auto& visit) {
    visit(field("name", &Timeline::Lane::name).needed());
    visit(field("spans", &Timeline::Lane::spans));
  }
};

template <>
struct Fields<Timeline::Share> {
  static constexpr std::string_view name = "used_share";
  static constexpr std::string_view meaning =
      "A busy link or server: from each moment on this share of the rate is in use.";
  static void each(const auto& visit) {
    visit(field("name", &Timeline::Share::name).needed());
    visit(field("mean", &Timeline::Share::mean));
    visit(field("points", &Timeline::Share::points));
  }
};

template <>
struct Fields<Timeline::PathPart> {
  static constexpr std::string_view name = "path_part";
  static constexpr std::string_view meaning =
      "A task of the critical path: the chain of tasks each of which begins when the one before it ends, "
      "from "
      "the beginning of the step to its end.";
  static void each(const auto& visit) {
    visit(field("what", &Timeline::PathPart::what).needed());
    visit(field("where", &Timeline::PathPart::where,
                "the stream that runs it, or \"other streams\" for what is summed up")
              .omitted());
    visit(field("seconds", &Timeline::PathPart::seconds));
  }
};

template <>
struct Fields<Timeline> {
  static constexpr std::string_view name = "timeline";
  static constexpr std::string_view meaning = "One repeating step as simulated.";
  static void each(const auto& visit) {
    visit(field("length_s", &Timeline::length,
                "time from the end of one update of the weights to the end of the next")
              .above_zero());
    visit(field("lanes", &Timeline::lanes));
    visit(field("shares", &Timeline::shares));
    visit(field("critical_path", &Timeline::path, "together the parts are the step").omitted());
  }
};

template <>
struct Fields<MachineDrawing> {
  static constexpr std::string_view name = "drawing";
  static constexpr std::string_view meaning =
      "The machine as a drawing made of simple shapes; coordinates are pixels.";
  static void each(const auto& visit) {
    visit(field("of", &MachineDrawing::of).of("node network"));
    visit(field("title", &MachineDrawing::title));
    visit(field("words", &MachineDrawing::words, "what it shows"));
    visit(field("width", &MachineDrawing::width));
    visit(field("height", &MachineDrawing::height));
    visit(
        field("shapes", &MachineDrawing::shapes,
              "[\"rect\", class, x, y, width, height], [\"line\", class, width, x, y, x, y, ...], [\"arc\", "
              "class, width, x, y, "
              "x, y, depth], [\"text\", class, x, y, \"start\" | \"middle\" | \"end\", words]"));
  }
};

}  // namespace rackcast::doc
