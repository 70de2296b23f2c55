// Networks from graphs of torch.export, node by node as PyTorch 2.5 makes them; weights have sides alone.
// Counts of parameters are those of torchvision and of Hugging Face transformers.
#include <doctest/doctest.h>

#include <limits>

#include "tests/unit/calibrate/networks/imported_network.hpp"
#include "tests/unit/calibrate/networks/torch_fx_file.hpp"

namespace rackcast {
namespace {

using namespace imported;
using namespace torch_fx_file;

Json fx_document(const FxWriter& fx) {
  return document(fx.text(), {}, "torch-fx");
}
Workload fx_network(const FxWriter& fx) {
  return network(fx.text(), {}, "torch-fx");
}
std::string fx_error(const std::string& text) {
  return error_of(text, {}, "torch-fx");
}

/// nn.MultiheadAttention with samples in front, as F.multi_head_attention_forward is traced.
std::string own_attention(FxWriter& fx, const std::string& x, std::int64_t length, std::int64_t width,
                          std::int64_t heads) {
  const std::int64_t head = width / heads;
  std::string y = fx.call("aten.transpose.int", {at_node(x), 1, 0}, {length, 1, width});
  y = fx.linear(y, {length, 1, 3 * width}, width);
  y = fx.call("aten.unflatten.int", {at_node(y), -1, {3, width}}, {length, 1, 3, width});
  y = fx.call("aten.unsqueeze.default", {at_node(y), 0}, {1, length, 1, 3, width});
  y = fx.call("aten.transpose.int", {at_node(y), 0, -2}, {3, length, 1, 1, width});
  y = fx.call("aten.squeeze.dim", {at_node(y), -2}, {3, length, 1, width});
  y = fx.call("aten.contiguous.default", {at_node(y)}, {3, length, 1, width});
  std::vector<ordered_json> of;
  for (int i = 0; i < 3; ++i) {
    const std::string part = fx.call("aten.select.int", {at_node(y), 0, i}, {length, 1, width});
    const std::string rows = fx.call(
        "aten.transpose.int", {at_node(fx.view(part, {length, heads, head})), 0, 1}, {heads, length, head});
    of.push_back(at_node(fx.view(rows, {1, heads, length, head})));
  }
  y = fx.call("aten.scaled_dot_product_attention.default", {of[0], of[1], of[2]}, {1, heads, length, head});
  y = fx.call("aten.permute.default", {at_node(y), {2, 0, 1, 3}}, {length, 1, heads, head});
  y = fx.linear(fx.view(y, {length, width}), {length, width}, width);
  return fx.call("aten.transpose.int", {at_node(fx.view(y, {length, 1, width})), 1, 0}, {1, length, width});
}

}  // namespace

TEST_CASE(
    "ViT-B/16 by torch.export has 86,567,656 parameters and the arithmetic of the one that is described") {
  FxWriter fx;
  fx.placeholder("x", {1, 3, 224, 224});
  const std::string w = fx.weights({768, 3, 16, 16}), b = fx.weights({768}), token = fx.weights({1, 1, 768}),
                    places = fx.weights({1, 197, 768});
  std::string x =
      fx.call("aten.conv2d.default", {at_node("x"), at_node(w), at_node(b), {16, 16}}, {1, 768, 14, 14});
  x = fx.call("aten.reshape.default", {at_node(x), {1, 768, 196}}, {1, 768, 196});
  x = fx.call("aten.permute.default", {at_node(x), {0, 2, 1}}, {1, 196, 768});
  const std::string first = fx.call("aten.expand.default", {at_node(token), {1, -1, -1}}, {1, 1, 768});
  x = fx.call("aten.cat.default", {{at_node(first), at_node(x)}, 1}, {1, 197, 768});
  x = fx.call("aten.add.Tensor", {at_node(x), at_node(places)}, {1, 197, 768});
  x = fx.call("aten.dropout.default", {at_node(x), 0.0, false}, {1, 197, 768});
  const Dims all{1, 197, 768};
  for (int i = 0; i < 12; ++i) {
    x = fx.call("aten.add.Tensor", {at_node(own_attention(fx, fx.norm(x, all), 197, 768, 12)), at_node(x)},
                all);
    std::string y = fx.linear(fx.norm(x, all), {1, 197, 3072}, 768);
    y = fx.linear(fx.call("aten.gelu.default", {at_node(y)}, {1, 197, 3072}), all, 3072);
    x = fx.call("aten.add.Tensor", {at_node(x), at_node(y)}, all);
  }
  x = fx.call("aten.select.int", {at_node(fx.norm(x, all)), 1, 0}, {1, 768});
  fx.linear(x, {1, 1000}, 768);
  const Json imported = fx_document(fx);
  const Workload workload = own_network(imported.require("network"), {});
  CHECK(workload.parameters() == 86'567'656);
  CHECK(flops(workload) == flops(load_workload("vit-b-16")));
  CHECK(imported.require("warnings").array().empty());
  CHECK(imported.require("provenance").require("tool").string() == "PyTorch 2.5.1");
  // Told from the content, too.
  CHECK(import_text(Catalog::builtin(), {.kind = "", .path = "x.json", .program = ""}, fx.text()).kind ==
        "torch-fx");
}

TEST_CASE("BERT base by torch.export has the parameters of its classes") {
  FxWriter fx;
  constexpr std::int64_t length = 128;
  const Dims all{1, length, 768};
  const auto ids = [&](const char* name) {
    return fx.placeholder(name, {1, length}, "USER_INPUT", "int64");
  };
  ids("input_ids");
  ids("attention_mask");
  ids("token_type_ids");
  const std::string buffer = fx.placeholder("b_position_ids", {1, 512}, "BUFFER", "int64");
  const auto table = [&](std::int64_t rows, const std::string& of) {
    return at_node(
        fx.call("aten.embedding.default", {at_node(fx.weights({rows, 768})), at_node(of), 0}, all));
  };
  const std::string positions = fx.call("aten.slice.Tensor", {at_node(buffer), 1, 0, length}, {1, length},
                                        ordered_json::object(), "int64");
  std::string x = fx.call("aten.add.Tensor", {table(30522, "input_ids"), table(2, "token_type_ids")}, all);
  x = fx.norm(fx.call("aten.add_.Tensor", {at_node(x), table(512, positions)}, all), all);
  const std::string wide =
      fx.call("aten.expand.default",
              {at_node(fx.call("aten.unsqueeze.default", {at_node("attention_mask"), 1}, {1, 1, length})),
               {1, 1, length, length}},
              {1, 1, length, length});
  const std::string kept = fx.call(
      "aten.rsub.Scalar", {at_node(fx.call("aten.to.dtype", {at_node(wide)}, {1, 1, length, length})), 1.0},
      {1, 1, length, length});
  const std::string mask = fx.call("aten.masked_fill.Scalar",
                                   {at_node(kept),
                                    at_node(fx.call("aten.to.dtype", {at_node(kept)}, {1, 1, length, length},
                                                    ordered_json::object(), "bool")),
                                    -3.4e38},
                                   {1, 1, length, length});
  for (int i = 0; i < 12; ++i) {
    std::vector<ordered_json> of;
    for (int part = 0; part < 3; ++part)
      of.push_back(at_node(fx.call("aten.transpose.int",
                                   {at_node(fx.view(fx.linear(x, all, 768), {1, length, 12, 64})), 1, 2},
                                   {1, 12, length, 64})));
    std::string y = fx.call("aten.scaled_dot_product_attention.default", {of[0], of[1], of[2], at_node(mask)},
                            {1, 12, length, 64});
    y = fx.call("aten.reshape.default",
                {at_node(fx.call("aten.transpose.int", {at_node(y), 1, 2}, {1, length, 12, 64})), all}, all);
    x = fx.norm(fx.call("aten.add.Tensor", {at_node(fx.linear(y, all, 768)), at_node(x)}, all), all);
    y = fx.call("aten.gelu.default", {at_node(fx.linear(x, {1, length, 3072}, 768))}, {1, length, 3072});
    x = fx.norm(fx.call("aten.add.Tensor", {at_node(fx.linear(y, all, 3072)), at_node(x)}, all), all);
  }
  x = fx.call("aten.select.int", {at_node(x), 1, 0}, {1, 768});
  fx.call("aten.tanh.default", {at_node(fx.linear(x, {1, 768}, 768))}, {1, 768});
  const Workload workload = fx_network(fx);
  CHECK(workload.parameters() == 109'482'240);
  CHECK(flops(workload) == 12.0 * 128 * 2 * (12.0 * 768 * 768 + 2.0 * 128 * 768) + 2.0 * 768 * 768);
  CHECK(count_of(workload, "attention") == 12);
}

TEST_CASE("GPT-2 by torch.export has 124,439,808 parameters: its last layer shares the table of words") {
  FxWriter fx;
  constexpr std::int64_t length = 64;
  const Dims all{1, length, 768};
  fx.placeholder("ids", {1, length}, "USER_INPUT", "int64");
  const std::string words = fx.weights({50257, 768});
  const std::string range =
      fx.call("aten.arange.start", {0, length}, {length}, ordered_json::object(), "int64");
  const std::string places =
      fx.call("aten.unsqueeze.default", {at_node(range), 0}, {1, length}, ordered_json::object(), "int64");
  std::string x = fx.call("aten.embedding.default", {at_node(words), at_node("ids")}, all);
  x = fx.call("aten.add.Tensor",
              {at_node(x), at_node(fx.call("aten.embedding.default",
                                           {at_node(fx.weights({1024, 768})), at_node(places)}, all))},
              all);
  const auto conv1d = [&](const std::string& of, std::int64_t inputs, std::int64_t outputs) {
    const std::string w = fx.weights({inputs, outputs}), b = fx.weights({outputs});
    return fx.view(
        fx.call("aten.addmm.default", {at_node(b), at_node(fx.view(of, {length, inputs})), at_node(w)},
                {length, outputs}),
        {1, length, outputs});
  };
  for (int i = 0; i < 12; ++i) {
    const std::string qkv = conv1d(fx.norm(x, all), 768, 2304);
    const std::string parts = fx.call("aten.split.Tensor", {at_node(qkv), 768, 2}, all);
    std::vector<ordered_json> of;
    for (int part = 0; part < 3; ++part)
      of.push_back(
          at_node(fx.call("aten.permute.default",
                          {at_node(fx.view(fx.item(parts, part, all), {1, length, 12, 64})), {0, 2, 1, 3}},
                          {1, 12, length, 64})));
    std::string y = fx.call("aten.scaled_dot_product_attention.default",
                            {of[0], of[1], of[2], nullptr, 0.0, true}, {1, 12, length, 64});
    y = fx.call("aten.permute.default", {at_node(y), {0, 2, 1, 3}}, {1, length, 12, 64});
    x = fx.call("aten.add.Tensor", {at_node(conv1d(fx.view(y, all), 768, 768)), at_node(x)}, all);
    const Dims inner{1, length, 3072};
    const std::string z = conv1d(fx.norm(x, all), 768, 3072);
    const std::string cubed =
        fx.call("aten.mul.Tensor",
                {at_node(fx.call("aten.pow.Tensor_Scalar", {at_node(z), 3.0}, inner)), 0.044715}, inner);
    const std::string gate = fx.call(
        "aten.tanh.default",
        {at_node(fx.call("aten.mul.Tensor",
                         {at_node(fx.call("aten.add.Tensor", {at_node(z), at_node(cubed)}, inner)), 0.79},
                         inner))},
        inner);
    const std::string half = fx.call("aten.mul.Tensor", {at_node(z), 0.5}, inner);
    y = fx.call("aten.mul.Tensor",
                {at_node(half), at_node(fx.call("aten.add.Tensor", {at_node(gate), 1.0}, inner))}, inner);
    x = fx.call("aten.add.Tensor", {at_node(x), at_node(conv1d(y, 3072, 768))}, all);
  }
  const std::string last = fx.weights({50257, 768});
  fx.nodes.back()["same"] = words;
  fx.call("aten.linear.default", {at_node(fx.norm(x, all)), at_node(last)}, {1, length, 50257});
  const Json imported = fx_document(fx);
  const Workload workload = own_network(imported.require("network"), {});
  CHECK(workload.parameters() == 124'439'808);
  CHECK(count_of(workload, "gelu") == 12);
  for (const Operator& op : workload.operators)
    if (op.kind == "attention") CHECK(op.shape.causal);
}

TEST_CASE(
    "operators that run_decompositions() leaves: convolution, norms with several results, addmm, softmax") {
  FxWriter fx;
  fx.placeholder("x", {1, 3, 32, 32});
  const auto batch_norm = [&](const std::string& x, const Dims& dims) {
    std::vector<ordered_json> args{at_node(x)};
    for (const char* kind : {"PARAMETER", "PARAMETER", "BUFFER", "BUFFER"})
      args.push_back(at_node(fx.weights({dims[1]}, kind)));
    args.push_back(0.1);
    return fx.item(fx.call("aten._native_batch_norm_legit_no_training.default", args, dims), 0, dims);
  };
  const auto conv = [&](const std::string& x, const Dims& weights, std::int64_t stride, std::int64_t groups,
                        const Dims& out) {
    const std::int64_t pad = weights[2] / 2;
    return fx.call("aten.convolution.default",
                   {at_node(x),
                    at_node(fx.weights(weights)),
                    nullptr,
                    {stride, stride},
                    {pad, pad},
                    {1, 1},
                    false,
                    {0, 0},
                    groups},
                   out);
  };
  std::string x =
      fx.call("aten.relu.default",
              {at_node(batch_norm(conv("x", {16, 3, 3, 3}, 2, 1, {1, 16, 16, 16}), {1, 16, 16, 16}))},
              {1, 16, 16, 16});
  x = fx.item(
      fx.call("aten.max_pool2d_with_indices.default", {at_node(x), {3, 3}, {2, 2}, {1, 1}}, {1, 16, 8, 8}), 0,
      {1, 16, 8, 8});
  const std::string y = batch_norm(conv(x, {16, 1, 3, 3}, 1, 16, {1, 16, 8, 8}), {1, 16, 8, 8});
  x = fx.call("aten.add_.Tensor", {at_node(y), at_node(x)}, {1, 16, 8, 8});
  x = fx.call("aten.mean.dim", {at_node(x), {-1, -2}, true}, {1, 16, 1, 1});
  x = fx.view(x, {1, 16});
  const std::string turned =
      fx.call("aten.permute.default", {at_node(fx.weights({10, 16})), {1, 0}}, {16, 10});
  x = fx.call("aten.addmm.default", {at_node(fx.weights({10})), at_node(x), at_node(turned)}, {1, 10});
  fx.call("aten._softmax.default", {at_node(x), -1, false}, {1, 10});
  const Workload workload = fx_network(fx);
  CHECK(workload.parameters() == 16 * 27 + 32 + 16 * 9 + 32 + 170);
  CHECK(flops(workload) == 2.0 * (16 * 16 * 16 * 27 + 8 * 8 * 16 * 9 + 160));
}

TEST_CASE("windows along a sequence, attention as products, and heads that share keys") {
  FxWriter fx;
  fx.placeholder("x", {1, 80, 100});
  const std::string w = fx.weights({32, 80, 3}), b = fx.weights({32});
  std::string x =
      fx.call("aten.conv1d.default", {at_node("x"), at_node(w), at_node(b), {2}, {1}}, {1, 32, 50});
  x = fx.call("aten.permute.default", {at_node(x), {0, 2, 1}}, {1, 50, 32});
  const auto heads = [&](std::int64_t count) {
    const std::string all = fx.linear(x, {1, 50, count * 8}, 32);
    return fx.call("aten.transpose.int", {at_node(fx.view(all, {1, 50, count, 8})), 1, 2}, {1, count, 50, 8});
  };
  // bmm, softmax, bmm, as run_decompositions() writes attention.
  const auto flat = [&](const std::string& of) {
    return at_node(fx.view(of, {4, 50, 8}));
  };
  const std::string q = heads(4), k = heads(4), v = heads(4);
  const std::string turned = fx.call("aten.permute.default", {flat(k), {0, 2, 1}}, {4, 8, 50});
  const std::string scores = fx.call(
      "aten.mul.Tensor",
      {at_node(fx.call("aten.bmm.default", {flat(q), at_node(turned)}, {4, 50, 50})), 0.35}, {4, 50, 50});
  const std::string shares = fx.call("aten._softmax.default", {at_node(scores), -1, false}, {4, 50, 50});
  std::string y = fx.call("aten.bmm.default", {at_node(shares), flat(v)}, {4, 50, 8});
  y = fx.view(fx.call("aten.permute.default", {at_node(y), {1, 0, 2}}, {50, 4, 8}), {1, 50, 32});
  x = fx.call("aten.add.Tensor", {at_node(x), at_node(y)}, {1, 50, 32});
  fx.call("aten.scaled_dot_product_attention.default",
          {at_node(heads(4)), at_node(heads(2)), at_node(heads(2))}, {1, 4, 50, 8}, {{"enable_gqa", true}});
  const Workload workload = fx_network(fx);
  CHECK(workload.parameters() == 32 * 240 + 32 + 3 * (32 * 32 + 32) + (32 * 32 + 32) + 2 * (16 * 32 + 16));
  CHECK(flops(workload) ==
        2.0 * 50 * (32 * 240 + 3 * 32 * 32 + 32 * 32 + 2 * 16 * 32) + 2 * 4.0 * 50 * 50 * 32);
  CHECK(count_of(workload, "attention") == 2);
}

TEST_CASE("a network of torch.export that cannot be imported says why, and where") {
  const auto refused = [](auto&& add) {
    FxWriter fx;
    fx.placeholder("x", {1, 6, 8});
    add(fx);
    return fx_error(fx.text());
  };
  const Dims same{1, 6, 8};
  CHECK(contains(refused([&](FxWriter& fx) {
                   fx.call("aten.fft_fft2.default", {at_node("x")}, same);
                   fx.call("aten.fft_fft2.default", {at_node("x")}, same);
                   fx.call("torchvision.nms.default", {at_node("x")}, same);
                 }),
                 "operators without a layer, with how often they occur: aten.fft_fft2.default (2), "
                 "torchvision.nms.default (1)"));
  CHECK(contains(refused([&](FxWriter& fx) {
                   fx.call("aten.mm.default", {at_node("x"), at_node("y")}, same);
                 }),
                 "\"y\""));
  CHECK(contains(refused([&](FxWriter& fx) { fx.call("aten.linear.default", {at_node("x")}, same); }),
                 "argument 2 is missing"));
  CHECK(contains(refused([&](FxWriter& fx) { fx.call("aten.relu.default", {7}, same); }),
                 "expected the value of another node"));
  CHECK(contains(refused([&](FxWriter& fx) {
                   fx.call("aten.relu.default", {at_node("x")}, {1, 6, 9});
                 }),
                 "its result is 1 x 6 x 8, but the file says 1 x 6 x 9"));
  CHECK(contains(refused([&](FxWriter& fx) {
                   fx.call("aten.gt.Scalar", {at_node("x"), 0}, same);
                 }),
                 "values that are not known"));
  CHECK(contains(refused([&](FxWriter& fx) { fx.nodes.push_back(fx.nodes.front()); }),
                 "two nodes are called \"x\""));
  CHECK(contains(refused([&](FxWriter& fx) { fx.placeholder("y", {2, 8}); }), "has 2 samples"));
  CHECK(contains(refused([&](FxWriter& fx) { fx.placeholder("y", {1, 0}); }), "has no elements"));
  CHECK(contains(refused([&](FxWriter& fx) { fx.placeholder("y", {1, -5}); }), "from 0 to 10^9"));
  CHECK(contains(refused([&](FxWriter& fx) { fx.placeholder("y", Dims(17, 1)); }), "more than 16 sides"));
  CHECK(contains(refused([&](FxWriter& fx) { fx.nodes.front()["outputs"][0]["shape"][1] = "s0"; }),
                 "a side is open: \"s0\""));
  CHECK(contains(refused([&](FxWriter& fx) { fx.nodes.front().erase("outputs"); }), "outputs"));
  CHECK(contains(refused([&](FxWriter& fx) { fx.nodes.front()["outputs"] = {nullptr}; }), "is no tensor"));
  CHECK(contains(refused([&](FxWriter& fx) { fx.nodes.front()["op"] = "call_module"; }),
                 "torch.fx.symbolic_trace"));
  CHECK(contains(refused([&](FxWriter& fx) { fx.nodes.front().erase("kind"); }), "needs its kind"));
  CHECK(contains(refused([](FxWriter&) {}), "no operators"));
  // A circle: each reads what the other writes.
  CHECK(contains(refused([&](FxWriter& fx) {
                   fx.call("aten.relu.default", {at_node("node_2")}, same);
                   fx.call("aten.relu.default", {at_node("node_1")}, same);
                 }),
                 "before it is written"));
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  CHECK(contains(refused([&](FxWriter& fx) {
                   fx.call("aten.conv1d.default",
                           {at_node("x"), at_node(fx.weights({4, 6, 3})), nullptr, {huge}}, {1, 4, 1});
                 }),
                 "strides cannot be"));
  CHECK(contains(fx_error("[1, 2]"), "a graph of PyTorch is an object"));
  CHECK(contains(fx_error("{}"), "format"));
  CHECK(contains(fx_error(R"({"format": "other", "version": 1})"), "not \"rackcast-torch-fx\""));
  CHECK(contains(fx_error(R"({"format": "rackcast-torch-fx", "version": 2})"), "version 1"));
  CHECK(contains(fx_error(R"({"format": "rackcast-torch-fx", "version": 1, "nodes": [3]})"),
                 "a node is an object"));
  CHECK(contains(fx_error(""), "empty"));
  CHECK(contains(fx_error(std::string("a\0b", 3)), "not a text file"));
}

TEST_CASE("a part of a graph of torch.export is refused, and one with wrong bytes is refused or read") {
  FxWriter fx;
  fx.placeholder("x", {1, 10, 16});
  const std::string x = own_attention(fx, "x", 10, 16, 2);
  fx.call("aten.add.Tensor", {at_node(x), at_node("x")}, {1, 10, 16});
  const std::string complete = fx.text();
  CHECK(fx_error(complete) == "imported");
  for (std::size_t length = 0; length < complete.size(); length += 61)
    CHECK(fx_error(complete.substr(0, length)) != "imported");
  for (std::size_t at = 0; at < complete.size(); at += 3) {  // any other exception than Error ends the test
    std::string flipped = complete;
    flipped[at] = static_cast<char>(flipped[at] ^ (at % 2 == 0 ? 1 : 8));
    (void)fx_error(flipped);
  }
}

}  // namespace rackcast
