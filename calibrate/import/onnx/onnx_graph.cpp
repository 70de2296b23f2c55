#include "calibrate/import/onnx/onnx_graph.hpp"

#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>
#include <onnx.pb.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "sim/base/error.hpp"
#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

// data_type of a tensor (onnx.proto, TensorProto.DataType).
constexpr int type_float = 1, type_int32 = 6, type_int64 = 7, type_bool = 9, type_double = 11;
constexpr std::size_t most_nodes = 20'000;

[[noreturn]] void refuse(const ImportSource& source, const std::string& message,
                         const std::string& hint = {}) {
  throw Error{message, Where{.file = source.name()}, hint};
}

OnnxDims checked(const ImportSource& source, OnnxDims dims) {
  constexpr std::int64_t longest = 1'000'000'000;
  if (dims.size() > 16 || std::ranges::any_of(dims, [](std::int64_t n) { return n < 0 || n > longest; }))
    refuse(source, "a tensor has a side that is negative or above 10^9, or more than 16 sides");
  return dims;
}

/// Numbers of a tensor whose bytes stand as they are in memory, lowest first.
template <class T>
std::vector<double> raw_numbers(const std::string& bytes) {
  std::vector<double> out(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < out.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    out[i] = static_cast<double>(value);
  }
  return out;
}

template <class List>
std::vector<double> as_numbers(const List& list) {
  std::vector<double> out;
  for (const auto value : list) out.push_back(static_cast<double>(value));
  return out;
}

/// Nothing where they are more than anybody reads, or of a type that no shape has.
std::vector<double> numbers_of(const onnx::Tensor& tensor) {
  const std::string& raw = tensor.raw_data();
  const auto many = [](auto count) {
    return static_cast<std::size_t>(count) > most_onnx_numbers;
  };
  if (many(raw.size() / (tensor.data_type() == type_bool ? 1 : sizeof(std::int64_t))) ||
      many(tensor.float_data().size()) || many(tensor.int32_data().size()) ||
      many(tensor.int64_data().size()))
    return {};
  switch (tensor.data_type()) {
    case type_float:
      return raw.empty() ? as_numbers(tensor.float_data()) : raw_numbers<float>(raw);
    case type_int32:
      return raw.empty() ? as_numbers(tensor.int32_data()) : raw_numbers<std::int32_t>(raw);
    case type_bool:
      return raw.empty() ? as_numbers(tensor.int32_data()) : raw_numbers<std::uint8_t>(raw);
    case type_double:
      return raw_numbers<double>(raw);
    case type_int64:
      return raw.empty() ? as_numbers(tensor.int64_data()) : raw_numbers<std::int64_t>(raw);
    default:
      return {};
  }
}

/// 1, 10, 11 and 16 are numbers with a fraction, 0 is not stated; all others are integers, truth values or
/// words.
bool is_whole(int type) {
  return type != 0 && type != type_float && type != 10 && type != 11 && type != 16;
}

/// Some numbers of a matrix in places that are the same in its transposition: so an embedding is known again
/// where it stands transposed as the last layer. Small ones are not looked at.
std::uint64_t print_of(const onnx::Tensor& tensor) {
  const std::string& raw = tensor.raw_data();
  const auto size = sizeof(float);
  if (tensor.dims().size() != 2 || tensor.data_type() != type_float) return 0;
  const std::int64_t rows = tensor.dims()[0], columns = tensor.dims()[1];
  if (rows < 1 || columns < 1 || rows == columns || rows > 1'000'000'000 || columns > 1'000'000'000) return 0;
  const auto height = static_cast<std::size_t>(rows), width = static_cast<std::size_t>(columns);
  if (height * width < most_onnx_numbers || raw.size() != height * width * size) return 0;
  std::uint64_t hash = 1469598103934665603u ^ (std::max(height, width) * 31 + std::min(height, width));
  bool varied = false;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::size_t along = i * 7919 % std::max(height, width),
                      across = i * 104'729 % std::min(height, width);
    const std::size_t at = height > width ? along * width + across : across * width + along;
    std::uint32_t bits = 0;
    std::memcpy(&bits, raw.data() + at * size, size);
    hash = (hash ^ bits) * 1099511628211u;
    varied = varied || (bits != 0 && i > 0);
  }
  return varied ? hash : 0;
}

OnnxConstant constant_of(const ImportSource& source, const onnx::Tensor& tensor) {
  OnnxConstant out{checked(source, {tensor.dims().begin(), tensor.dims().end()}), nullptr,
                   is_whole(tensor.data_type()), print_of(tensor)};
  double elements = 1;
  for (const std::int64_t side : out.dims) elements *= static_cast<double>(side);
  std::vector<double> numbers = numbers_of(tensor);
  if (static_cast<double>(numbers.size()) == elements) out.numbers = small_numbers(std::move(numbers));
  return out;
}

OnnxAttribute attribute_of(const ImportSource& source, const onnx::Attribute& attribute) {
  OnnxAttribute out;
  out.number = attribute.i();
  out.fraction = static_cast<double>(attribute.f());
  out.word = attribute.s();
  out.numbers = {attribute.ints().begin(), attribute.ints().end()};
  out.fractions = as_numbers(attribute.floats());
  if (attribute.has_t()) out.tensor = constant_of(source, attribute.t());
  return out;
}

OnnxNode node_of(const ImportSource& source, const onnx::Node& node) {
  OnnxNode out;
  const bool own = node.domain().empty() || node.domain() == "ai.onnx";
  out.kind = own ? node.op_type() : node.domain() + "." + node.op_type();
  out.name = node.name();
  out.inputs = {node.input().begin(), node.input().end()};
  out.outputs = {node.output().begin(), node.output().end()};
  for (const onnx::Attribute& attribute : node.attribute())
    out.attributes[attribute.name()] = attribute_of(source, attribute);
  if (out.outputs.empty()) refuse(source, fmt::format("the operator {} has no output", out.title()));
  return out;
}

}  // namespace

OnnxNumbers small_numbers(std::vector<double> numbers) {
  if (numbers.size() > most_onnx_numbers) return nullptr;
  return std::make_shared<const std::vector<double>>(std::move(numbers));
}

std::int64_t OnnxNode::number(std::string_view attribute, std::int64_t otherwise) const {
  const auto at = attributes.find(attribute);
  return at == attributes.end() ? otherwise : at->second.number;
}

OnnxDims OnnxNode::numbers(std::string_view attribute) const {
  const auto at = attributes.find(attribute);
  return at == attributes.end() ? OnnxDims{} : at->second.numbers;
}

std::string_view OnnxNode::word(std::string_view attribute) const {
  const auto at = attributes.find(attribute);
  return at == attributes.end() ? std::string_view{} : std::string_view{at->second.word};
}

std::string OnnxNode::title() const {
  const std::string& called = name.empty() && !outputs.empty() ? outputs.front() : name;
  return printable(kind.substr(0, 80)) + (called.empty() ? "" : " " + in_quotes(called));
}

void check_onnx_order(const ImportSource& source, const OnnxGraph& graph) {
  std::set<std::string, std::less<>> written;
  for (const OnnxNode& node : graph.nodes)
    for (const std::string& output : node.outputs)
      if (!output.empty() && !written.insert(output).second)
        refuse(source, fmt::format("two operators write {}", in_quotes(output)));
  std::set<std::string, std::less<>> known;
  for (const OnnxNode& node : graph.nodes) {
    for (const std::string& input : node.inputs)
      if (written.contains(input) && !known.contains(input))
        refuse(source, fmt::format("{} reads {} before it is written", node.title(), in_quotes(input)),
               "operators stand in their order; a circle has none");
    known.insert(node.outputs.begin(), node.outputs.end());
  }
}

OnnxGraph read_onnx(const ImportSource& source) {
  const google::protobuf::LogSilencer silence;  // what is wrong is said once, with the file
  onnx::Model model;
  const std::string_view text = source.text();
  if (text.size() > 2'000'000'000 || !model.ParseFromArray(text.data(), static_cast<int>(text.size())))
    refuse(source, "this is no ONNX model, or a part of one",
           "torch.onnx.export(model, example, \"model.onnx\") writes one");
  if (model.graph().node().empty())
    refuse(source, "this ONNX model has no operators", "it may be another file in the same binary form");
  if (static_cast<std::size_t>(model.graph().node().size()) > most_nodes)
    refuse(source, fmt::format("more than {} operators", most_nodes));

  OnnxGraph out;
  out.producer = model.producer_name() + " " + model.producer_version();
  for (const onnx::Tensor& tensor : model.graph().initializer())
    out.constants[tensor.name()] = constant_of(source, tensor);
  for (const onnx::ValueInfo& input : model.graph().input()) {
    if (out.constants.contains(input.name())) continue;
    OnnxDims dims;
    std::vector<std::string> names;
    for (const onnx::Dimension& side : input.type().tensor_type().shape().dim()) {
      dims.push_back(side.dim_value());
      names.push_back(side.dim_param());
    }
    out.inputs.push_back({input.name(), checked(source, std::move(dims)), std::move(names),
                          is_whole(input.type().tensor_type().elem_type())});
  }
  for (const onnx::Node& node : model.graph().node()) out.nodes.push_back(node_of(source, node));
  check_onnx_order(source, out);
  return out;
}

}  // namespace rackcast
