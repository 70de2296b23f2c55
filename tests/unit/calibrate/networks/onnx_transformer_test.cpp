// Transformers of language from ONNX files, node by node as torch.onnx.export (opset 11 to 17) writes them;
// weights have sides and no numbers. Counts of parameters are those of Hugging Face transformers.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/unit/calibrate/networks/imported_network.hpp"
#include "tests/unit/calibrate/networks/onnx_file.hpp"

namespace rackcast {
namespace {

using namespace onnx_file;
using namespace imported;

// BERT, with open samples and length as optimum exports it (opset 14).

/// view(batch, length, heads, width / heads), with the shape computed from the tensor.
std::string split_heads(GraphWriter& g, const std::string& x, std::int64_t heads, std::int64_t width) {
  const std::string shape = g.op("Shape", {x});
  const std::string batch = g.op("Gather", {shape, g.numbers({0})}, whole("axis", 0));
  const std::string length = g.op("Gather", {g.op("Shape", {x}), g.numbers({1})}, whole("axis", 0));
  const std::string to =
      g.op("Concat", {batch, length, g.numbers({heads}), g.numbers({width / heads})}, whole("axis", 0));
  return g.op("Reshape", {x, to});
}

std::string bert_attention(GraphWriter& g, const std::string& x, const std::string& mask, std::int64_t width,
                           std::int64_t heads) {
  const std::string query = g.linear(x, width, width), key = g.linear(x, width, width),
                    value = g.linear(x, width, width);
  const std::string k = g.transposed(split_heads(g, key, heads, width), {0, 2, 3, 1});
  const std::string v = g.transposed(split_heads(g, value, heads, width), {0, 2, 1, 3});
  const std::string q = g.transposed(split_heads(g, query, heads, width), {0, 2, 1, 3});
  const std::string scores = g.op("Add", {g.op("Div", {g.op("MatMul", {q, k}), g.fraction()}), mask});
  const std::string mixed = g.op("MatMul", {g.op("Softmax", {scores}, whole("axis", -1)), v});
  const std::string rows = g.reshaped(g.transposed(mixed, {0, 2, 1, 3}), {0, 0, width});
  return g.linear(rows, width, width);
}

std::string bert(std::int64_t layers, std::int64_t width, std::int64_t heads, std::int64_t vocab) {
  GraphWriter g;
  const std::vector<std::string> names{"batch_size", "sequence_length"};
  for (const char* name : {"input_ids", "attention_mask", "token_type_ids"})
    g.text += input(name, {0, 0}, 7, names);
  const std::string wide =
      g.op("Unsqueeze", {g.op("Unsqueeze", {"attention_mask", g.numbers({1})}), g.numbers({2})});
  const std::string mask =
      g.op("Mul", {g.op("Sub", {g.fraction(), g.op("Cast", {wide}, whole("to", 1))}), g.fraction()});
  const std::string length = g.op("Gather", {g.op("Shape", {"input_ids"}), g.numbers({1})}, whole("axis", 0));
  g.text += tensor("position_ids", {1, 512}, Numbers(512, 7));
  const std::string positions =
      g.op("Slice", {"position_ids", g.numbers({0}), length, g.numbers({1}), g.numbers({1})});
  const std::string words = g.op("Gather", {g.weights({vocab, width}), "input_ids"});
  const std::string types = g.op("Gather", {g.weights({2, width}), "token_type_ids"});
  const std::string places = g.op("Gather", {g.weights({512, width}), positions});
  std::string x = g.old_norm(g.op("Add", {g.op("Add", {words, types}), places}), width);
  for (std::int64_t i = 0; i < layers; ++i) {
    x = g.old_norm(g.op("Add", {bert_attention(g, x, mask, width, heads), x}), width);
    const std::string inner = g.gelu(g.linear(x, width, 4 * width));
    x = g.old_norm(g.op("Add", {g.linear(inner, 4 * width, width), x}), width);
  }
  const std::string first =
      g.op("Gather", {x, g.op("Constant", {}, whole("value_int", 0))}, whole("axis", 1));
  g.op("Tanh", {g.op("Gemm", {first, g.weights({width, width}), g.weights({width})}, whole("transB", 1))});
  return g.model();
}

}  // namespace

TEST_CASE("BERT base has the parameters of its file and the arithmetic of its sizes") {
  const std::string text = bert(12, 768, 12, 30522);
  const Json imported = document(text, {{"sequence_length", 128}});
  const Workload workload = own_network(imported.require("network"), {});
  CHECK(workload.parameters() == 109'482'240);  // BertModel with its pooler
  // Per layer 12 x 768^2 products and the scores: 128 tokens x 2 x (12 x 768^2 + 2 x 128 x 768); the pooler.
  CHECK(flops(workload) == 12.0 * 128 * 2 * (12.0 * 768 * 768 + 2.0 * 128 * 768) + 2.0 * 768 * 768);
  CHECK(count_of(workload, "attention") == 12);
  CHECK(count_of(workload, "layer_norm") == 25);
  CHECK(count_of(workload, "gelu") == 12);
  CHECK(count_of(workload, "embedding") == 2);
  CHECK(count_of(workload, "position_embedding") == 1);
  CHECK(imported.require("network").require("input").require("tokens").integer() == 128);
  CHECK(workload.input_text == "128 tokens x 1");
}

TEST_CASE("an open length needs a number") {
  const std::string text = bert(1, 64, 4, 1000);
  CHECK(contains(error_of(text), "side 2 of the input \"input_ids\" is open: \"sequence_length\""));
  CHECK(contains(error_of(text), "--size sequence_length=128"));
  CHECK(contains(error_of(text, {{"length", 8}}), "no open side of this model is called \"length\""));
  CHECK(contains(error_of(text, {{"length", 8}}), "its open sides: batch_size, sequence_length"));
  CHECK(error_of(text, {{"sequence_length", 16}}) == "imported");
  CHECK_THROWS_AS(
      import_text(Catalog::builtin(), {.kind = "fio", .path = "x", .program = "", .sizes = {{"a", 1}}}, "x"),
      Error);
}

namespace {

// GPT-2 of transformers (opset 13): Conv1D is a Gemm of all tokens, and the mask is a table of truth values.

std::string conv1d(GraphWriter& g, const std::string& x, std::int64_t length, std::int64_t inputs,
                   std::int64_t outputs) {
  const std::string rows = g.reshaped(x, {-1, inputs});
  const std::string out = g.op("Gemm", {rows, g.weights({inputs, outputs}), g.weights({outputs})});
  return g.reshaped(out, {1, length, outputs});
}

std::string gpt2(std::int64_t layers, std::int64_t width, std::int64_t heads, std::int64_t vocab,
                 std::int64_t length, bool head) {
  GraphWriter g;
  g.text += input("input_ids", {1, length}, 7) + tensor("wte", {vocab, width}) +
            tensor("causal", {1, 1, 1024, 1024});
  const std::string range = g.op(
      "Range", {g.op("Constant", {}, whole("value_int", 0)), g.op("Constant", {}, whole("value_int", length)),
                g.op("Constant", {}, whole("value_int", 1))});
  const std::string positions = g.op("Unsqueeze", {range, g.numbers({0})});
  std::string x = g.op(
      "Add", {g.op("Gather", {"wte", "input_ids"}), g.op("Gather", {g.weights({1024, width}), positions})});
  for (std::int64_t i = 0; i < layers; ++i) {
    const std::string all = conv1d(g, g.old_norm(x, width), length, width, 3 * width);
    g.text += bytes(1, bytes(1, all) + bytes(2, "q" + std::to_string(i)) + bytes(2, "k" + std::to_string(i)) +
                           bytes(2, "v" + std::to_string(i)) + bytes(4, "Split") + whole("axis", 2) +
                           list("split", {width, width, width}));
    std::vector<std::string> of;
    for (const char* name : {"q", "k", "v"})
      of.push_back(g.transposed(g.reshaped(name + std::to_string(i), {1, length, heads, width / heads}),
                                name[0] == 'k' ? Numbers{0, 2, 3, 1} : Numbers{0, 2, 1, 3}));
    const std::string rows =
        g.op("Slice", {"causal", g.numbers({0}), g.numbers({length}), g.numbers({2}), g.numbers({1})});
    const std::string seen =
        g.op("Slice", {rows, g.numbers({0}), g.numbers({length}), g.numbers({3}), g.numbers({1})});
    const std::string scores =
        g.op("Where", {g.op("Cast", {seen}, whole("to", 9)),
                       g.op("Div", {g.op("MatMul", {of[0], of[1]}), g.fraction()}), g.fraction()});
    const std::string mixed = g.op("MatMul", {g.op("Softmax", {scores}, whole("axis", 3)), of[2]});
    x = g.op("Add", {conv1d(g, g.reshaped(g.transposed(mixed, {0, 2, 1, 3}), {1, length, width}), length,
                            width, width),
                     x});
    const std::string inner = g.gelu_by_tanh(conv1d(g, g.old_norm(x, width), length, width, 4 * width));
    x = g.op("Add", {x, conv1d(g, inner, length, 4 * width, width)});
  }
  x = g.old_norm(x, width);
  if (head) g.op("MatMul", {x, g.transposed("wte", {1, 0})});
  return g.model();
}

}  // namespace

TEST_CASE("GPT-2 has 124,439,808 parameters, with its tied last layer and without it") {
  const Workload plain = network(gpt2(12, 768, 12, 50257, 1024, false));
  const Workload whole_network = network(gpt2(12, 768, 12, 50257, 1024, true));
  CHECK(plain.parameters() == 124'439'808);
  CHECK(whole_network.parameters() == 124'439'808);
  CHECK(flops(whole_network) - flops(plain) == 2.0 * 1024 * 768 * 50257);
  CHECK(flops(whole_network) == flops(load_workload("gpt2-small")));
  CHECK(count_of(plain, "attention") == 12);
  CHECK(count_of(plain, "gelu") == 12);
}

namespace {

/// One layer as Llama has it: norms without mean, keys for two heads each, turned positions, a gate.
std::string llama(std::int64_t length) {
  constexpr std::int64_t width = 64, heads = 4, kv = 2, head = 16, inner = 96, vocab = 500;
  GraphWriter g;
  g.text += input("input_ids", {1, length}, 7) + input("position_ids", {1, length}, 7);
  const auto rms = [&](const std::string& x) {
    const std::string mean = g.op("ReduceMean", {g.op("Pow", {x, g.fraction()})}, list("axes", {-1}));
    const std::string root = g.op("Sqrt", {g.op("Add", {mean, g.fraction()})});
    return g.op("Mul", {g.weights({width}), g.op("Mul", {x, g.op("Div", {g.fraction(), root})})});
  };
  const std::string places =
      g.op("Cast", {g.op("Unsqueeze", {"position_ids", g.numbers({1})})}, whole("to", 1));
  const std::string angles = g.transposed(g.op("MatMul", {g.weights({1, head / 2, 1}), places}), {0, 2, 1});
  const std::string both = g.op("Concat", {angles, angles}, whole("axis", -1));
  const std::string cosine = g.op("Unsqueeze", {g.op("Cos", {both}), g.numbers({1})}),
                    sine = g.op("Unsqueeze", {g.op("Sin", {both}), g.numbers({1})});
  const auto turned = [&](const std::string& x) {
    const std::string low = g.sliced(x, g.numbers({0}), g.numbers({head / 2}), 3),
                      high = g.sliced(x, g.numbers({head / 2}), g.numbers({9223372036854775807}), 3);
    const std::string half = g.op("Concat", {g.op("Neg", {high}), low}, whole("axis", -1));
    return g.op("Add", {g.op("Mul", {x, cosine}), g.op("Mul", {half, sine})});
  };
  const auto repeated = [&](const std::string& x) {
    const std::string wide = g.op(
        "Expand", {g.op("Unsqueeze", {x, g.numbers({2})}), g.numbers({1, kv, heads / kv, length, head})});
    return g.reshaped(wide, {1, heads, length, head});
  };
  const auto headed = [&](const std::string& x, std::int64_t n) {
    return g.transposed(g.reshaped(g.linear(x, width, n * head, false), {1, length, n, head}), {0, 2, 1, 3});
  };
  std::string x = g.op("Gather", {g.weights({vocab, width}), "input_ids"});
  const std::string y = rms(x);
  const std::string q = turned(headed(y, heads)), k = turned(headed(y, kv)), v = headed(y, kv);
  const std::string scores =
      g.op("Mul", {g.op("MatMul", {q, g.transposed(repeated(k), {0, 1, 3, 2})}), g.fraction()});
  const std::string mixed =
      g.op("MatMul",
           {g.op("Softmax", {g.op("Add", {scores, g.weights({1, 1, length, length})})}, whole("axis", -1)),
            repeated(v)});
  x = g.op("Add", {x, g.linear(g.reshaped(g.transposed(mixed, {0, 2, 1, 3}), {1, length, width}), width,
                               width, false)});
  const std::string z = rms(x), gate = g.linear(z, width, inner, false);
  const std::string silu = g.op("Mul", {gate, g.op("Sigmoid", {gate})});
  x = g.op("Add", {x, g.linear(g.op("Mul", {silu, g.linear(z, width, inner, false)}), inner, width, false)});
  g.linear(rms(x), width, vocab, false);
  return g.model();
}

}  // namespace

TEST_CASE("a layer of Llama: shared keys, norms without mean, gates") {
  const Json imported = document(llama(32));
  const Workload workload = own_network(imported.require("network"), {});
  const double products = 64 * 64 + 2 * 64 * 32 + 64 * 64 + 3 * 64 * 96;
  CHECK(workload.parameters() == 2 * 500 * 64 + products + 3 * 64);
  CHECK(flops(workload) == 2.0 * 32 * (products + 500 * 64 + 2 * 32 * 64));
  CHECK(count_of(workload, "attention") == 1);
  CHECK(count_of(workload, "rms_norm") == 3);
  CHECK(count_of(workload, "swish") == 1);
  const auto& layers = imported.require("network").require("layers").array();
  const auto attention = std::ranges::find_if(layers, [](const Json& layer) {
    return layer.kind() == JsonKind::object && layer.find("dot_attention");
  });
  REQUIRE(attention != layers.end());
  CHECK(attention->require("kv_heads").integer() == 2);
  CHECK(warns(imported, "masks are left out"));
}

TEST_CASE("weights that layers share count once, also where one of them stands transposed") {
  const auto graph = [](const std::string& last) {
    GraphWriter g;
    g.text += input("x", {1, 5, 8}) + tensor("w", {8, 8});
    std::string x = g.op("MatMul", {g.op("MatMul", {"x", "w"}), "w"});
    if (!last.empty()) x = g.op("MatMul", {x, last});
    return g.text;
  };
  CHECK(network(model(graph(""))).parameters() == 64);
  // An embedding of 700 x 8, and its transposition under another name, as exporters fold it.
  std::string table, turned;
  const auto number_at = [](int row, int column) {
    const auto bits = static_cast<std::uint32_t>(1'000'000 + row * 8 + column);
    return std::string{static_cast<char>(bits & 255), static_cast<char>(bits >> 8 & 255),
                       static_cast<char>(bits >> 16 & 255), '\0'};
  };
  for (int row = 0; row < 700; ++row)
    for (int column = 0; column < 8; ++column) table += number_at(row, column);
  for (int column = 0; column < 8; ++column)
    for (int row = 0; row < 700; ++row) turned += number_at(row, column);
  const auto written = [](const std::string& name, const Numbers& dims, const std::string& raw) {
    std::string out;
    for (const std::int64_t side : dims) out += number(1, side);
    return bytes(5, out + number(2, 1) + bytes(8, name) + bytes(9, raw));
  };
  const auto ends = [&](const std::string& last) {
    GraphWriter g;
    g.text += input("ids", {1, 6}, 7) + written("table", {700, 8}, table) + written("last", {8, 700}, last);
    g.op("MatMul", {g.op("Gather", {"table", "ids"}), "last"});
    return network(g.model()).parameters();
  };
  CHECK(ends(turned) == 700 * 8);
  std::ranges::reverse(turned);
  CHECK(ends(turned) == 2 * 700 * 8);
}

TEST_CASE("scores that get learned numbers by distance count them, and once where layers share them") {
  GraphWriter g;
  g.text += input("x", {1, 6, 8}) + tensor("distances", {32, 2});
  const std::string biases =
      g.op("Unsqueeze",
           {g.transposed(g.op("Gather", {"distances", g.numbers(Numbers(36, 5))}), {1, 0}), g.numbers({0})});
  const std::string by_head = g.reshaped(biases, {1, 2, 6, 6});
  std::string x = "x";
  for (int i = 0; i < 2; ++i) {
    std::vector<std::string> of;
    for (int part = 0; part < 3; ++part)
      of.push_back(g.transposed(g.reshaped(g.linear(x, 8, 8, false), {1, 6, 2, 4}), {0, 2, 1, 3}));
    const std::string scores =
        g.op("Add", {g.op("MatMul", {of[0], g.transposed(of[1], {0, 1, 3, 2})}), by_head});
    const std::string mixed = g.op("MatMul", {g.op("Softmax", {scores}, whole("axis", -1)), of[2]});
    x = g.op("Add", {x, g.linear(g.reshaped(g.transposed(mixed, {0, 2, 1, 3}), {1, 6, 8}), 8, 8, false)});
  }
  CHECK(network(g.model()).parameters() == 2 * 4 * 64 + 64);
}

TEST_CASE("attention and norms that ONNX Runtime has put together") {
  GraphWriter g;
  g.text += input("x", {1, 10, 8});
  const std::string all = g.op("Attention", {"x", g.weights({8, 24}), g.weights({24})},
                               bytes(7, "com.microsoft") + whole("num_heads", 2));
  g.op("SkipLayerNormalization", {all, "x", g.weights({8}), g.weights({8})}, bytes(7, "com.microsoft"));
  const Workload workload = network(g.model());
  CHECK(workload.parameters() == 8 * 24 + 24 + 16);
  CHECK(flops(workload) == 2.0 * 10 * (8 * 24 + 2 * 10 * 8));
  GraphWriter h;
  h.text += input("x", {1, 10, 8});
  h.op("MultiHeadAttention", {h.linear("x", 8, 8), h.linear("x", 8, 8), h.linear("x", 8, 8)},
       bytes(7, "com.microsoft") + whole("num_heads", 2));
  CHECK(network(h.model()).parameters() == 3 * 72);
}

TEST_CASE("masks that are filled in, as DistilBERT has them, and a mean over the tokens that count") {
  GraphWriter g;
  g.text += input("ids", {1, 6}, 7) + input("mask", {1, 6}, 7);
  const std::string x = g.op("Gather", {g.weights({50, 8}), "ids"});
  std::vector<std::string> of;
  for (const Numbers& order : {Numbers{0, 2, 1, 3}, Numbers{0, 2, 3, 1}, Numbers{0, 2, 1, 3}})
    of.push_back(g.transposed(g.reshaped(g.linear(x, 8, 8), {1, -1, 2, 4}), order));
  const std::string scores = g.op("MatMul", {g.op("Div", {of[0], g.fraction()}), of[1]});
  const std::string empty = g.reshaped(g.op("Equal", {"mask", g.fraction()}), {1, 1, 1, 6});
  const std::string wide = g.op("Expand", {empty, g.op("Shape", {scores})});
  const std::string filled = g.op("Where", {g.op("Cast", {wide}, whole("to", 9)), g.fraction(), scores});
  const std::string mixed = g.op("MatMul", {g.op("Softmax", {filled}, whole("axis", 3)), of[2]});
  const std::string y = g.reshaped(g.transposed(mixed, {0, 2, 1, 3}), {1, -1, 8});
  const std::string counts = g.op("Cast", {g.op("Unsqueeze", {"mask", g.numbers({-1})})}, whole("to", 1));
  const std::string sum = g.op("ReduceSum", {g.op("Mul", {y, counts}), g.numbers({1})}, whole("keepdims", 0));
  const std::string all = g.op("ReduceSum", {counts, g.numbers({1})}, whole("keepdims", 0));
  g.op("Div", {sum, g.op("Clip", {all, g.fraction()})});
  const Json imported = document(g.model());
  const Workload workload = own_network(imported.require("network"), {});
  CHECK(workload.parameters() == 50 * 8 + 3 * 72);
  CHECK(flops(workload) == 2.0 * 6 * (3 * 64 + 2 * 6 * 8));
  CHECK(workload.operators.back().output == "8");
  CHECK(warns(imported, "products with masks are left out"));
}

TEST_CASE("products of two values, means over a sequence, and vectors that are added to each position") {
  GraphWriter g;
  g.text += input("x", {1, 6, 8});
  const std::string scores = g.op("MatMul", {"x", g.transposed("x", {0, 2, 1})});  // 6 x 6, without a softmax
  const std::string mixed = g.op("MatMul", {scores, "x"});
  const std::string mean = g.op("ReduceMean", {mixed}, list("axes", {1}));
  g.linear(g.op("Add", {mixed, g.linear(mean, 8, 8)}), 8, 3);
  const Workload workload = network(g.model());
  CHECK(flops(workload) == 2.0 * (6 * 8 * 6 + 6 * 6 * 8) + 2 * 64 + 2.0 * 6 * 8 * 3);
  CHECK(workload.parameters() == 72 + 27);
}

TEST_CASE("transformers that cannot be imported say why") {
  const auto refused = [](const std::string& graph) {
    return error_of(model(graph));
  };
  const std::string x = input("x", {1, 6, 8}), ids = input("ids", {1, 6}, 7);
  const auto with = [](const std::string& start, auto&& add) {
    GraphWriter g;
    g.text = start;
    add(g);
    return g.text;
  };
  CHECK(contains(refused(with(x,
                              [](GraphWriter& g) {
                                g.op("MatMul", {"x", g.weights({4, 8, 3})});
                              })),
                 "its weights are 4 x 8 x 3"));
  CHECK(contains(refused(with(x,
                              [](GraphWriter& g) {
                                g.op("MatMul", {"x", "x"});
                              })),
                 "do not fit 1 x 6 x 8"));
  CHECK(contains(refused(with(x,
                              [](GraphWriter& g) {
                                g.op("Relu", {g.op("Reshape", {"x", g.numbers({5, -1, 7})})});
                              })),
                 "do not become the shape"));
  CHECK(contains(refused(with(x,
                              [](GraphWriter& g) {
                                g.op("Slice", {"x", g.numbers({6}), g.numbers({9}), g.numbers({1})});
                              })),
                 "its result would be 1 x 0 x 8"));
  CHECK(contains(refused(with(x,
                              [](GraphWriter& g) {
                                g.op("Softmax", {g.op("Expand", {"x", g.numbers({3, 6, 8})})});
                              })),
                 "repeated"));
  CHECK(contains(refused(with(ids,
                              [](GraphWriter& g) {
                                g.op("Relu", {g.op("Gather", {"ids", "ids"})});
                              })),
                 "computes nothing"));
  CHECK(contains(refused(with(ids + x,
                              [](GraphWriter& g) {
                                g.op("MatMul", {"x", g.op("Cast", {"ids"}, whole("to", 1))});
                              })),
                 "do not fit"));
  CHECK(contains(refused(with(ids,
                              [](GraphWriter& g) {
                                g.op("Einsum", {"ids"});
                                g.op("Einsum", {"ids"});
                                g.op("NonZero", {"ids"});
                              })),
                 "operators without a layer: Einsum (2), NonZero"));
  const std::string split = bytes(1, bytes(1, "x") + bytes(2, "a") + bytes(2, "b") + bytes(4, "Split") +
                                         whole("axis", 2) + list("split", {5, 5}));
  CHECK(contains(refused(x + split), "its parts do not fit its input"));
  CHECK(contains(refused(x + node("com.x", {"x"}, "y")), "operators without a layer: com.x"));
  CHECK(contains(
      refused(with(
          x,
          [](GraphWriter& g) {
            g.op("Attention", {"x", g.weights({8, 24})}, bytes(7, "com.microsoft") + whole("num_heads", 3));
          })),
      "8 and 3 heads"));
  // Keys of three heads for queries of two.
  CHECK(contains(
      refused(
          with(x,
               [](GraphWriter& g) {
                 const std::string q = g.reshaped("x", {1, 2, 6, 4}),
                                   k = g.reshaped(g.linear("x", 8, 12), {1, 3, 4, 6});
                 g.op("MatMul", {g.op("Softmax", {g.op("MatMul", {q, k})}), g.reshaped("x", {1, 2, 6, 4})});
               })),
      "its queries are 1 x 2 x 6 x 4"));
}

TEST_CASE("a part of a transformer and one with wrong bytes are refused or read") {
  const std::string complete = bert(1, 64, 4, 1000);
  const Sizes size{{"sequence_length", 16}};
  for (std::size_t length = 0; length + 10 < complete.size(); length += 37)
    CHECK(error_of(complete.substr(0, length), size) != "imported");
  for (std::size_t at = 0; at < complete.size(); at += 3) {  // any other exception than Error ends the test
    std::string flipped = complete;
    flipped[at] = static_cast<char>(flipped[at] ^ (at % 2 == 0 ? 0x55 : 1));
    (void)error_of(flipped, size);
  }
}

}  // namespace rackcast
