#pragma once
/// Writes ONNX files by hand, field by field (onnx.proto): what tests import.
#include <cstdint>
#include <string>
#include <vector>

namespace rackcast::onnx_file {

using Numbers = std::vector<std::int64_t>;

inline std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(0x80 | (value & 0x7f));
  return out + static_cast<char>(value);
}
inline std::string number(int field, std::int64_t value) {
  return varint(static_cast<std::uint64_t>(field) << 3) + varint(static_cast<std::uint64_t>(value));
}
inline std::string bytes(int field, const std::string& content) {
  return varint((static_cast<std::uint64_t>(field) << 3) | 2) + varint(content.size()) + content;
}

/// Whole numbers where `values` says some, else weights of these sides without their numbers.
inline std::string tensor(const std::string& name, const Numbers& dims, const Numbers& values = {}) {
  std::string out;
  for (const std::int64_t side : dims) out += number(1, side);
  out += number(2, values.empty() ? 1 : 7);
  for (const std::int64_t value : values) out += number(7, value);
  return bytes(5, out + bytes(8, name));
}
inline std::string list(const std::string& name, const Numbers& values) {
  std::string out = bytes(1, name);
  for (const std::int64_t value : values) out += number(8, value);
  return bytes(5, out);
}
inline std::string whole(const std::string& name, std::int64_t value) {
  return bytes(5, bytes(1, name) + number(3, value));
}
inline std::string node(const std::string& kind, const std::vector<std::string>& inputs,
                        const std::string& output, const std::string& attributes = {}) {
  std::string out;
  for (const std::string& input : inputs) out += bytes(1, input);
  return bytes(1, out + bytes(2, output) + bytes(4, kind) + attributes);
}
/// A side of 0 is open, and has the name that `names` gives it. `type`: 1 float, 7 integers.
inline std::string input(const std::string& name, const Numbers& dims, int type = 1,
                         const std::vector<std::string>& names = {}) {
  std::string shape;
  for (std::size_t i = 0; i < dims.size(); ++i)
    shape += bytes(1, dims[i] == 0 ? bytes(2, i < names.size() ? names[i] : "N") : number(1, dims[i]));
  return bytes(11, bytes(1, name) + bytes(2, bytes(1, number(1, type) + bytes(2, shape))));
}
inline std::string model(const std::string& graph) {
  return number(1, 7) + bytes(2, "a test") + bytes(7, graph);
}

/// A graph that grows operator by operator; each gives the name of its result.
class GraphWriter {
 public:
  std::string op(const std::string& kind, const std::vector<std::string>& inputs,
                 const std::string& attributes = {}) {
    const std::string out = "/" + kind + "_" + std::to_string(++count_);
    text += node(kind, inputs, out, attributes);
    return out;
  }
  std::string weights(const Numbers& dims) {
    const std::string out = "weight." + std::to_string(++count_);
    text += tensor(out, dims);
    return out;
  }
  std::string numbers(const Numbers& values) {
    const std::string out = "numbers." + std::to_string(++count_);
    text += tensor(out, {static_cast<std::int64_t>(values.size())}, values);
    return out;
  }
  /// A number with a fraction, whose value does not matter here.
  std::string fraction() {
    const std::string out = "fraction." + std::to_string(++count_);
    text += tensor(out, {});
    return out;
  }
  std::string transposed(const std::string& x, const Numbers& order) {
    return op("Transpose", {x}, list("perm", order));
  }
  std::string reshaped(const std::string& x, const Numbers& dims) {
    return op("Reshape", {x, numbers(dims)});
  }
  /// y = x A + b as torch.nn.Linear behind a sequence: the bias stands first.
  std::string linear(const std::string& x, std::int64_t inputs, std::int64_t outputs, bool bias = true) {
    const std::string product = op("MatMul", {x, weights({inputs, outputs})});
    return bias ? op("Add", {weights({outputs}), product}) : product;
  }
  std::string norm(const std::string& x, std::int64_t width) {
    return op("LayerNormalization", {x, weights({width}), weights({width})}, whole("axis", -1));
  }
  /// The same in operators of opset 16 and before.
  std::string old_norm(const std::string& x, std::int64_t width) {
    const std::string mean = op("ReduceMean", {x}, list("axes", {-1}));
    const std::string centered = op("Sub", {x, mean});
    const std::string square = op("Pow", {centered, fraction()});
    const std::string variance = op("ReduceMean", {square}, list("axes", {-1}));
    const std::string root = op("Sqrt", {op("Add", {variance, fraction()})});
    const std::string scaled = op("Mul", {op("Div", {centered, root}), weights({width})});
    return op("Add", {scaled, weights({width})});
  }
  std::string gelu(const std::string& x) {
    const std::string erf = op("Erf", {op("Div", {x, fraction()})});
    return op("Mul", {op("Mul", {x, op("Add", {erf, fraction()})}), fraction()});
  }
  /// "gelu_new" of transformers.
  std::string gelu_by_tanh(const std::string& x) {
    const std::string cubed = op("Mul", {fraction(), op("Pow", {x, fraction()})});
    const std::string inner = op("Mul", {fraction(), op("Add", {x, cubed})});
    const std::string gate = op("Add", {fraction(), op("Tanh", {inner})});
    return op("Mul", {op("Mul", {x, fraction()}), gate});
  }
  std::string sliced(const std::string& x, const std::string& from, const std::string& to,
                     std::int64_t axis) {
    return op("Slice", {x, from, to, numbers({axis}), numbers({1})});
  }
  [[nodiscard]] std::string model() const { return onnx_file::model(text); }

  std::string text;

 private:
  int count_ = 0;
};

}  // namespace rackcast::onnx_file
