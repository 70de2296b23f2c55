#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "calibrate/import/onnx/onnx_operators.hpp"

namespace rackcast::onnx_layers {
namespace {

using nlohmann::ordered_json;

std::int64_t whole_of(double n) {
  return static_cast<std::int64_t>(n);
}

/// Flags of a norm whose scale or offset is missing; they may stand in operators behind it.
ordered_json norm_layer(const char* kind, bool scale, bool center, bool may_center) {
  if (scale && (center || !may_center)) return kind;
  ordered_json out{{kind, true}};
  if (!scale) out["scale"] = false;
  if (!center && may_center) out["center"] = false;
  return out;
}

/// What attention computes with: sides of one head, and how many of them.
struct HeadSizes {
  std::int64_t sequences = 1, heads = 1, kv_heads = 1, queries = 0, keys = 0, width = 0, v_width = 0;
};

std::int64_t shared_heads(const OnnxPlace& at, const OnnxValue& keys, std::int64_t heads) {
  const std::int64_t own = keys.dims.size() > 2 ? keys.dims[keys.dims.size() - 3] : 1;
  if (own == 1 && keys.repeats == 1) return 1;
  if (at.node.number("grouped", 0) != 0 && own > 0 && heads % own == 0 && keys.repeats == 1) return own;
  if (own != heads || heads % keys.repeats != 0)
    at.fail(fmt::format("{} heads do not share keys of {}", heads, sides_text(keys.dims)));
  return heads / keys.repeats;
}

/// Of queries (..., heads, length, width), keys and values alike; keys may be transposed.
HeadSizes head_sizes(const OnnxPlace& at, const OnnxValue& q, const OnnxValue& k, const OnnxValue& v) {
  const bool turned = at.node.number("transposed_keys", 0) != 0;
  const std::size_t n = q.dims.size();
  if (n < 2 || k.dims.size() < 2 || v.dims.size() < 2)
    at.fail("its queries, keys and values have too few sides");
  HeadSizes out;
  out.queries = q.dims[n - 2];
  out.width = q.dims.back();
  OnnxDims keys = k.dims;
  if (turned) std::swap(keys[keys.size() - 1], keys[keys.size() - 2]);
  out.keys = keys[keys.size() - 2];
  out.v_width = v.dims.back();
  out.heads = n > 2 ? q.dims[n - 3] : 1;
  const double sequences =
      elements_of({q.dims.begin(), q.dims.end() - static_cast<std::ptrdiff_t>(std::min<std::size_t>(n, 3))});
  out.sequences = whole_of(std::min(sequences, 1e9));
  const auto fits = [&](OnnxDims dims) {
    if (at.node.number("grouped", 0) != 0 && dims.size() > 2) dims[dims.size() - 3] = 1;  // heads share them
    const OnnxDims front{q.dims.begin(), q.dims.end() - 2};
    return broadcast(front, {dims.begin(), dims.end() - 2}) == front;
  };
  if (keys.back() != out.width || v.dims[v.dims.size() - 2] != out.keys || !fits(keys) || !fits(v.dims))
    at.fail(fmt::format("its queries are {}, its keys {} and its values {}", sides_text(q.dims),
                        sides_text(keys), sides_text(v.dims)));
  out.kv_heads = shared_heads(at, k, out.heads);
  if (shared_heads(at, v, out.heads) != out.kv_heads)
    at.fail("its keys and values have another number of heads");
  return out;
}

/// Learned numbers that the scores of each head get, by distance; masks are the same for all heads.
double learned_scores(const OnnxPlace& at, std::int64_t heads) {
  double out = 0;
  for (std::size_t i = 3; i < at.inputs.size(); ++i) {
    if (!at.has(i)) continue;
    const OnnxValue& value = at.input(i);
    const std::size_t n = value.dims.size();
    if (heads > 1 && value.weights > 0 && n > 2 && value.dims[n - 3] == heads && !at.counted_before(value))
      out += value.weights;
  }
  return out;
}

OnnxValue write_attention(const OnnxPlace& at, const HeadSizes& sizes, const OnnxValue& q, const OnnxValue& k,
                          const OnnxValue& v, OnnxDims dims) {
  const std::int64_t q_width = sizes.heads * sizes.width, k_width = sizes.kv_heads * sizes.width,
                     v_width = sizes.kv_heads * sizes.v_width;
  const std::int64_t q_rows = sizes.sequences * sizes.queries, k_rows = sizes.sequences * sizes.keys;
  const auto holds = [&](const OnnxValue& value, std::int64_t rows, std::int64_t width) {
    return elements_in(at.layers.sides(value.flow)) == static_cast<double>(rows) * static_cast<double>(width);
  };
  ordered_json layer{{"dot_attention", sizes.heads}, {"head_dim", sizes.width}};
  FlowSides input{q_rows, q_width};
  if (q.flow == k.flow && q.flow == v.flow && q_rows == k_rows &&
      holds(q, q_rows, q_width + k_width + v_width)) {
    input = {q_rows, q_width + k_width + v_width};
  } else if (k.flow == v.flow && k.flow != q.flow && holds(k, k_rows, k_width + v_width)) {
    layer["keys"] = layer["values"] = at.layers.named(k.flow, {k_rows, k_width + v_width});
  } else {
    layer["keys"] = at.layers.named(k.flow, {k_rows, k_width});
    layer["values"] = at.layers.named(v.flow, {k_rows, v_width});
    if (layer["keys"].get_ref<const std::string&>().empty() ||
        layer["values"].get_ref<const std::string&>().empty())
      at.fail("its keys or values are repeated");
    // One value for both means that it holds both, one beside the other.
    if (layer["keys"] == layer["values"]) {
      at.layers.go_to(k.flow, {k_rows, k_width});
      at.layers.write({{"reshape", {k_rows, v_width}}}, {k_rows, v_width});
      layer["values"] = at.layers.named(at.layers.current(), {k_rows, v_width});
    }
  }
  if (sizes.kv_heads != sizes.heads) layer["kv_heads"] = sizes.kv_heads;
  if (sizes.v_width != sizes.width) layer["v_head_dim"] = sizes.v_width;
  if (sizes.sequences > 1) layer["sequences"] = sizes.sequences;
  if (at.node.number("causal", 0) != 0) layer["causal"] = true;
  if (at.node.number("dropout", 0) != 0) layer["dropout"] = true;
  if (const double learned = learned_scores(at, sizes.heads); learned > 0)
    layer["biases"] = whole_of(learned);
  if (!at.layers.go_to(q.flow, input)) at.fail("its queries are repeated");
  return at.write(std::move(layer), {q_rows, sizes.heads * sizes.v_width}, std::move(dims));
}

/// One head's width of a value that holds all of them side by side.
std::int64_t head_width(const OnnxPlace& at, const OnnxValue& value, std::int64_t heads) {
  if (value.dims.size() != 3 || heads < 1 || value.dims.back() % heads != 0)
    at.fail(fmt::format("{} heads do not share {}", heads, sides_text(value.dims)));
  return value.dims.back() / heads;
}

}  // namespace

OnnxValue gather(const OnnxPlace& at) {
  const OnnxValue &table = at.input(0), &ids = at.input(1);
  if (!table.constant || table.dims.size() != 2 || at.node.number("axis", 0) != 0 || ids.aside < 0)
    at.fail("a look-up of this sort has no layer", "tables of the file with rows and columns have one");
  const double count = elements_of(ids.dims);
  if (!at.layers.go_to(ids.aside, {whole_of(std::min(count, 1e12)), 1}))
    at.fail(fmt::format("looks up {} ids, but its input has fewer", sides_text(ids.dims)));
  ordered_json layer{{"embedding", table.dims[1]}, {"vocab", table.dims[0]}};
  if (at.counted_before(table)) layer["tied"] = true;
  OnnxDims dims = ids.dims;
  dims.push_back(table.dims[1]);
  return at.write(std::move(layer), {whole_of(count), table.dims[1]}, std::move(dims));
}

OnnxValue layer_norm(const OnnxPlace& at) {
  const OnnxValue& value = at.flowing(0);
  OnnxDims axes = at.node.numbers("axes");
  if (axes.empty()) {
    const auto first = side_of(at.node.number("axis", -1), value.dims.size());
    for (std::size_t i = first.value_or(value.dims.size()); i < value.dims.size(); ++i)
      axes.push_back(static_cast<std::int64_t>(i));
  }
  double width = 1;
  for (const std::int64_t axis : axes) {
    const auto side = side_of(axis, value.dims.size());
    if (!side) at.fail("its axes are not sides of its input");
    width *= static_cast<double>(value.dims[*side]);
  }
  if (axes.empty() || width > 1e9) at.fail("its axes are not sides of its input");
  const bool rms =
      at.node.kind.find("Simplified") != std::string::npos || at.node.kind.find("RMS") != std::string::npos;
  const FlowSides& flow = at.layers.sides(value.flow);
  if (static_cast<double>(flow.back()) == width && elements_in(flow) == elements_of(value.dims))
    at.layers.go_to(value.flow);
  else
    at.enter_rows(0, whole_of(width));
  return at.write(norm_layer(rms ? "rms_norm" : "layer_norm", at.has(1), at.has_bias(2), !rms),
                  at.layers.sides(at.layers.current()), value.dims);
}

/// Also what exporters make of group norms: groups are its channels, and scale and offset stand behind it.
OnnxValue instance_norm(const OnnxPlace& at) {
  const OnnxValue& value = at.enter(0);
  const FlowSides sides = at.layers.sides(at.layers.current());
  const bool own = elements_of(at.input(1).dims) == static_cast<double>(sides.back());
  return at.write(own ? "instance_norm" : norm_layer("group_norm", false, false, true), sides, value.dims);
}

OnnxValue dot_attention(const OnnxPlace& at) {
  const OnnxValue &q = at.flowing(0), &k = at.flowing(1), &v = at.flowing(2);
  const HeadSizes sizes = head_sizes(at, q, k, v);
  OnnxDims dims = q.dims;
  dims.back() = sizes.v_width;
  return write_attention(at, sizes, q, k, v, std::move(dims));
}

OnnxValue fused_attention(const OnnxPlace& at) {
  const OnnxValue& value = at.flowing(0);
  const OnnxDims weights = at.weights(1, 2);
  const std::int64_t heads = at.node.number("num_heads", 0), width = weights[1] / 3;
  if (value.dims.size() != 3 || weights[0] != value.dims.back() || weights[1] % 3 != 0 || heads < 1 ||
      width % heads != 0 || !at.node.numbers("qkv_hidden_sizes").empty())
    at.fail(fmt::format("weights of {} do not fit {} and {} heads", sides_text(weights),
                        sides_text(value.dims), heads));
  OnnxDims dims = value.dims;
  const OnnxValue all = dense(at, 0, 1, weights[1], at.has_bias(2), {dims[0], dims[1], weights[1]});
  dims.back() = width;
  const HeadSizes sizes{.sequences = dims[0],
                        .heads = heads,
                        .kv_heads = heads,
                        .queries = dims[1],
                        .keys = dims[1],
                        .width = width / heads,
                        .v_width = width / heads};
  return write_attention(at, sizes, all, all, all, std::move(dims));
}

OnnxValue multi_head_attention(const OnnxPlace& at) {
  const OnnxValue &q = at.flowing(0), &k = at.flowing(1), &v = at.flowing(2);
  HeadSizes sizes;
  sizes.heads = at.node.number("num_heads", 0);
  sizes.kv_heads = at.node.number("kv_num_heads", sizes.heads);
  sizes.width = head_width(at, q, sizes.heads);
  sizes.v_width = head_width(at, v, sizes.kv_heads);
  if (head_width(at, k, sizes.kv_heads) != sizes.width || k.dims[1] != v.dims[1] ||
      sizes.heads % sizes.kv_heads != 0 || k.dims[0] != q.dims[0] || v.dims[0] != q.dims[0])
    at.fail(fmt::format("its queries are {}, its keys {} and its values {}", sides_text(q.dims),
                        sides_text(k.dims), sides_text(v.dims)));
  sizes.sequences = q.dims[0];
  sizes.queries = q.dims[1];
  sizes.keys = k.dims[1];
  OnnxDims dims = q.dims;
  dims.back() = sizes.heads * sizes.v_width;
  return write_attention(at, sizes, q, k, v, std::move(dims));
}

OnnxValue skip_norm(const OnnxPlace& at) {
  const bool rms = at.node.kind.find("Simplified") != std::string::npos;
  const OnnxValue &a = at.flowing(0), &b = at.flowing(1);
  if (a.dims != b.dims || a.dims.empty())
    at.fail(fmt::format("its inputs are {} and {}", sides_text(a.dims), sides_text(b.dims)));
  const FlowSides sides = rows_of(elements_of(a.dims), a.dims.back());
  ordered_json lists{at.layers.branch(a.flow, sides), at.layers.branch(b.flow, sides)};
  if (lists[0].is_null() || lists[1].is_null()) at.fail("its input is a value that is repeated");
  if (at.has(rms ? 3 : 4)) at.warnings.emplace_back("sums and products with constants are left out");
  at.others[3] = at.write({{"add", lists}}, sides, a.dims);
  return at.write(norm_layer(rms ? "rms_norm" : "layer_norm", true, rms || at.has_bias(3), !rms), sides,
                  a.dims);
}

}  // namespace rackcast::onnx_layers
