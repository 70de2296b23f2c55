#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "models/networks/workload.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {
namespace {

Workload expand(const std::string& input, const std::string& layers, const std::string& more = "",
                const WorkloadOptions& options = {}) {
  const std::string text = "{\"title\": \"t\", \"task\": \"t\", \"source\": \"s\",\n\"input\": " + input +
                           ",\n" + more + "\"layers\": [\n" + layers + "\n]}";
  return read_workload(parse_json(text, "test.json"), "test", options);
}

std::string failure(const std::string& input, const std::string& layers, const std::string& more = "",
                    const WorkloadOptions& options = {}) {
  try {
    expand(input, layers, more, options);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const std::string image = R"({"image": [8, 8, 4]})";

TEST_CASE("a convolution has the shape, weights and arithmetic of its window") {
  // (8 + 2 - 3) / 2 + 1 = 4; weights 4*3*3*6 = 216, bias 6; FLOPs 2 * 216 * 16 = 6912
  const Workload w = expand(image, R"({"conv": 6, "kernel": 3, "stride": 2, "pad": 1})");
  REQUIRE(w.operators.size() == 1);
  const Operator& op = w.operators[0];
  CHECK(op.output == "4x4x6");
  CHECK(op.parameters == 222);
  CHECK(op.forward_flop == Flop{6912});
  CHECK(op.first_layer);
  CHECK(w.input_bytes == Bytes{256});
}

TEST_CASE("ceil pooling counts the partial last window, floor pooling does not") {
  // (8 - 3) / 2 = 2.5: three windows or four
  CHECK(expand(image, R"({"max_pool": 3, "stride": 2})").operators[0].output == "3x3x4");
  CHECK(expand(image, R"({"max_pool": 3, "stride": 2, "ceil": true})").operators[0].output == "4x4x4");
}

TEST_CASE("a volume folds its depth into the height of the convolution") {
  // input 4x4x4x2: weights 2*27*3 = 162, outputs 64; h = 4*4, r = 3*3, oh = 4*4
  const Workload w =
      expand(R"({"volume": [4, 4, 4, 2]})", R"({"conv": 3, "kernel": 3, "pad": 1, "bias": false})");
  const Operator& op = w.operators[0];
  CHECK(op.output == "4x4x4x3");
  CHECK(op.forward_flop == Flop{2.0 * 162 * 64});
  CHECK(op.shape.h == 16);
  CHECK(op.shape.r == 9);
  CHECK(op.shape.oh == 16);
}

TEST_CASE("a transposed convolution is written as the convolution whose gradient it is") {
  // 8x8x4 -> 16x16x3, kernel 2, stride 2: weights 4*2*2*3 = 48, once per input position
  const Operator op = expand(image, R"({"transposed_conv": 3, "kernel": 2, "stride": 2})").operators[0];
  CHECK(op.output == "16x16x3");
  CHECK(op.forward_flop == Flop{2.0 * 48 * 64});
  CHECK(op.shape.transposed);
  CHECK(op.shape.c == 3);
  CHECK(op.shape.n == 4);
  CHECK(op.shape.oh == 8);
}

TEST_CASE("a block fills in its arguments, defaults and repeats") {
  const std::string more = R"("blocks": {"pair": {"defaults": {"k": 1},
    "layers": [{"conv": "$n", "kernel": "$k", "pad": "same"}, "relu"]}},)";
  const Workload w = expand(image, R"({"pair": {"n": 2}, "repeat": 2}, {"pair": {"n": 5, "k": 3}})", more);
  REQUIRE(w.operators.size() == 6);
  CHECK(w.operators[0].name == "pair1.conv1");
  CHECK(w.operators[2].name == "pair2.conv1");
  CHECK(w.operators[4].name == "pair3.conv1");
  CHECK(w.operators[4].parameters == 2 * 9 * 5 + 5);
}

TEST_CASE("a layer keeps its own settings over the file's defaults for its kind") {
  const std::string more =
      R"("defaults": {"conv": {"kernel": 3, "pad": 1, "then": ["batch_norm", "relu"]}},)";
  const Workload w = expand(image, R"({"conv": 4}, {"conv": 4, "kernel": 1, "pad": 0, "then": []})", more);
  REQUIRE(w.operators.size() == 4);
  CHECK(w.operators[0].parameters == 4 * 9 * 4 + 4);
  CHECK(w.operators[1].kind == "batch_norm");
  CHECK(w.operators[3].parameters == 4 * 4 + 4);
}

TEST_CASE("a residual projects its shortcut only where the shape changes") {
  const std::string body =
      R"({"residual": [{"conv": 4, "kernel": 1}], "projection": [{"conv": 4, "kernel": 1}]})";
  CHECK(expand(image, body).operators.size() == 2);
  CHECK(expand(R"({"image": [8, 8, 3]})", body).operators.size() == 3);
}

TEST_CASE("shared repeats bring their weights once and their arithmetic every time") {
  const Workload w = expand(R"({"features": 8})", R"({"linear": 8, "repeat": 3, "shared": true})");
  CHECK(w.parameters() == 72);
  CHECK(w.forward_flop() == Flop{3 * 2 * 64.0});
}

TEST_CASE("frozen layers have weights and no gradients, and nothing in front of trained ones is kept") {
  const Workload w = expand(image, R"({"conv": 4, "kernel": 1, "bias": false, "frozen": true}, "relu",
                                      {"conv": 4, "kernel": 1, "bias": false}, "relu",
                                      {"conv": 2, "kernel": 1, "bias": false, "frozen": true})");
  const auto& op = w.operators;
  CHECK(op[0].frozen);
  CHECK(op[0].first_layer);
  CHECK(op[0].activation_elements == 0);
  CHECK(op[1].first_layer);                 // no gradient passes through
  CHECK(op[1].activation_elements == 256);  // the input of the first trained layer
  CHECK_FALSE(op[2].frozen);
  CHECK(op[2].first_layer);  // its weights have a gradient, its input needs none
  CHECK(op[3].activation_elements == 256);
  CHECK(op[4].frozen);
  CHECK_FALSE(op[4].first_layer);  // the gradient passes through it to the trained layer
  CHECK(w.parameters() == op[0].parameters + op[2].parameters + op[4].parameters);
  CHECK(w.trained_parameters() == op[2].parameters);
}

TEST_CASE("a frozen norm is one scale and offset: no statistics, no parameters, nothing kept") {
  const Workload w =
      expand(image, R"({"conv": 4, "kernel": 1}, {"batch_norm": true, "frozen": true}, "relu")");
  CHECK(w.operators[1].kind == "frozen_norm");
  CHECK(w.operators[1].family == OperatorFamily::elementwise);
  CHECK(w.operators[1].parameters == 0);
  CHECK(w.operators[0].activation_elements == 0);
}

TEST_CASE("kept activations count every tensor once, and only if a backward pass reads it") {
  // conv output (8*8*4 = 256) is read by the batch norm; the norm's own output by nobody; the relu's output
  // by its own gradient and by the next convolution; the last convolution's output by nobody.
  const Workload w =
      expand(image, R"({"conv": 4, "kernel": 1}, "batch_norm", "relu", {"conv": 2, "kernel": 1})");
  CHECK(w.operators[0].activation_elements == 256);
  CHECK(w.operators[1].activation_elements == 0);
  CHECK(w.operators[2].activation_elements == 256);
  CHECK(w.operators[3].activation_elements == 0);
}

TEST_CASE("an lstm has one input product over all steps and one recurrent product per direction") {
  // 5 steps, 3 features, 2 hidden: input 2*(4*2)*3 = 48 weights and 2*2*8 biases; recurrent 4*2*2 = 16 each
  const Workload w = expand(R"({"frames": [5, 3]})", R"({"lstm": 2, "bidirectional": true})");
  REQUIRE(w.operators.size() == 4);
  CHECK(w.operators[0].parameters == 48 + 32);
  CHECK(w.operators[0].forward_flop == Flop{2.0 * 5 * 48});
  CHECK(w.operators[1].family == OperatorFamily::rnn);
  CHECK(w.operators[1].parameters == 16);
  CHECK(w.operators[1].forward_flop == Flop{2.0 * 5 * 16});
  CHECK(w.operators[3].output == "5 tokens x 4");
}

TEST_CASE("directions that share their input have one input product and two recurrent ones") {
  // The layer above: half of the input weights and biases, 24 + 16; each direction keeps its 16.
  const Workload w =
      expand(R"({"frames": [5, 3]})", R"({"lstm": 2, "bidirectional": true, "share_input": true})");
  REQUIRE(w.operators.size() == 4);
  CHECK(w.operators[0].parameters == 24 + 16);
  CHECK(w.operators[0].forward_flop == Flop{2.0 * 5 * 24});
  CHECK(w.operators[1].parameters == 16);
  CHECK(w.operators[2].parameters == 16);
  CHECK(w.operators[3].output == "5 tokens x 4");
}

TEST_CASE("pairs add every token of one sequence to every token of another") {
  const std::string layers = R"({"save": "a"}, {"input": {"frames": [3, 4]}}, {"pairs": "a"}, {"linear": 2})";
  const Workload w = expand(R"({"frames": [5, 4]})", layers);
  REQUIRE(w.operators.size() == 2);
  CHECK(w.operators[0].output == "15 tokens x 4");
  CHECK(w.operators[0].shape.elements_in == 20 + 12);
  CHECK(w.operators[1].forward_flop == Flop{2.0 * 15 * 4 * 2});
  CHECK(has(failure(R"({"frames": [5, 3]})", layers), "one width"));
}

TEST_CASE("an input size or a sequence length can be set where the network has one") {
  const std::string conv = R"({"conv": 1, "kernel": 1})";
  CHECK(expand(image, conv, "", {.image = {{16, 4, 4}}}).operators[0].output == "16x4x1");
  CHECK(has(failure(image, conv, "", {.seq_len = 4}), "does not read sequences"));
  CHECK(has(failure(R"({"tokens": 4})", R"({"embedding": 1, "vocab": 2})", "", {.image = {{1, 1, 1}}}),
            "does not read images"));
  // The second input follows the first.
  const Workload w =
      expand(R"({"tokens": 4})", R"({"embedding": 2, "vocab": 9}, {"input": {"tokens": "$tokens"}},
    {"embedding": 2, "vocab": 9})",
             "", {.seq_len = 7});
  CHECK(w.operators[1].output == "7 tokens x 2");
  CHECK(w.input_bytes == Bytes{56});
  CHECK(load_workload("bert-base", {.seq_len = 128}).input_text == "128 tokens");
}

TEST_CASE("mistakes in a file are named with their line and a hint") {
  CHECK(has(failure(image, R"({"conv": 4, "kernle": 3})"), "kernle"));
  CHECK(has(failure(image, R"({"conv": 4, "kernle": 3})"), "\"kernel\""));
  CHECK(has(failure(image, R"("rlu")"), "unknown layer kind \"rlu\""));
  CHECK(has(failure(image, R"("rlu")"), "did you mean \"relu\"?"));
  CHECK(has(failure(image, "\"relu\",\n{\"conv\": 6, \"kernel\": 1, \"groups\": 3}"), "test.json:5"));
  CHECK(has(failure(image, R"({"conv": 6, "kernel": 1, "groups": 3})"),
            "conv needs c=4 divisible by groups=3"));
  CHECK(has(failure(image, R"({"conv": 4, "kernel": 9})"), "a window of 9 does not fit into 8"));
  CHECK(has(failure(image, R"({"add": [[], [{"conv": 2, "kernel": 1}]]})"), "8x8x4 and 8x8x2"));
  CHECK(has(failure(image, R"({"conv": "$n", "kernel": 1})"), "nothing here is called \"$n\""));
  CHECK(has(failure(image, R"({"use": "skip"})"), "nothing was saved as \"skip\""));
  CHECK(has(failure(image, R"({"relu": 3})"), "relu takes no value of its own"));
  CHECK(has(failure(image, R"({"conv": 4})"), "conv needs \"kernel\""));
  CHECK(has(failure(image, R"({"lstm": 4})"), "rows_to_tokens"));
  const std::string block = R"("blocks": {"b": {"layers": [{"conv": "$n", "kernel": 1}]}},)";
  CHECK(has(failure(image, R"("b")", block), "block \"b\" needs \"n\""));
  CHECK(has(failure(image, R"({"b": {"n": 3, "m": 4}})", block), "\"m\""));
}

TEST_CASE("a description cannot run away") {
  const std::string self = R"("blocks": {"b": {"layers": ["b"]}},)";
  CHECK(has(failure(image, R"("b")", self), "does a block contain itself?"));
  CHECK(has(failure(image, R"({"relu": true, "repeat": 1000000000})"), "\"repeat\" must be from 0 to 10000"));
  const std::string many = R"("blocks": {"a": {"layers": [{"relu": true, "repeat": 10000}]}},)";
  CHECK(has(failure(image, R"({"a": {}, "repeat": 10000})", many), "more than 50000 operators"));
  const std::string empty = R"("blocks": {"a": {"layers": [{"group": [], "repeat": 10000}]}},)";
  CHECK(has(failure(image, R"({"a": {}, "repeat": 10000})", empty), "more than 200000 layers"));
  CHECK(has(failure(R"({"image": [10000000, 10000000, 10000000]})", R"("relu")"), "too large"));
  CHECK(has(failure(image, R"({"conv": 1000000000, "kernel": 1}, {"conv": 1000000000, "kernel": 8})"),
            "too large"));
  CHECK(has(failure(image, R"({"upsample": 64, "repeat": 10})"), "too large"));
  const std::string grow = R"({"transposed_conv": 4, "kernel": 1, "stride": 100000, "repeat": 3})";
  CHECK(has(failure(image, grow), "produces too much"));
  CHECK(has(failure(R"({"features": 10000000})", R"({"dot_interaction": 1})"), "limited to a million"));
}

TEST_CASE("an unknown network lists near matches, an alias finds its network") {
  CHECK_THROWS_WITH_AS(load_workload("resnt-50"), doctest::Contains("resnet50"), Error);
  try {
    load_workload("deepseek-r2");
  } catch (const Error& e) {
    CHECK(has(e.hint(), "deepseek-r1"));  // as it is written, although it is an alias
  }
  CHECK(load_workload("vgg-a").name == "vgg11");
  CHECK(load_workload("resnet50", {.image = {{300, 300, 3}}}).input_text == "300x300x3");
}

TEST_CASE("the network in models/README.md expands to the counts it states") {
  std::ifstream file(RACKCAST_SOURCE_DIR "/models/README.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t begin = text.find("```json\n") + 8;
  const std::size_t end = text.find("```", begin);
  REQUIRE(end != std::string::npos);
  const Workload w =
      read_workload(parse_json(text.substr(begin, end - begin), "models/README.md"), "example");
  CHECK(w.parameters() == w.published.parameters);
  CHECK(w.forward_flop().base() == doctest::Approx(w.published.forward_flop.base()).epsilon(0.01));
}

}  // namespace
}  // namespace rackcast
