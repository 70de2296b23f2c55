#include "calibrate/import/onnx/onnx_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace rackcast {
namespace {

using NumberInputs = std::vector<const OnnxValue*>;

/// Result of two numbers; of integers where `whole`.
using Binary = double (*)(double, double, bool);
Binary binary(std::string_view kind) {
  static const std::map<std::string_view, Binary> table{
      {"Add",
       [](double a, double b, bool) {
         return a + b;
       }},
      {"Sum",
       [](double a, double b, bool) {
         return a + b;
       }},
      {"Sub",
       [](double a, double b, bool) {
         return a - b;
       }},
      {"Mul",
       [](double a, double b, bool) {
         return a * b;
       }},
      {"Div",
       [](double a, double b, bool whole) {
         return b == 0 ? 0 : whole ? std::trunc(a / b) : a / b;
       }},
      {"Mod",
       [](double a, double b, bool) {
         return b == 0 ? 0 : a - b * std::floor(a / b);
       }},
      {"Pow",
       [](double a, double b, bool) {
         return std::pow(a, b);
       }},
      {"Min",
       [](double a, double b, bool) {
         return std::min(a, b);
       }},
      {"Max",
       [](double a, double b, bool) {
         return std::max(a, b);
       }},
      {"And",
       [](double a, double b, bool) {
         return a != 0 && b != 0 ? 1.0 : 0.0;
       }},
      {"Or",
       [](double a, double b, bool) {
         return a != 0 || b != 0 ? 1.0 : 0.0;
       }},
      {"Equal",
       [](double a, double b, bool) {
         return a == b ? 1.0 : 0.0;
       }},
      {"Less",
       [](double a, double b, bool) {
         return a < b ? 1.0 : 0.0;
       }},
      {"LessOrEqual",
       [](double a, double b, bool) {
         return a <= b ? 1.0 : 0.0;
       }},
      {"Greater",
       [](double a, double b, bool) {
         return a > b ? 1.0 : 0.0;
       }},
      {"GreaterOrEqual", [](double a, double b, bool) {
         return a >= b ? 1.0 : 0.0;
       }}};
  const auto at = table.find(kind);
  return at == table.end() ? nullptr : at->second;
}

using Unary = double (*)(double);
Unary unary(std::string_view kind) {
  static const std::map<std::string_view, Unary> table{{"Not",
                                                        [](double a) {
                                                          return a == 0 ? 1.0 : 0.0;
                                                        }},
                                                       {"Neg",
                                                        [](double a) {
                                                          return -a;
                                                        }},
                                                       {"Abs",
                                                        [](double a) {
                                                          return std::abs(a);
                                                        }},
                                                       {"Sqrt",
                                                        [](double a) {
                                                          return std::sqrt(a);
                                                        }},
                                                       {"Floor",
                                                        [](double a) {
                                                          return std::floor(a);
                                                        }},
                                                       {"Ceil",
                                                        [](double a) {
                                                          return std::ceil(a);
                                                        }},
                                                       {"Reciprocal", [](double a) {
                                                          return a == 0 ? 0 : 1 / a;
                                                        }}};
  const auto at = table.find(kind);
  return at == table.end() ? nullptr : at->second;
}

bool compares(std::string_view kind) {
  static constexpr std::string_view kinds[] = {"And",     "Or",          "Not", "Equal", "Less",
                                               "Greater", "LessOrEqual", "Xor", "IsNaN", "GreaterOrEqual",
                                               "IsInf"};
  return std::ranges::count(kinds, kind) > 0;
}

/// TensorProto.DataType: 2 to 9 without 8 are integers and truth values, 12 and 13 unsigned ones.
bool casts_to_whole(const OnnxNode& node) {
  const std::int64_t to = node.number("to", 1);
  return (to >= 2 && to <= 9 && to != 8) || to == 12 || to == 13;
}

/// The place in `of` of element `at` of a result with the sides `dims`.
std::size_t place_in(const OnnxDims& of, const OnnxDims& dims, std::size_t at) {
  std::size_t place = 0, step = 1;
  for (std::size_t i = dims.size(); i-- > 0;) {
    const std::size_t digit = at % static_cast<std::size_t>(dims[i]);
    at /= static_cast<std::size_t>(dims[i]);
    const std::size_t behind = dims.size() - 1 - i;
    if (behind >= of.size()) continue;
    const std::int64_t side = of[of.size() - 1 - behind];
    if (side != 1) place += digit * step;
    step *= static_cast<std::size_t>(side);
  }
  return place;
}

}  // namespace

bool is_elementwise(std::string_view kind) {
  static constexpr std::string_view others[] = {
      "Where",    "Cast",     "CastLike", "Xor",  "IsNaN",     "IsInf",    "Sin",      "Cos",
      "Exp",      "Log",      "Erf",      "Tanh", "Sigmoid",   "Relu",     "Softmax",  "Clip",
      "CumSum",   "Trilu",    "Round",    "Sign", "ScatterND", "BitShift", "Softplus", "ScatterElements",
      "Identity", "Softsign", "LeakyRelu"};
  return binary(kind) != nullptr || unary(kind) != nullptr || std::ranges::count(others, kind) > 0;
}

bool elementwise_whole(const OnnxNode& node, const NumberInputs& inputs) {
  if (compares(node.kind)) return true;
  if (node.kind == "Cast") return casts_to_whole(node);
  const std::size_t first = node.kind == "Where" ? 1 : 0;
  for (std::size_t i = first; i < inputs.size(); ++i)
    if (inputs[i] && !inputs[i]->whole) return false;
  return true;
}

OnnxNumbers elementwise_numbers(const OnnxNode& node, const NumberInputs& inputs, const OnnxDims& dims) {
  const double elements = elements_of(dims);
  if (elements > static_cast<double>(most_onnx_numbers)) return nullptr;
  for (const OnnxValue* input : inputs)
    if (!input || !input->numbers || static_cast<double>(input->numbers->size()) != elements_of(input->dims))
      return nullptr;
  const Binary of_two = binary(node.kind);
  const Unary of_one = unary(node.kind);
  const bool where = node.kind == "Where" && inputs.size() == 3, cast = node.kind == "Cast";
  if (!((of_two && !inputs.empty()) || ((of_one || cast) && inputs.size() == 1) || where)) return nullptr;
  const bool whole = elementwise_whole(node, inputs), integers = cast && whole && node.number("to", 1) != 9;
  std::vector<double> out(static_cast<std::size_t>(elements));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto read = [&](std::size_t input) {
      return (*inputs[input]->numbers)[place_in(inputs[input]->dims, dims, i)];
    };
    if (where) {
      out[i] = read(read(0) != 0 ? 1 : 2);
    } else if (of_two) {
      out[i] = read(0);
      for (std::size_t other = 1; other < inputs.size(); ++other) out[i] = of_two(out[i], read(other), whole);
    } else {
      out[i] = of_one ? of_one(read(0)) : integers ? std::trunc(read(0)) : read(0);
    }
  }
  return small_numbers(std::move(out));
}

}  // namespace rackcast
