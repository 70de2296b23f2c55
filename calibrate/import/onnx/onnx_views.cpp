#include "calibrate/import/onnx/onnx_views.hpp"

#include <algorithm>
#include <map>

namespace rackcast {
namespace {

using ViewInputs = std::vector<const OnnxValue*>;

const OnnxValue* view_input(const ViewInputs& inputs, std::size_t i) {
  return i < inputs.size() ? inputs[i] : nullptr;
}

/// Where the elements of a view stand in the value that it is made of: `begin` plus a step for each side.
struct ViewSteps {
  OnnxDims dims;
  std::int64_t begin = 0;
  std::vector<std::int64_t> steps;
};

ViewSteps as_it_lies(const OnnxDims& dims) {
  ViewSteps out{dims, 0, std::vector<std::int64_t>(dims.size())};
  std::int64_t step = 1;
  for (std::size_t i = dims.size(); i-- > 0;) {
    out.steps[i] = step;
    const std::int64_t side = std::max<std::int64_t>(1, dims[i]);
    step = side > longest_onnx_side / step ? longest_onnx_side : step * side;
  }
  return out;
}

/// The numbers of a view; null where there are more than anybody reads.
OnnxNumbers numbers_at(const OnnxNumbers& from, const ViewSteps& view) {
  if (!from || elements_of(view.dims) > static_cast<double>(most_onnx_numbers)) return nullptr;
  std::vector<double> out(static_cast<std::size_t>(elements_of(view.dims)));
  std::vector<std::int64_t> at(view.dims.size(), 0);
  for (double& number : out) {
    std::int64_t place = view.begin;
    for (std::size_t i = 0; i < at.size(); ++i) place += at[i] * view.steps[i];
    if (place < 0 || static_cast<std::size_t>(place) >= from->size()) return nullptr;
    number = (*from)[static_cast<std::size_t>(place)];
    for (std::size_t i = at.size(); i-- > 0;) {
      if (++at[i] < view.dims[i]) break;
      at[i] = 0;
    }
  }
  return small_numbers(std::move(out));
}

/// `of` with the sides of `view`. Steps of small constants alone are exact: a side may be long elsewhere.
OnnxValue viewed(const OnnxValue& of, const ViewSteps& view) {
  OnnxValue out = of;
  out.dims = view.dims;
  if (of.numbers) out.numbers = numbers_at(of.numbers, view);
  return out;
}

std::optional<OnnxValue> other_sides(const OnnxValue& of, const std::optional<OnnxDims>& dims) {
  if (!dims) return std::nullopt;
  OnnxValue out = of;
  out.dims = *dims;
  return out;
}

/// Where the file was written for more than one sample, its first side stands for them.
std::optional<OnnxValue> view_reshape(const OnnxNode& node, const ViewInputs& inputs, std::int64_t batch) {
  const OnnxValue *of = inputs.front(), *shape = view_input(inputs, 1);
  if (shape && !shape->numbers) return std::nullopt;
  OnnxDims target = numbers_of(node, "shape", shape);
  if (target.empty()) return elements_of(of->dims) == 1 ? other_sides(*of, OnnxDims{}) : std::nullopt;
  const bool samples = !of->constant && batch > 1;
  if (samples && target.front() == batch) target.front() = 1;
  if (auto out = other_sides(*of, reshaped(of->dims, target))) return out;
  if (of->constant) return std::nullopt;
  target.front() = 1;
  return other_sides(*of, reshaped(of->dims, target));
}

std::optional<OnnxValue> view_flatten(const OnnxNode& node, const ViewInputs& inputs, std::int64_t) {
  const OnnxValue& of = *inputs.front();
  const std::int64_t axis = node.number("axis", 1), sides = static_cast<std::int64_t>(of.dims.size());
  if (axis < -sides || axis > sides) return std::nullopt;
  const auto middle = of.dims.begin() + (axis < 0 ? axis + sides : axis);
  const double before = elements_of({of.dims.begin(), middle}), behind = elements_of({middle, of.dims.end()});
  constexpr auto longest = static_cast<double>(longest_onnx_side);
  if (before > longest || behind > longest) return std::nullopt;
  return other_sides(of, OnnxDims{static_cast<std::int64_t>(before), static_cast<std::int64_t>(behind)});
}

std::optional<OnnxValue> view_transpose(const OnnxNode& node, const ViewInputs& inputs, std::int64_t) {
  const OnnxValue& of = *inputs.front();
  const auto dims = transposed(of.dims, node.numbers("perm"));
  if (!dims) return std::nullopt;
  if (!of.numbers) return other_sides(of, dims);
  const ViewSteps lies = as_it_lies(of.dims);
  const auto steps = transposed(lies.steps, node.numbers("perm"));
  return viewed(of, {*dims, 0, *steps});
}

std::optional<OnnxValue> view_squeeze(const OnnxNode& node, const ViewInputs& inputs, std::int64_t) {
  return other_sides(*inputs.front(),
                     squeezed(inputs.front()->dims, numbers_of(node, "axes", view_input(inputs, 1))));
}

std::optional<OnnxValue> view_unsqueeze(const OnnxNode& node, const ViewInputs& inputs, std::int64_t) {
  return other_sides(*inputs.front(),
                     unsqueezed(inputs.front()->dims, numbers_of(node, "axes", view_input(inputs, 1))));
}

std::optional<OnnxValue> view_same(const OnnxNode&, const ViewInputs& inputs, std::int64_t) {
  return *inputs.front();
}

/// Begin and number of places of a slice along a side of `length`.
std::pair<std::int64_t, std::int64_t> sliced(std::int64_t length, std::int64_t begin, std::int64_t end,
                                             std::int64_t step) {
  if (length < 1) return {0, 0};
  const auto from_front = [length](std::int64_t at) {
    return at < 0 ? at + length : at;
  };
  if (step > 0) {
    begin = std::clamp<std::int64_t>(from_front(begin), 0, length);
    end = std::clamp<std::int64_t>(from_front(end), 0, length);
    return {begin, end > begin ? (end - begin + step - 1) / step : 0};
  }
  begin = std::clamp<std::int64_t>(from_front(begin), 0, length - 1);
  end = std::clamp<std::int64_t>(from_front(end), -1, length - 1);
  return {begin, begin > end ? (begin - end - step - 1) / -step : 0};
}

std::optional<OnnxValue> view_slice(const OnnxNode& node, const ViewInputs& inputs, std::int64_t) {
  const OnnxValue& of = *inputs.front();
  for (std::size_t i = 1; i < inputs.size(); ++i)
    if (inputs[i] && !inputs[i]->numbers) return std::nullopt;
  const OnnxDims begin = numbers_of(node, "starts", view_input(inputs, 1)),
                 end = numbers_of(node, "ends", view_input(inputs, 2)),
                 axes = numbers_of(node, "axes", view_input(inputs, 3)),
                 steps = numbers_of(node, "steps", view_input(inputs, 4));
  if (begin.empty() || begin.size() != end.size() || (!axes.empty() && axes.size() != begin.size()) ||
      (!steps.empty() && steps.size() != begin.size()))
    return std::nullopt;
  ViewSteps view = as_it_lies(of.dims);
  std::vector<bool> seen(of.dims.size(), false);
  for (std::size_t i = 0; i < begin.size(); ++i) {
    const auto side = side_of(axes.empty() ? static_cast<std::int64_t>(i) : axes[i], of.dims.size());
    const std::int64_t step = steps.empty() ? 1 : steps[i];
    if (!side || seen[*side] || step == 0 || step < -longest_onnx_side || step > longest_onnx_side)
      return std::nullopt;
    seen[*side] = true;
    const auto [first, count] = sliced(of.dims[*side], begin[i], end[i], step);
    view.dims[*side] = count;
    if (!of.numbers || of.numbers->empty()) continue;
    view.begin += first * view.steps[*side];
    view.steps[*side] *= step;
  }
  return viewed(of, view);
}

/// One place of a side, or some of them; of which is known for small constants alone.
std::optional<OnnxValue> view_gather(const OnnxNode& node, const ViewInputs& inputs, std::int64_t) {
  const OnnxValue &of = *inputs.front(), *which = view_input(inputs, 1);
  const auto side = side_of(node.number("axis", 0), of.dims.size());
  if (!which || !side) return std::nullopt;
  OnnxValue out = of;
  const auto at = out.dims.begin() + static_cast<std::ptrdiff_t>(*side);
  out.dims.insert(out.dims.erase(at), which->dims.begin(), which->dims.end());
  if (which->aside >= 0 && out.flow < 0) {
    out.aside = which->aside;
    out.constant = false;
  }
  out.numbers = nullptr;
  if (!of.numbers || !which->numbers || elements_of(out.dims) > static_cast<double>(most_onnx_numbers))
    return out;
  const auto inner = static_cast<std::size_t>(
      elements_of({of.dims.begin() + static_cast<std::ptrdiff_t>(*side) + 1, of.dims.end()}));
  const auto length = static_cast<std::size_t>(of.dims[*side]);
  std::vector<double> numbers;
  for (std::size_t block = 0; inner * length > 0 && block + inner * length <= of.numbers->size();
       block += inner * length)
    for (const double index : *which->numbers) {
      if (!(index > -1e9 && index < 1e9)) return std::nullopt;
      const auto place = side_of(static_cast<std::int64_t>(index), length);
      if (!place) return std::nullopt;
      for (std::size_t i = 0; i < inner; ++i) numbers.push_back((*of.numbers)[block + *place * inner + i]);
    }
  if (static_cast<double>(numbers.size()) == elements_of(out.dims))
    out.numbers = small_numbers(std::move(numbers));
  return out;
}

std::optional<OnnxValue> repeated(OnnxValue value, double times) {
  const double repeats = static_cast<double>(value.repeats) * times;
  if (!(repeats <= 1e12)) return std::nullopt;
  value.repeats = static_cast<std::int64_t>(repeats);
  return value;
}

/// A side of one is repeated.
std::optional<OnnxValue> grown(const OnnxValue& of, const OnnxDims& dims) {
  if (elements_of(dims) > 1e15 || elements_of(of.dims) < 1) return std::nullopt;
  ViewSteps view{dims, 0, std::vector<std::int64_t>(dims.size(), 0)};
  const ViewSteps lies = as_it_lies(of.dims);
  const std::size_t offset = dims.size() - of.dims.size();
  if (of.numbers)
    for (std::size_t i = 0; i < of.dims.size(); ++i)
      view.steps[i + offset] = of.dims[i] == 1 ? 0 : lies.steps[i];
  return repeated(viewed(of, view), elements_of(dims) / elements_of(of.dims));
}

std::optional<OnnxValue> view_expand(const OnnxNode& node, const ViewInputs& inputs, std::int64_t) {
  const OnnxValue& of = *inputs.front();
  const OnnxValue* shape = view_input(inputs, 1);
  if (!shape || !shape->numbers) return std::nullopt;
  OnnxDims target = numbers_of(node, "shape", shape);
  for (std::int64_t& side : target) side = side < 0 ? 1 : side;
  const auto dims = broadcast(of.dims, target);
  return dims ? grown(of, *dims) : std::nullopt;
}

std::optional<OnnxValue> view_tile(const OnnxNode& node, const ViewInputs& inputs, std::int64_t) {
  const OnnxValue& of = *inputs.front();
  const OnnxDims times = numbers_of(node, "repeats", view_input(inputs, 1));
  if (times.size() != of.dims.size()) return std::nullopt;
  OnnxDims dims = of.dims;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (times[i] < 1 || times[i] > longest_onnx_side / std::max<std::int64_t>(1, dims[i]))
      return std::nullopt;
    dims[i] *= times[i];
  }
  if (dims == of.dims) return of;
  OnnxValue plain = of;
  plain.numbers = nullptr;
  return grown(plain, dims);
}

/// Sides that the file states itself.
std::optional<OnnxValue> view_stated(const OnnxNode& node, const ViewInputs& inputs, std::int64_t) {
  OnnxValue out = *inputs.front();
  const OnnxDims dims = node.numbers("dims");
  const double before = elements_of(out.dims), behind = elements_of(dims);
  if (behind != before) out.numbers = nullptr;
  out.dims = dims;
  return behind > before && before > 0 ? repeated(std::move(out), behind / before) : out;
}

using ViewMaker = std::optional<OnnxValue> (*)(const OnnxNode&, const ViewInputs&, std::int64_t);
ViewMaker view_maker(std::string_view kind) {
  static const std::map<std::string_view, ViewMaker> makers{
      {"Reshape", view_reshape}, {"Flatten", view_flatten},     {"Transpose", view_transpose},
      {"Squeeze", view_squeeze}, {"Unsqueeze", view_unsqueeze}, {"Identity", view_same},
      {"Dropout", view_same},    {"Slice", view_slice},         {"Gather", view_gather},
      {"Expand", view_expand},   {"Tile", view_tile},           {"rackcast.View", view_stated}};
  const auto at = makers.find(kind);
  return at == makers.end() ? nullptr : at->second;
}

}  // namespace

bool is_onnx_view(std::string_view kind) {
  return kind != "Dropout" && view_maker(kind) != nullptr;
}

std::optional<OnnxValue> onnx_view(const OnnxNode& node, const ViewInputs& inputs, std::int64_t batch) {
  const ViewMaker make = view_maker(node.kind);
  if (!make || inputs.empty() || !inputs.front()) return std::nullopt;
  return make(node, inputs, batch);
}

std::optional<std::vector<OnnxValue>> onnx_split(const OnnxNode& node, const ViewInputs& inputs) {
  if (inputs.empty() || !inputs.front()) return std::nullopt;
  const OnnxValue& of = *inputs.front();
  const auto side = side_of(node.number("axis", 0), of.dims.size());
  OnnxDims parts = numbers_of(node, "split", view_input(inputs, 1));
  const auto outputs = static_cast<std::int64_t>(node.outputs.size());
  if (!side || (view_input(inputs, 1) && parts.empty())) return std::nullopt;
  const std::int64_t length = of.dims[*side];
  if (parts.empty())
    for (std::int64_t left = length, each = (length + outputs - 1) / outputs; left > 0; left -= each)
      parts.push_back(std::min(each, left));
  if (parts.size() != node.outputs.size()) return std::nullopt;
  std::vector<OnnxValue> out;
  std::int64_t begin = 0;
  ViewSteps view = as_it_lies(of.dims);
  for (const std::int64_t part : parts) {
    if (part < 0 || part > length - begin) return std::nullopt;
    view.dims[*side] = part;
    view.begin = of.numbers ? begin * view.steps[*side] : 0;
    out.push_back(viewed(of, view));
    begin += part;
  }
  return begin == length ? std::optional{std::move(out)} : std::nullopt;
}

}  // namespace rackcast
