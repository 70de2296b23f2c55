#include "calibrate/import/onnx/onnx_value.hpp"

#include <algorithm>
#include <cmath>

namespace rackcast {

double elements_of(const OnnxDims& dims) {
  double out = 1;
  for (const std::int64_t side : dims) out *= static_cast<double>(side);
  return out;
}

std::string sides_text(const OnnxDims& dims) {
  std::string out;
  for (const std::int64_t side : dims) out += (out.empty() ? "" : " x ") + std::to_string(side);
  return out.empty() ? "a number" : out;
}

std::optional<OnnxDims> reshaped(const OnnxDims& dims, OnnxDims target) {
  if (target.size() > most_onnx_sides) return std::nullopt;
  double known = 1;
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (target[i] == 0 && i < dims.size()) target[i] = dims[i];
    if (target[i] >= 0) known *= static_cast<double>(target[i]);
  }
  const double left = known > 0 ? elements_of(dims) / known : 0;
  for (std::int64_t& side : target)
    if (side < 0) side = left <= static_cast<double>(longest_onnx_side) ? static_cast<std::int64_t>(left) : 0;
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
  if (all > most_onnx_sides) return std::nullopt;
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

std::optional<OnnxDims> broadcast(const OnnxDims& a, const OnnxDims& b) {
  const OnnxDims &longer = a.size() >= b.size() ? a : b, &shorter = a.size() >= b.size() ? b : a;
  OnnxDims out = longer;
  const std::size_t offset = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    std::int64_t& side = out[i + offset];
    if (side == 1)
      side = shorter[i];
    else if (shorter[i] != 1 && shorter[i] != side)
      return std::nullopt;
  }
  return out;
}

std::optional<OnnxDims> reduced(const OnnxDims& dims, const OnnxDims& axes, bool keep) {
  std::vector<bool> gone(dims.size(), axes.empty());
  for (const std::int64_t axis : axes) {
    const auto at = side_of(axis, dims.size());
    if (!at) return std::nullopt;
    gone[*at] = true;
  }
  OnnxDims out;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (!gone[i])
      out.push_back(dims[i]);
    else if (keep)
      out.push_back(1);
  }
  return out;
}

std::optional<OnnxDims> multiplied(const OnnxDims& a, const OnnxDims& b) {
  if (a.size() < 2 || b.size() < 2 || a.back() != b[b.size() - 2]) return std::nullopt;
  auto out = broadcast({a.begin(), a.end() - 2}, {b.begin(), b.end() - 2});
  if (!out) return std::nullopt;
  out->push_back(a[a.size() - 2]);
  out->push_back(b.back());
  return out;
}

OnnxDims numbers_of(const OnnxNode& node, const char* attribute, const OnnxValue* given) {
  OnnxDims out = node.numbers(attribute);
  if (given && given->numbers)
    for (const double n : *given->numbers)  // exporters write the largest integer for "to the end"
      out.push_back(static_cast<std::int64_t>(std::clamp(std::isnan(n) ? 0.0 : n, -1e12, 1e12)));
  return out;
}

}  // namespace rackcast
