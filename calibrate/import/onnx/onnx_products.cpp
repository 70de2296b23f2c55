#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "calibrate/import/onnx/onnx_operators.hpp"

namespace rackcast::onnx_layers {
namespace {

using nlohmann::ordered_json;

[[noreturn]] void fail_product(const OnnxPlace& at) {
  at.fail(
      fmt::format("weights of {} do not fit {}", sides_text(at.input(1).dims), sides_text(at.input(0).dims)));
}

/// The product of two values, each with as many matrices as the result, or with one that serves all of them.
OnnxValue product_of_values(const OnnxPlace& at, OnnxDims a, OnnxDims b) {
  const auto dims = multiplied(a, b);
  if (!dims) fail_product(at);
  const double rows = static_cast<double>(a[a.size() - 2]), inner = static_cast<double>(a.back()),
               columns = static_cast<double>(b.back()), count = elements_of(*dims) / (rows * columns);
  const bool fit = (elements_of(a) == rows * inner * count || elements_of(a) == rows * inner) &&
                   (elements_of(b) == inner * columns * count || elements_of(b) == inner * columns);
  if (!fit || count > 1e9)
    at.fail(fmt::format("a product of {} and {} has no layer", sides_text(a), sides_text(b)));
  const std::string other = at.layers.named(at.flowing(1).flow, rows_of(elements_of(b), b.back()));
  if (other.empty()) at.fail("its second input is a value that is repeated");
  at.enter_rows(0, a.back());
  const auto whole = [](double n) {
    return static_cast<std::int64_t>(n);
  };
  return at.write({{"matmul", other}, {"sizes", {whole(count), whole(rows), whole(inner), whole(columns)}}},
                  {whole(count * rows), b.back()}, *dims);
}

}  // namespace

OnnxValue dense(const OnnxPlace& at, std::size_t i, std::size_t from, std::int64_t outputs, bool bias,
                OnnxDims dims) {
  const OnnxValue& weights = at.input(from);
  const double inputs = elements_of(weights.dims) / static_cast<double>(outputs);
  const OnnxValue& value = at.enter_rows(i, static_cast<std::int64_t>(inputs));
  ordered_json layer{{"linear", outputs}};
  if (at.counted_before(weights)) layer["tied"] = true;
  if (!bias) layer["bias"] = false;
  return at.write(std::move(layer),
                  rows_of(elements_of(value.dims) / inputs * static_cast<double>(outputs), outputs),
                  std::move(dims));
}

OnnxValue gemm(const OnnxPlace& at) {
  OnnxDims a = at.input(0).dims, b = at.input(1).dims;
  if (a.size() != 2 || b.size() != 2) fail_product(at);
  if (at.node.number("transA", 0) != 0) std::swap(a[0], a[1]);
  if (at.node.number("transB", 0) != 0) std::swap(b[0], b[1]);
  const auto dims = multiplied(a, b);
  if (!dims) fail_product(at);
  if (at.flows(0) && at.flows(1)) return product_of_values(at, a, b);
  if (at.input(0).constant) {
    (void)at.weights(0, 2);
    return dense(at, 1, 0, a[0], false, *dims);
  }
  (void)at.weights(1, 2);
  return dense(at, 0, 1, b[1], at.has_bias(2), *dims);
}

OnnxValue matmul(const OnnxPlace& at) {
  const OnnxDims &a = at.input(0).dims, &b = at.input(1).dims;
  if (at.flows(0) && at.flows(1)) return product_of_values(at, a, b);
  const auto dims = multiplied(a, b);
  if (!dims) fail_product(at);
  if (at.input(0).constant) {
    (void)at.weights(0, 2);
    return dense(at, 1, 0, a[0], false, *dims);
  }
  (void)at.weights(1, 2);
  return dense(at, 0, 1, b[1], false, *dims);
}

}  // namespace rackcast::onnx_layers
