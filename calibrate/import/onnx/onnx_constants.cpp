#include "calibrate/import/onnx/onnx_constants.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "calibrate/import/onnx/onnx_numbers.hpp"
#include "calibrate/import/onnx/onnx_views.hpp"

namespace rackcast {
namespace {

using Inputs = std::vector<const OnnxValue*>;
using Result = std::optional<OnnxValue>;

Result constant(OnnxDims dims, OnnxNumbers numbers, bool whole) {
  return OnnxValue{.dims = std::move(dims), .numbers = std::move(numbers), .constant = true, .whole = whole};
}

Result list(std::vector<double> numbers, bool whole) {
  const auto size = static_cast<std::int64_t>(numbers.size());
  return constant({size}, small_numbers(std::move(numbers)), whole);
}

const OnnxValue* input(const Inputs& inputs, std::size_t i) {
  return i < inputs.size() ? inputs[i] : nullptr;
}

/// Weights of `of` that stand in a constant of these sides.
void count_weights(OnnxValue& of) {
  if (!of.whole && elements_of(of.dims) > 1) of.weights = elements_of(of.dims);
}

/// Of several inputs: constant where all are, aside where one of them is; with their weights.
void take_kind(OnnxValue& out, const Inputs& inputs) {
  out.constant = true;
  for (const OnnxValue* one : inputs) {
    if (!one) continue;
    if (one->aside >= 0 && out.aside < 0) out.aside = one->aside;
    out.weights += one->weights;
    if (out.table.empty()) out.table = one->table;
  }
  if (out.aside >= 0) out.constant = false;
}

Result known_stated(const OnnxNode& node) {
  for (const auto& [name, value] : node.attributes) {
    if (name == "value" && value.tensor) {
      Result out = constant(value.tensor->dims, value.tensor->numbers, value.tensor->whole);
      count_weights(*out);
      return out;
    }
    if (name == "value_int") return constant({}, small_numbers({static_cast<double>(value.number)}), true);
    if (name == "value_float") return constant({}, small_numbers({value.fraction}), false);
    if (name == "value_ints") return list({value.numbers.begin(), value.numbers.end()}, true);
    if (name == "value_floats") return list(value.fractions, false);
  }
  return std::nullopt;
}

/// A tensor of one number, whose shape is the input.
Result known_filled(const OnnxNode& node, const Inputs& inputs) {
  const OnnxValue* shape = input(inputs, 0);
  if (!shape || !shape->numbers || shape->numbers->size() > most_onnx_sides) return std::nullopt;
  OnnxDims dims;
  for (const double side : *shape->numbers) {
    if (!(side >= 0) || side > static_cast<double>(longest_onnx_side)) return std::nullopt;
    dims.push_back(static_cast<std::int64_t>(side));
  }
  const auto value = node.attributes.find("value");
  const OnnxConstant* said =
      value != node.attributes.end() && value->second.tensor ? &*value->second.tensor : nullptr;
  const double number = said && said->numbers && !said->numbers->empty() ? said->numbers->front() : 0;
  OnnxNumbers numbers;
  if (elements_of(dims) <= static_cast<double>(most_onnx_numbers))
    numbers = small_numbers(std::vector<double>(static_cast<std::size_t>(elements_of(dims)), number));
  Result out = constant(std::move(dims), std::move(numbers), said && said->whole);
  count_weights(*out);
  return out;
}

/// `start` and `end` cut the list of sides, counted from its end where they are negative.
Result known_shape(const OnnxNode& node, const Inputs& inputs) {
  const OnnxValue* of = input(inputs, 0);
  if (!of) return std::nullopt;
  if (node.kind == "Size") return constant({}, small_numbers({elements_of(of->dims)}), true);
  const auto sides = static_cast<std::int64_t>(of->dims.size());
  const auto bound = [&](const char* attribute, std::int64_t otherwise) {
    const std::int64_t said = std::clamp<std::int64_t>(node.number(attribute, otherwise), -sides, sides);
    return said < 0 ? said + sides : said;
  };
  const std::int64_t begin = bound("start", 0), end = std::max(begin, bound("end", sides));
  return list({of->dims.begin() + begin, of->dims.begin() + end}, true);
}

Result known_concat(const OnnxNode& node, const Inputs& inputs) {
  OnnxValue out;
  take_kind(out, inputs);
  std::vector<double> numbers;
  bool all_known = true;
  out.whole = true;
  bool first = true;
  for (const OnnxValue* part : inputs) {
    if (!part) return std::nullopt;
    const auto side = side_of(node.number("axis", 0), part->dims.size());
    if (!side) return std::nullopt;
    if (std::exchange(first, false)) {
      out.dims = part->dims;
    } else {
      OnnxDims other = part->dims;
      if (other.size() != out.dims.size()) return std::nullopt;
      other[*side] = out.dims[*side];
      if (other != out.dims) return std::nullopt;
      out.dims[*side] += part->dims[*side];
    }
    // Parts of several rows stand one behind the other along the first side alone.
    all_known = all_known && part->numbers && (*side == 0 || part->dims.size() == 1);
    if (all_known) numbers.insert(numbers.end(), part->numbers->begin(), part->numbers->end());
    out.whole = out.whole && part->whole;
  }
  if (inputs.empty() || elements_of(out.dims) > 1e15) return std::nullopt;
  if (all_known) out.numbers = small_numbers(std::move(numbers));
  return out;
}

/// Of sides that the file states: a constant, or what is made of masks and positions.
Result known_by_sides(const OnnxNode& node, const Inputs& inputs) {
  OnnxValue out;
  take_kind(out, inputs);
  out.dims = node.numbers("dims");
  out.whole = node.number("whole", 0) != 0;
  return out;
}

Result known_range(const OnnxNode&, const Inputs& inputs) {
  double of[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const OnnxValue* one = input(inputs, i);
    if (!one || !one->numbers || one->numbers->size() != 1) return std::nullopt;
    of[i] = one->numbers->front();
  }
  const double count = of[2] == 0 ? 0 : std::max(0.0, std::ceil((of[1] - of[0]) / of[2]));
  if (!(count <= static_cast<double>(longest_onnx_side))) return std::nullopt;
  std::vector<double> numbers;
  for (double i = 0; i < count && count <= static_cast<double>(most_onnx_numbers); ++i)
    numbers.push_back(of[0] + i * of[2]);
  Result out = constant({static_cast<std::int64_t>(count)}, nullptr, inputs.front()->whole);
  if (static_cast<double>(numbers.size()) == count) out->numbers = small_numbers(std::move(numbers));
  return out;
}

/// Of a product of small whole numbers, as exporters compute sizes: its number.
Result known_reduced(const OnnxNode& node, const Inputs& inputs) {
  const OnnxValue* of = input(inputs, 0);
  if (!of) return std::nullopt;
  const bool one_side = node.kind.starts_with("Arg");
  const OnnxDims axes =
      one_side ? OnnxDims{node.number("axis", 0)} : numbers_of(node, "axes", input(inputs, 1));
  const auto dims = reduced(of->dims, axes, node.number("keepdims", 1) != 0);
  if (!dims) return std::nullopt;
  OnnxValue out;
  take_kind(out, {of});
  out.weights = 0;
  out.dims = *dims;
  out.whole = of->whole || one_side;
  if (node.kind == "ReduceProd" && of->numbers && elements_of(*dims) == 1) {
    double product = 1;
    for (const double n : *of->numbers) product *= n;
    out.numbers = small_numbers({product});
  }
  return out;
}

Result known_product(const OnnxNode&, const Inputs& inputs) {
  if (inputs.size() != 2 || !inputs[0] || !inputs[1]) return std::nullopt;
  const auto dims = multiplied(inputs[0]->dims, inputs[1]->dims);
  if (!dims) return std::nullopt;
  OnnxValue out;
  take_kind(out, inputs);
  out.dims = *dims;
  return out;
}

/// Element by element, or with the sides of the first input.
Result known_elements(const OnnxNode& node, const Inputs& inputs) {
  if (!input(inputs, 0)) return std::nullopt;
  static constexpr std::string_view as_first[] = {"Clip", "CumSum", "Trilu", "ScatterND", "ScatterElements"};
  OnnxValue out;
  take_kind(out, inputs);
  out.dims = inputs.front()->dims;
  if (std::ranges::count(as_first, std::string_view{node.kind}) == 0)
    for (const OnnxValue* other : inputs) {
      const auto dims = other ? broadcast(out.dims, other->dims) : std::optional{out.dims};
      if (!dims) return std::nullopt;
      out.dims = *dims;
    }
  if (elements_of(out.dims) > 1e15) return std::nullopt;
  out.whole = elementwise_whole(node, inputs);
  out.numbers = elementwise_numbers(node, inputs, out.dims);
  return out;
}

using Maker = Result (*)(const OnnxNode&, const Inputs&);
Maker known_maker(std::string_view kind) {
  static const std::map<std::string_view, Maker> makers{
      {"ConstantOfShape", known_filled},  {"Concat", known_concat},
      {"rackcast.Aside", known_by_sides}, {"Range", known_range},
      {"ReduceProd", known_reduced},      {"ReduceSum", known_reduced},
      {"ReduceMax", known_reduced},       {"ReduceMin", known_reduced},
      {"ReduceMean", known_reduced},      {"ArgMax", known_reduced},
      {"ArgMin", known_reduced},          {"MatMul", known_product}};
  if (const auto at = makers.find(kind); at != makers.end()) return at->second;
  return is_elementwise(kind) ? known_elements : nullptr;
}

}  // namespace

bool may_be_known(std::string_view kind) {
  return kind == "Constant" || kind == "rackcast.Constant" || kind == "rackcast.ProductSides" ||
         kind == "Shape" || kind == "Size" || kind == "Split" || is_onnx_view(kind) ||
         known_maker(kind) != nullptr;
}

std::optional<OnnxValue> known_result(const OnnxNode& node, const Inputs& inputs, std::int64_t batch) {
  if (node.kind == "Constant") return known_stated(node);
  if (node.kind == "Shape" || node.kind == "Size") return known_shape(node, inputs);
  if (node.kind == "rackcast.ProductSides") return known_product(node, inputs);
  if (node.kind == "rackcast.Constant") return known_by_sides(node, {});
  bool any = false;
  for (const OnnxValue* one : inputs) {
    if (one && one->flow >= 0) return std::nullopt;
    any = any || one;
  }
  if (!any) return std::nullopt;
  if (is_onnx_view(node.kind) && node.kind != "Identity") return onnx_view(node, inputs, batch);
  const Maker make = known_maker(node.kind);
  return make ? make(node, inputs) : std::nullopt;
}

}  // namespace rackcast
