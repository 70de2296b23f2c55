#include "calibrate/import/onnx/onnx_place.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.hpp"

namespace rackcast {

using nlohmann::ordered_json;

void OnnxPlace::fail(const std::string& message, const std::string& hint) const {
  throw Error{node.title() + ": " + message, Where{.file = source.name()}, hint};
}

const OnnxValue& OnnxPlace::input(std::size_t i) const {
  if (!has(i)) fail(fmt::format("input {} is missing", i + 1));
  return *inputs[i];
}

const OnnxDims& OnnxPlace::weights(std::size_t i, std::size_t sides) const {
  const OnnxValue& out = input(i);
  if (!out.constant) fail("its weights are computed by the network", "only weights of the file have a layer");
  if (out.dims.size() != sides || std::ranges::any_of(out.dims, [](std::int64_t n) { return n < 1; }))
    fail(fmt::format("its weights are {}", sides_text(out.dims)));
  return out.dims;
}

bool OnnxPlace::has_bias(std::size_t i) const {
  if (!has(i)) return false;
  if (!input(i).constant) fail("its bias is computed by the network", "only a bias of the file has a layer");
  return true;
}

OnnxDims OnnxPlace::numbers(const char* attribute, std::size_t from_input) const {
  return numbers_of(node, attribute, has(from_input) ? &input(from_input) : nullptr);
}

OnnxDims OnnxPlace::per_side(const char* attribute, std::size_t count, std::int64_t otherwise) const {
  OnnxDims out = node.numbers(attribute);
  if (out.empty()) out.assign(count, otherwise);
  if (out.size() != count) fail(fmt::format("{} has {} numbers instead of {}", attribute, out.size(), count));
  for (const std::int64_t n : out)
    if (n < otherwise || n > 1'000'000) fail(fmt::format("{} cannot be {}", attribute, n));
  return out;
}

std::int64_t OnnxPlace::groups() const {
  const std::int64_t out = node.number("group", 1);
  if (out < 1 || out > 1'000'000) fail(fmt::format("its groups cannot be {}", out));
  return out;
}

const OnnxValue& OnnxPlace::flowing(std::size_t i) const {
  const OnnxValue& value = input(i);
  if (value.constant) fail("reads a constant where a value of the network belongs");
  if (value.flow < 0) fail("reads a mask, positions or ids where a value of the network belongs");
  return value;
}

bool OnnxPlace::counted_before(const OnnxValue& weights) const {
  return !weights.table.empty() && !counted.insert(weights.table).second;
}

const OnnxValue& OnnxPlace::enter_map() const {
  const OnnxValue& value = flowing(0);
  const OnnxDims& dims = value.dims;
  if ((dims.size() != 4 && dims.size() != 5) || dims.front() != 1)
    fail("needs an image or a volume, not " + sides_text(dims));
  const bool pooled =
      layers.sides(value.flow) == FlowSides{dims[1]} && elements_of(dims) == elements_of({dims[1]});
  if (pooled)
    layers.go_to(value.flow);
  else if (!layers.go_to(value.flow, map_of(dims)))
    fail("its input is a value that is repeated", "only keys and values of attention may be");
  return value;
}

const OnnxValue& OnnxPlace::enter_rows(std::size_t i, std::int64_t width) const {
  const OnnxValue& value = flowing(i);
  if (!layers.go_to(value.flow, rows_of(elements_of(value.dims), width)))
    fail("its input is a value that is repeated", "only keys and values of attention may be");
  return value;
}

const OnnxValue& OnnxPlace::enter(std::size_t i) const {
  const OnnxValue& value = flowing(i);
  if (!layers.go_to(value.flow, held_by(layers.sides(value.flow), value.dims)))
    fail("its input is a value that is repeated", "only keys and values of attention may be");
  return value;
}

OnnxValue OnnxPlace::write(ordered_json layer, FlowSides sides, OnnxDims dims) const {
  OnnxValue out{.dims = std::move(dims)};
  out.flow = layers.write(std::move(layer), std::move(sides));
  return out;
}

FlowSides map_of(const OnnxDims& dims) {
  FlowSides out{dims.begin() + 2, dims.end()};
  out.push_back(dims[1]);
  return out;
}

FlowSides rows_of(double elements, std::int64_t width) {
  const double rows = width > 0 ? elements / static_cast<double>(width) : 0;
  if (rows == 1) return {width};
  return {static_cast<std::int64_t>(std::clamp(rows, 0.0, 1e15)), width};
}

FlowSides held_by(const FlowSides& flow, const OnnxDims& dims) {
  if (elements_in(flow) == elements_of(dims)) return flow;
  return rows_of(elements_of(dims), dims.empty() ? 1 : dims.back());
}

ordered_json per_axis(const OnnxDims& numbers) {
  if (std::ranges::all_of(numbers, [&](std::int64_t n) { return n == numbers.front(); }))
    return numbers.front();
  return numbers;
}

namespace {

/// Places of a window on one side of a map. With `ceil` one more may reach over the end, but none begins
/// there.
std::int64_t places(std::int64_t side, std::int64_t before, std::int64_t behind, std::int64_t reach,
                    std::int64_t stride, bool ceil) {
  const std::int64_t room = side + before + behind - reach;
  if (room < 0) return 0;
  std::int64_t out = (room + (ceil ? stride - 1 : 0)) / stride + 1;
  if (ceil && (out - 1) * stride >= side + before) --out;
  return out;
}

}  // namespace

OnnxDims take_window(const OnnxPlace& at, OnnxDims kernel, ordered_json& layer) {
  const OnnxValue& value = at.input(0);
  const std::size_t axes = value.dims.size() - 2;
  if (kernel.empty() && at.node.numbers("kernel_shape").empty()) at.fail("kernel_shape is missing");
  if (kernel.empty()) kernel = at.per_side("kernel_shape", axes, 1);
  const OnnxDims stride = at.per_side("strides", axes, 1), dilation = at.per_side("dilations", axes, 1);
  OnnxDims pad = at.per_side("pads", 2 * axes, 0);
  bool same = at.node.word("auto_pad").starts_with("SAME"), even = true, as_same = true;
  if (same && !value.pad.empty()) at.fail("zeros around its input have no layer beside its own");
  for (std::size_t i = 0; i < std::min(pad.size(), value.pad.size()); ++i) pad[i] += value.pad[i];
  const bool ceil = at.node.number("ceil_mode", 0) != 0;
  OnnxDims out{1, value.dims[1]}, begin;
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t side = value.dims[i + 2], covered = (side + stride[i] - 1) / stride[i],
                       reach = dilation[i] * (kernel[i] - 1) + 1,
                       steps = places(side, pad[i], pad[i + axes], reach, stride[i], ceil);
    out.push_back(same ? covered : steps);
    if (out.back() < 1) at.fail("its window is larger than the map of " + sides_text(value.dims));
    even = even && pad[i] == pad[i + axes];
    as_same = as_same && steps == covered;
    begin.push_back(pad[i]);
  }
  if (!even && !same) {
    if (!as_same)
      at.fail("its two sides have other zeros", "zeros of equal number on both sides have a layer");
    same = true;
  }
  const auto other_than = [](const OnnxDims& numbers, std::int64_t usual) {
    return std::ranges::any_of(numbers, [usual](std::int64_t n) { return n != usual; });
  };
  layer["kernel"] = per_axis(kernel);
  if (other_than(stride, 1)) layer["stride"] = per_axis(stride);
  if (same)
    layer["pad"] = "same";
  else if (other_than(begin, 0))
    layer["pad"] = per_axis(begin);
  if (other_than(dilation, 1)) layer["dilation"] = per_axis(dilation);
  if (ceil) layer["ceil"] = true;
  return out;
}

}  // namespace rackcast
