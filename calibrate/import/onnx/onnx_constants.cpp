#include "calibrate/import/onnx/onnx_constants.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace rackcast {
namespace {

using Inputs = std::vector<const OnnxValue*>;
using Result = std::optional<OnnxValue>;

constexpr std::size_t most_sides = 16;
constexpr double longest_side = 1e9;

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

Result known_stated(const OnnxNode& node) {
  for (const auto& [name, value] : node.attributes) {
    if (name == "value" && value.tensor)
      return constant(value.tensor->dims, value.tensor->numbers, value.tensor->whole);
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
  if (!shape || !shape->numbers || shape->numbers->size() > most_sides) return std::nullopt;
  OnnxDims dims;
  for (const double side : *shape->numbers) {
    if (!(side >= 0) || side > longest_side) return std::nullopt;
    dims.push_back(static_cast<std::int64_t>(side));
  }
  const auto value = node.attributes.find("value");
  const OnnxConstant* said =
      value != node.attributes.end() && value->second.tensor ? &*value->second.tensor : nullptr;
  const double number = said && said->numbers && !said->numbers->empty() ? said->numbers->front() : 0;
  OnnxNumbers numbers;
  if (elements_of(dims) <= 64)
    numbers = small_numbers(std::vector<double>(static_cast<std::size_t>(elements_of(dims)), number));
  return constant(std::move(dims), std::move(numbers), said && said->whole);
}

/// `start` and `end` cut the list of sides, counted from its end where they are negative.
Result known_shape(const OnnxNode& node, const Inputs& inputs) {
  const OnnxValue* of = input(inputs, 0);
  if (!of) return std::nullopt;
  const auto sides = static_cast<std::int64_t>(of->dims.size());
  const auto bound = [&](const char* attribute, std::int64_t otherwise) {
    const std::int64_t said = std::clamp<std::int64_t>(node.number(attribute, otherwise), -sides, sides);
    return said < 0 ? said + sides : said;
  };
  const std::int64_t begin = bound("start", 0), end = std::max(begin, bound("end", sides));
  return list({of->dims.begin() + begin, of->dims.begin() + end}, true);
}

Result known_same(const OnnxNode&, const Inputs& inputs) {
  const OnnxValue* of = input(inputs, 0);
  if (!of || !of->constant) return std::nullopt;
  return *of;
}

/// Floor, Ceil, and Cast to integers or from them (TensorProto.DataType: 6 and 7 are integers).
Result known_rounded(const OnnxNode& node, const Inputs& inputs) {
  Result out = known_same(node, inputs);
  if (!out) return out;
  const bool to_whole = node.kind == "Cast" && (node.number("to", 0) == 6 || node.number("to", 0) == 7);
  if (node.kind == "Cast") out->whole = to_whole;
  if (!out->numbers || (node.kind == "Cast" && !to_whole)) return out;
  std::vector<double> numbers = *out->numbers;
  for (double& x : numbers)
    x = node.kind == "Floor" ? std::floor(x) : node.kind == "Ceil" ? std::ceil(x) : std::trunc(x);
  out->numbers = small_numbers(std::move(numbers));
  return out;
}

Result known_gather(const OnnxNode& node, const Inputs& inputs) {
  const OnnxValue *from = input(inputs, 0), *which = input(inputs, 1);
  if (!from || !which || !from->numbers || !which->numbers || from->dims.size() != 1 ||
      node.number("axis", 0) != 0)
    return std::nullopt;
  std::vector<double> out;
  for (const double index : *which->numbers) {
    if (!(std::abs(index) < longest_side)) return std::nullopt;
    const auto at = side_of(static_cast<std::int64_t>(index), from->numbers->size());
    if (!at) return std::nullopt;
    out.push_back((*from->numbers)[*at]);
  }
  return constant(which->dims, small_numbers(std::move(out)), from->whole);
}

/// Sides of one come and go, and numbers stay; a transposition moves them, unless there is one side.
Result known_other_shape(const OnnxNode& node, const Inputs& inputs) {
  const OnnxValue* of = input(inputs, 0);
  if (!of || !of->constant) return std::nullopt;
  std::optional<OnnxDims> dims;
  if (node.kind == "Squeeze")
    dims = squeezed(of->dims, numbers_of(node, "axes", input(inputs, 1)));
  else if (node.kind == "Unsqueeze")
    dims = unsqueezed(of->dims, numbers_of(node, "axes", input(inputs, 1)));
  else if (node.kind == "Transpose")
    dims = transposed(of->dims, node.numbers("perm"));
  else
    dims = reshaped(of->dims, numbers_of(node, "shape", input(inputs, 1)));
  if (!dims) return std::nullopt;
  const bool moved = node.kind == "Transpose" && dims->size() > 1;
  return constant(*dims, moved ? nullptr : of->numbers, of->whole);
}

/// Of lists, as shapes are put together.
Result known_concat(const OnnxNode& node, const Inputs& inputs) {
  std::vector<double> out;
  bool whole = true;
  for (const OnnxValue* part : inputs) {
    if (!part || !part->constant || !part->numbers || part->dims.size() > 1 || node.number("axis", 0) != 0)
      return std::nullopt;
    out.insert(out.end(), part->numbers->begin(), part->numbers->end());
    whole = whole && part->whole;
    if (out.size() > most_sides) return std::nullopt;
  }
  return list(std::move(out), whole);
}

/// A part of a list, in its order.
Result known_slice(const OnnxNode& node, const Inputs& inputs) {
  const OnnxValue* of = input(inputs, 0);
  if (!of || !of->numbers || of->dims.size() != 1) return std::nullopt;
  const OnnxDims begin = numbers_of(node, "starts", input(inputs, 1)),
                 end = numbers_of(node, "ends", input(inputs, 2)),
                 axes = numbers_of(node, "axes", input(inputs, 3)),
                 steps = numbers_of(node, "steps", input(inputs, 4));
  const bool plain = (axes.empty() || axes == OnnxDims{0} || axes == OnnxDims{-1}) &&
                     (steps.empty() || steps == OnnxDims{1});
  if (begin.size() != 1 || end.size() != 1 || !plain) return std::nullopt;
  const auto size = static_cast<std::int64_t>(of->numbers->size());
  const auto clipped = [&](std::int64_t at) {
    at = std::clamp(at, -size, size);
    return at < 0 ? at + size : at;
  };
  const std::int64_t from = clipped(begin.front()), to = std::max(from, clipped(end.front()));
  return list({of->numbers->begin() + from, of->numbers->begin() + to}, of->whole);
}

double applied(const std::string& kind, double a, double b) {
  if (kind == "Add" || kind == "Sum") return a + b;
  if (kind == "Sub") return a - b;
  if (kind == "Mul") return a * b;
  return b != 0 ? a / b : 0;
}

/// Of constants of one shape, or of one and a single number; whole numbers divide as such.
Result known_arithmetic(const OnnxNode& node, const Inputs& inputs) {
  const OnnxValue *a = input(inputs, 0), *b = input(inputs, 1);
  if (inputs.size() != 2 || !a || !b || !a->constant || !b->constant) return std::nullopt;
  const OnnxValue& larger = elements_of(a->dims) >= elements_of(b->dims) ? *a : *b;
  const bool whole = a->whole && b->whole;
  const auto fits = [&](const OnnxValue& x) {
    return x.numbers && !x.numbers->empty() && (x.dims == larger.dims || x.numbers->size() == 1);
  };
  if (!fits(*a) || !fits(*b)) return constant(larger.dims, nullptr, whole);
  std::vector<double> out(std::max(a->numbers->size(), b->numbers->size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = applied(node.kind, (*a->numbers)[i % a->numbers->size()], (*b->numbers)[i % b->numbers->size()]);
    if (whole) out[i] = std::floor(out[i]);
  }
  return constant(larger.dims, small_numbers(std::move(out)), whole);
}

using Maker = Result (*)(const OnnxNode&, const Inputs&);
const std::map<std::string_view, Maker>& known_makers() {
  static const std::map<std::string_view, Maker> makers{{"ConstantOfShape", known_filled},
                                                        {"Shape", known_shape},
                                                        {"Identity", known_same},
                                                        {"Cast", known_rounded},
                                                        {"Floor", known_rounded},
                                                        {"Ceil", known_rounded},
                                                        {"Gather", known_gather},
                                                        {"Reshape", known_other_shape},
                                                        {"Squeeze", known_other_shape},
                                                        {"Unsqueeze", known_other_shape},
                                                        {"Transpose", known_other_shape},
                                                        {"Concat", known_concat},
                                                        {"Slice", known_slice},
                                                        {"Add", known_arithmetic},
                                                        {"Sub", known_arithmetic},
                                                        {"Mul", known_arithmetic},
                                                        {"Div", known_arithmetic},
                                                        {"Sum", known_arithmetic}};
  return makers;
}

}  // namespace

double elements_of(const OnnxDims& dims) {
  double out = 1;
  for (const std::int64_t side : dims) out *= static_cast<double>(side);
  return out;
}

std::optional<OnnxDims> reshaped(const OnnxDims& dims, OnnxDims target) {
  if (target.size() > most_sides) return std::nullopt;
  double known = 1;
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (target[i] == 0 && i < dims.size()) target[i] = dims[i];
    if (target[i] >= 0) known *= static_cast<double>(target[i]);
  }
  const double left = known > 0 ? elements_of(dims) / known : 0;
  for (std::int64_t& side : target)
    if (side < 0) side = left <= longest_side ? static_cast<std::int64_t>(left) : 0;
  return elements_of(target) == elements_of(dims) ? std::optional{target} : std::nullopt;
}

std::optional<std::size_t> side_of(std::int64_t axis, std::size_t sides) {
  const auto count = static_cast<std::int64_t>(sides);
  if (axis < -count || axis >= count) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

std::optional<OnnxDims> squeezed(const OnnxDims& dims, const OnnxDims& axes) {
  std::vector<bool> taken(dims.size(), false);
  for (const std::int64_t axis : axes) {
    const auto at = side_of(axis, dims.size());
    if (!at || taken[*at] || dims[*at] != 1) return std::nullopt;
    taken[*at] = true;
  }
  OnnxDims out;
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (axes.empty() ? dims[i] != 1 : !taken[i]) out.push_back(dims[i]);
  return out;
}

std::optional<OnnxDims> unsqueezed(const OnnxDims& dims, const OnnxDims& axes) {
  const std::size_t all = dims.size() + axes.size();
  if (all > most_sides) return std::nullopt;
  std::vector<bool> added(all, false);
  for (const std::int64_t axis : axes) {
    const auto at = side_of(axis, all);
    if (!at || added[*at]) return std::nullopt;
    added[*at] = true;
  }
  OnnxDims out;
  auto next = dims.begin();
  for (std::size_t i = 0; i < all; ++i) out.push_back(added[i] ? 1 : *next++);
  return out;
}

std::optional<OnnxDims> transposed(const OnnxDims& dims, const OnnxDims& order) {
  if (order.empty()) return OnnxDims{dims.rbegin(), dims.rend()};
  std::vector<bool> seen(dims.size(), false);
  OnnxDims out;
  for (const std::int64_t axis : order) {
    const auto at = side_of(axis, dims.size());
    if (!at || seen[*at]) return std::nullopt;
    seen[*at] = true;
    out.push_back(dims[*at]);
  }
  return out.size() == dims.size() ? std::optional{out} : std::nullopt;
}

OnnxDims numbers_of(const OnnxNode& node, const char* attribute, const OnnxValue* given) {
  OnnxDims out = node.numbers(attribute);
  if (given && given->numbers)
    for (const double n : *given->numbers)  // exporters write the largest integer for "to the end"
      out.push_back(static_cast<std::int64_t>(std::clamp(std::isnan(n) ? 0.0 : n, -1e12, 1e12)));
  return out;
}

bool may_be_known(std::string_view kind) {
  return kind == "Constant" || known_makers().contains(kind);
}

std::optional<OnnxValue> known_result(const OnnxNode& node, const std::vector<const OnnxValue*>& inputs) {
  if (node.kind == "Constant") return known_stated(node);
  const auto at = known_makers().find(node.kind);
  return at == known_makers().end() ? std::nullopt : at->second(node, inputs);
}

}  // namespace rackcast
