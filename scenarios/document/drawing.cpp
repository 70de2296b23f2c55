#include "scenarios/document/drawing.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "scenarios/document/fields/drawing.hpp"
#include "scenarios/document/form/read.hpp"

namespace rackcast::doc {
namespace {

using Shape = MachineDrawing::Shape;

/// How many numbers stand behind the class, and how many words behind them; a line has any odd number from 5
/// on.
struct ShapeForm {
  std::string_view name;
  std::size_t numbers, words;
};
constexpr std::array<ShapeForm, 4> forms{{{"rect", 4, 0}, {"line", 0, 0}, {"arc", 6, 0}, {"text", 2, 2}}};

const ShapeForm& form_of(Shape::Kind kind) {
  return forms[static_cast<std::size_t>(kind)];
}

bool has_width(Shape::Kind kind) {
  return kind == Shape::Kind::line || kind == Shape::Kind::arc;
}

/// A class name, which goes into the page as it is.
bool is_word(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
}

}  // namespace

Written Custom<std::pair<double, double>>::write(const std::pair<double, double>& point) {
  return Written::array({point.first, point.second});
}

std::pair<double, double> Custom<std::pair<double, double>>::read(const Json& json) {
  const std::vector<Json>& pair = json.array();
  if (pair.size() != 2) json.fail("expected a time and a share", std::string{damaged_hint});
  return {pair[0].number(), pair[1].number()};
}

Written Custom<std::pair<double, double>>::schema() {
  return {{"type", "array"}, {"minItems", 2}, {"maxItems", 2}, {"items", {{"type", "number"}}}};
}

Written Custom<Shape>::write(const Shape& shape) {
  Written out = Written::array({form_of(shape.kind).name, shape.style});
  if (has_width(shape.kind)) out.push_back(shape.width);
  for (const double number : shape.numbers) out.push_back(number);
  if (shape.kind == Shape::Kind::text) {
    out.push_back(shape.anchor);
    out.push_back(shape.words);
  }
  return out;
}

Shape Custom<Shape>::read(const Json& json) {
  const std::vector<Json>& row = json.array();
  const auto form =
      row.empty() ? forms.end() : std::ranges::find(forms, row.front().string(), &ShapeForm::name);
  if (form == forms.end()) json.fail("expected a shape: rect, line, arc or text", std::string{damaged_hint});
  Shape shape;
  shape.kind = static_cast<Shape::Kind>(form - forms.begin());
  const bool line = shape.kind == Shape::Kind::line;
  const std::size_t numbers = line ? std::max<std::size_t>(5, row.size() - 2) : form->numbers;
  if (row.size() != 2 + numbers + form->words || (line && numbers % 2 == 0) || !is_word(row[1].string()))
    json.fail("expected the members of a " + std::string{form->name}, std::string{damaged_hint});
  shape.style = row[1].string();
  for (std::size_t i = 0; i < numbers; ++i) shape.numbers.push_back(row[2 + i].number());
  if (has_width(shape.kind)) {
    shape.width = shape.numbers.front();
    shape.numbers.erase(shape.numbers.begin());
  }
  if (shape.kind == Shape::Kind::text) {
    place_of_word(row[4], "start middle end");
    shape.anchor = row[4].string();
    shape.words = row[5].string();
  }
  return shape;
}

Written Custom<Shape>::schema() {
  return {{"type", "array"}, {"minItems", 5}};
}

}  // namespace rackcast::doc
