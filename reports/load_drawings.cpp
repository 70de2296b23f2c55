#include "reports/load_drawings.hpp"

#include <algorithm>
#include <array>

#include "reports/load_members.hpp"

namespace rackcast::reports {
namespace {

using Shape = MachineDrawing::Shape;

struct ShapeKind {
  std::string_view name;
  Shape::Kind kind;
  std::size_t words_before, numbers, words_after;  ///< a line has any even number of numbers from 4 on
};
constexpr std::array<ShapeKind, 4> shape_kinds{{{"rect", Shape::Kind::rect, 2, 4, 0},
                                                {"line", Shape::Kind::line, 2, 0, 0},
                                                {"arc", Shape::Kind::arc, 2, 6, 0},
                                                {"text", Shape::Kind::text, 2, 2, 2}}};

/// A class name, which goes into the page as it is.
bool is_word(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
}

Shape read_shape(const Json& json) {
  const std::vector<Json>& row = json.array();
  const auto kind = row.empty() ? shape_kinds.end()
                                : std::ranges::find(shape_kinds, row.front().string(), &ShapeKind::name);
  if (kind == shape_kinds.end()) {
    json.fail("expected a shape: rect, line, arc or text", std::string(damaged_hint));
  }
  const bool line = kind->kind == Shape::Kind::line;
  const std::size_t numbers = line ? std::max<std::size_t>(5, row.size() - 2) : kind->numbers;
  if (row.size() != kind->words_before + numbers + kind->words_after || (line && numbers % 2 == 0) ||
      !is_word(row[1].string())) {
    json.fail("expected the members of a " + std::string(kind->name), std::string(damaged_hint));
  }
  Shape shape;
  shape.kind = kind->kind;
  shape.style = row[1].string();
  for (std::size_t i = 0; i < numbers; ++i) {
    shape.numbers.push_back(row[2 + i].number());
  }
  if (line || shape.kind == Shape::Kind::arc) {
    shape.width = shape.numbers.front();
    shape.numbers.erase(shape.numbers.begin());
  }
  if (shape.kind == Shape::Kind::text) {
    shape.anchor = row[4].string();
    shape.words = row[5].string();
    if (shape.anchor != "start" && shape.anchor != "middle" && shape.anchor != "end") {
      row[4].fail("expected start, middle or end", std::string(damaged_hint));
    }
  }
  return shape;
}

}  // namespace

Timeline read_timeline(const Json& json) {
  Timeline timeline;
  timeline.length = amount(json, "length_s");
  if (timeline.length <= 0) {
    json.require("length_s").fail("a step takes some time", std::string(damaged_hint));
  }
  timeline.lanes = read_list(json, "lanes", [](const Json& lane) {
    return Timeline::Lane{lane.require("name").string(), read_list(lane, "spans", [](const Json& span) {
                            return Timeline::Span{span.require("name").string(),
                                                  span.require("start_s").number(), amount(span, "seconds")};
                          })};
  });
  timeline.shares = read_list(json, "shares", [](const Json& share) {
    return Timeline::Share{share.require("name").string(), amount(share, "mean"),
                           read_list(share, "points", [](const Json& point) {
                             const std::vector<Json>& pair = point.array();
                             if (pair.size() != 2) {
                               point.fail("expected a time and a share", std::string(damaged_hint));
                             }
                             return std::pair(pair[0].number(), pair[1].number());
                           })};
  });
  return timeline;
}

MachineDrawing read_drawing(const Json& json) {
  return {text_or_empty(json, "of"), text_or_empty(json, "title"), text_or_empty(json, "words"),
          amount(json, "width"),     amount(json, "height"),       read_list(json, "shapes", read_shape)};
}

}  // namespace rackcast::reports
