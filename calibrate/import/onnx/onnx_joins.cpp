#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "calibrate/import/onnx/onnx_operators.hpp"

namespace rackcast::onnx_layers {
namespace {

using nlohmann::ordered_json;

bool is_product(const OnnxPlace& at) {
  return at.node.kind == "Mul" || at.node.kind == "Div";
}

/// Takes a constant as the bias of the layer before, or as its scale. False where it has none to add.
bool completes_layer(const OnnxPlace& at, const OnnxValue& value, const OnnxValue& constant) {
  ordered_json* before = at.layers.layer_of(value.flow);
  const double width = static_cast<double>(at.layers.sides(value.flow).back());
  if (!before || !before->is_object() || elements_of(constant.dims) != width) return false;
  const auto open = [before](const char* key) {
    return before->contains(key) && (*before)[key] == false;
  };
  static const std::vector<const char*> of_products{"scale"}, of_sums{"bias", "center"};
  for (const char* key : is_product(at) ? of_products : of_sums) {
    if (!open(key)) continue;
    before->erase(key);
    if (before->size() == 1 && before->front() == true) *before = before->begin().key();
    return true;
  }
  return false;
}

/// With a constant: a bias or a scale of the layer before, a learned vector for each position or each
/// channel, or something that a compiler folds into other operators.
OnnxValue with_constant(const OnnxPlace& at, const OnnxValue& value, const OnnxValue& constant) {
  const auto dims = broadcast(value.dims, constant.dims);
  if (!dims || *dims != value.dims)
    at.fail(fmt::format("its inputs are {} and {}", sides_text(value.dims), sides_text(constant.dims)));
  if (!constant.constant) {
    at.warnings.emplace_back("sums and products with masks are left out");
    return value;
  }
  if (completes_layer(at, value, constant)) return value;
  const double elements = elements_of(constant.dims), all = elements_of(value.dims);
  const std::int64_t last = constant.dims.empty() ? 1 : constant.dims.back();
  const FlowSides& flow = at.layers.sides(value.flow);
  const bool learned = constant.weights > 1 && !constant.whole;
  if (learned && !is_product(at) && elements > static_cast<double>(last) && last == value.dims.back() &&
      last > 1) {
    const bool again = at.counted_before(constant);
    const double rows = constant.weights / static_cast<double>(last);
    if (!again && rows >= 1 && rows <= 10'000'000) {
      if (!at.layers.go_to(value.flow, rows_of(all, last))) at.fail("its input is a value that is repeated");
      return at.write({{"position_embedding", static_cast<std::int64_t>(rows)}},
                      {static_cast<std::int64_t>(all) / last, last}, value.dims);
    }
  }
  const bool of_rows = elements == static_cast<double>(value.dims.empty() ? 1 : value.dims.back());
  const bool of_map = elements == static_cast<double>(flow.back()) && elements_in(flow) == all;
  if (learned && is_product(at) && elements > 1 && elements == constant.weights && (of_rows || of_map)) {
    if (of_map)
      at.layers.go_to(value.flow);
    else
      at.layers.go_to(value.flow, rows_of(all, value.dims.back()));
    return at.write("channel_scale", at.layers.sides(at.layers.current()), value.dims);
  }
  at.warnings.emplace_back("sums and products with constants are left out");
  return value;
}

/// The largest first: others may be vectors for each of its positions.
std::vector<const OnnxValue*> flowing_inputs(const OnnxPlace& at) {
  std::vector<const OnnxValue*> out;
  for (const OnnxValue* value : at.inputs)
    if (value && value->flow >= 0) out.push_back(value);
  if (out.empty()) at.fail("reads no value of the network");
  std::ranges::stable_sort(out, [](const OnnxValue* a, const OnnxValue* b) {
    return elements_of(a->dims) > elements_of(b->dims);
  });
  return out;
}

/// The shapes in which several values are joined element by element.
std::vector<FlowSides> joined_sides(const OnnxPlace& at, const std::vector<const OnnxValue*>& values) {
  const double most = elements_of(values.front()->dims);
  FlowSides first = held_by(at.layers.sides(values.front()->flow), values.front()->dims);
  for (const OnnxValue* value : values) {
    const double elements = elements_of(value->dims);
    if (elements == most || elements == static_cast<double>(first.back())) continue;
    if (elements < 1 || elements > 1e9 ||
        most / elements != static_cast<double>(static_cast<std::int64_t>(most / elements)))
      at.fail(
          fmt::format("its inputs are {} and {}", sides_text(values.front()->dims), sides_text(value->dims)));
    first = rows_of(most, static_cast<std::int64_t>(elements));
  }
  std::vector<FlowSides> out;
  for (const OnnxValue* value : values) {
    const double elements = elements_of(value->dims);
    if (elements != most && elements != static_cast<double>(first.back()))
      at.fail(
          fmt::format("its inputs are {} and {}", sides_text(values.front()->dims), sides_text(value->dims)));
    out.push_back(elements == most ? first : FlowSides{first.back()});
  }
  return out;
}

OnnxValue joined(const OnnxPlace& at, const std::vector<const OnnxValue*>& values, const char* layer) {
  OnnxDims dims = values.front()->dims;
  for (const OnnxValue* value : values) {
    const auto both = broadcast(dims, value->dims);
    if (!both || elements_of(*both) != elements_of(values.front()->dims))
      at.fail(fmt::format("its inputs are {} and {}", sides_text(dims), sides_text(value->dims)),
              "one of them must have all elements of the result");
    dims = *both;
  }
  const std::vector<FlowSides> sides = joined_sides(at, values);
  ordered_json lists = ordered_json::array();
  for (std::size_t i = 0; i < values.size(); ++i) {
    lists.push_back(at.layers.branch(values[i]->flow, sides[i]));
    if (lists.back().is_null()) at.fail("its input is a value that is repeated");
  }
  return at.write({{layer, lists}}, sides.front(), std::move(dims));
}

/// Learned tokens at the front or the end of a sequence.
OnnxValue with_tokens(const OnnxPlace& at, const OnnxValue& value, std::int64_t tokens, OnnxDims dims) {
  const std::int64_t width = value.dims.back();
  const auto rows = [width](const OnnxDims& of) {
    return FlowSides{static_cast<std::int64_t>(elements_of(of)) / width, width};
  };
  if (!at.layers.go_to(value.flow, rows(value.dims))) at.fail("its input is a value that is repeated");
  ordered_json layer = "class_token";
  if (tokens > 1) layer = {{"class_token", true}, {"repeat", tokens}};
  FlowSides sides = rows(dims);
  return at.write(std::move(layer), std::move(sides), std::move(dims));
}

}  // namespace

OnnxValue join(const OnnxPlace& at) {
  const std::vector<const OnnxValue*> values = flowing_inputs(at);
  OnnxValue out = *values.front();
  if (values.size() > 1) out = joined(at, values, is_product(at) ? "multiply" : "add");
  for (const OnnxValue* value : at.inputs)
    if (value && value->flow < 0) {
      if (values.size() > 1)
        at.warnings.emplace_back("sums and products with constants are left out");
      else
        out = with_constant(at, out, *value);
    }
  return out;
}

OnnxValue where(const OnnxPlace& at) {
  const std::vector<const OnnxValue*> values = flowing_inputs(at);
  if (values.size() > 1 && !at.flows(0)) return joined(at, values, "add");
  const OnnxValue& value = *values.front();
  OnnxDims dims = value.dims;
  for (const OnnxValue* other : at.inputs) {
    const auto both = other ? broadcast(dims, other->dims) : std::nullopt;
    if (!both || *both != value.dims) at.fail("its inputs do not have the sides of its result");
  }
  at.warnings.emplace_back("masks are left out");
  return value;
}

OnnxValue concat(const OnnxPlace& at) {
  if (at.inputs.empty()) at.fail("reads no value of the network");
  const OnnxDims first = at.input(0).dims;
  const auto side = side_of(at.node.number("axis", 1), first.size());
  if (!side) at.fail("its axis is not a side of its input");
  OnnxDims dims = first;
  dims[*side] = 0;
  std::vector<const OnnxValue*> values;
  double learned = 0;
  bool other_constants = false;
  for (std::size_t i = 0; i < at.inputs.size(); ++i) {
    const OnnxValue& value = at.input(i);
    OnnxDims rest = value.dims;
    if (rest.size() == first.size()) rest[*side] = 0;
    OnnxDims wanted = first;
    wanted[*side] = 0;
    if (rest != wanted)
      at.fail(fmt::format("its inputs are {} and {}", sides_text(first), sides_text(value.dims)));
    dims[*side] += value.dims[*side];
    if (dims[*side] > longest_onnx_side) at.fail("makes a side above 10^9");
    if (value.flow >= 0)
      values.push_back(&value);
    else if (value.constant &&
             elements_of(value.dims) == static_cast<double>(value.dims[*side] * value.dims.back()))
      learned += static_cast<double>(value.dims[*side]);
    else
      other_constants = true;
  }
  if (values.empty()) at.fail("reads no value of the network");
  if (other_constants ||
      (learned > 0 && (values.size() > 1 || *side + 1 == first.size() || learned > 10'000)))
    at.fail("reads a constant where a value of the network belongs");
  if (learned > 0)
    return with_tokens(at, *values.front(), static_cast<std::int64_t>(learned), std::move(dims));
  if (values.size() == 1) return *values.front();

  // Channels of maps are stacked as they are. Else rows of all that lies behind the sides in front.
  const bool map = *side == 1 && first.size() > 3 && std::ranges::all_of(values, [&](const OnnxValue* value) {
    const FlowSides& flow = at.layers.sides(value->flow);
    return flow == map_of(value->dims) || flow.size() == 1;
  });
  const double before = elements_of({first.begin(), first.begin() + static_cast<std::ptrdiff_t>(*side)});
  ordered_json lists = ordered_json::array();
  FlowSides out;
  for (const OnnxValue* value : values) {
    const double elements = elements_of(value->dims);
    if (elements < 1 || elements / before > 1e9)
      at.fail(sides_text(value->dims) + " is too large to be stacked");
    FlowSides sides = rows_of(elements, static_cast<std::int64_t>(elements / before));
    if (map && at.layers.sides(value->flow).size() > 1) sides = map_of(value->dims);
    out = sides;
    lists.push_back(at.layers.branch(value->flow, sides));
    if (lists.back().is_null()) at.fail("its input is a value that is repeated");
  }
  const double width = elements_of(dims) / (elements_in(out) / static_cast<double>(out.back()));
  if (width > 1e9) at.fail("stacks more than 10^9 channels");
  out.back() = static_cast<std::int64_t>(width);
  return at.write({{"concat", lists}}, std::move(out), std::move(dims));
}

}  // namespace rackcast::onnx_layers
