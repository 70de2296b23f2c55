// Networks from ONNX files: those of the model zoo, small ones written here, and broken ones.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "calibrate/import/import.hpp"
#include "models/networks/workload.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"
#include "tests/unit/calibrate/networks/onnx_file.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {
namespace {

using namespace onnx_file;

const std::string image = input("x", {0, 3, 32, 32});

Json imported(const std::string& text, const std::string& path = "net.onnx") {
  const ImportResult result =
      import_text(Catalog::builtin(), {.kind = "", .path = path, .program = "test"}, text);
  return parse_json(result.text, "import");
}
Workload network(const std::string& text) {
  return read_workload(imported(text).require("network"), "imported");
}
std::string error_of(const std::string& text) {
  try {
    imported(text);
  } catch (const Error& e) {
    CHECK(e.where().file == "net.onnx");
    return std::string{e.what()} + " / " + e.hint();
  }
  return "imported";
}
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string zoo(const std::string& name) {
  const std::filesystem::path path =
      std::filesystem::path{RACKCAST_SOURCE_DIR} / "tests/data/onnx" / ("light_" + name + ".onnx");
  std::ifstream in{path, std::ios::binary};
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

double flops(const Workload& workload) {
  return workload.forward_flop().base();
}

}  // namespace

TEST_CASE("networks of the ONNX model zoo have the parameters of their files") {
  // Sums over the shapes of the weights, without running means and variances.
  struct Model {
    const char* name;
    double parameters;
  };
  for (const Model& one : {Model{"bvlc_alexnet", 60965224},
                           {"inception_v1", 6998552},
                           {"resnet50", 25557032},
                           {"shufflenet", 1393320},
                           {"squeezenet", 1235496},
                           {"vgg19", 143667240},
                           {"zfnet512", 87250536}}) {
    CAPTURE(one.name);
    CHECK(network(zoo(one.name)).parameters() == one.parameters);
  }
}

TEST_CASE("networks of the zoo take the arithmetic of those that come with the program") {
  CHECK(flops(network(zoo("vgg19"))) == flops(load_workload("vgg19")));
  CHECK(flops(network(zoo("resnet50"))) == flops(load_workload("resnet50-v1.5")));
}

TEST_CASE("channels are scaled by a small network of their means") {
  const std::string graph = tensor("w", {8, 3, 3, 3}) + tensor("down", {2, 8, 1, 1}) + tensor("b", {2}) +
                            tensor("up", {8, 2, 1, 1}) + tensor("c", {8}) + image +
                            node("Conv", {"x", "w"}, "map", list("pads", {1, 1, 1, 1})) +
                            node("GlobalAveragePool", {"map"}, "mean") +
                            node("Conv", {"mean", "down", "b"}, "d") + node("Relu", {"d"}, "r") +
                            node("Conv", {"r", "up", "c"}, "u") + node("Sigmoid", {"u"}, "gate") +
                            node("Mul", {"gate", "map"}, "out");
  const Workload workload = network(model(graph));
  CHECK(workload.parameters() == 8 * 3 * 9 + 2 * 8 + 2 + 8 * 2 + 8);
  CHECK(workload.operators.back().kind == "multiply");
  CHECK(flops(workload) == 2 * (32 * 32 * 8 * 3 * 9 + 2 * 8 + 8 * 2));
}

TEST_CASE("what exporters compute from shapes is worked out before") {
  // x.view(x.size(0), -1), as PyTorch writes it.
  const std::string graph =
      tensor("w", {10, 3 * 32 * 32}) + tensor("b", {10}) + tensor("first", {1}, {0}) +
      tensor("rest", {1}, {-1}) + image + node("Shape", {"x"}, "shape") +
      node("Gather", {"shape", "first"}, "n") + node("Concat", {"n", "rest"}, "to", whole("axis", 0)) +
      node("Reshape", {"x", "to"}, "flat") + node("Gemm", {"flat", "w", "b"}, "y", whole("transB", 1));
  CHECK(network(model(graph)).parameters() == 10 * 3 * 32 * 32 + 10);
  // 1 + 3071, added as a Sum.
  const std::string summed = tensor("w", {3072, 10}) + tensor("one", {1}, {1}) + tensor("a", {1}, {1}) +
                             tensor("b", {1}, {3071}) + image + node("Sum", {"a", "b"}, "n") +
                             node("Concat", {"one", "n"}, "to", whole("axis", 0)) +
                             node("Reshape", {"x", "to"}, "flat") + node("MatMul", {"flat", "w"}, "y");
  CHECK(network(model(summed)).parameters() == 30720);
}

TEST_CASE("a constant behind a product is its bias, and other constants are left out with a warning") {
  const std::string graph = tensor("w", {64, 5}) + tensor("b", {5}) + input("x", {0, 64}) +
                            node("MatMul", {"x", "w"}, "p") + node("Add", {"p", "b"}, "s");
  CHECK(network(model(graph)).parameters() == 64 * 5 + 5);
  CHECK(imported(model(graph)).require("warnings").array().empty());
  const Json scaled = imported(model(graph + tensor("two", {1}) + node("Mul", {"s", "two"}, "y")));
  REQUIRE(scaled.require("warnings").array().size() == 1);
  CHECK(contains(scaled.require("warnings").array()[0].string(), "constants are left out"));
}

TEST_CASE("windows: zeros around, steps, one filter a channel, growing maps") {
  const std::string graph =
      tensor("apart", {6, 1, 3, 3}) + tensor("grow", {6, 4, 2, 2}) + tensor("w", {8, 4, 3, 3}) +
      tensor("factor", {4}, {1, 1, 2, 2}) + input("x", {1, 6, 17, 17}) +
      node("Conv", {"x", "apart"}, "a",
           whole("group", 6) + list("strides", {2, 2}) + list("pads", {1, 1, 1, 1})) +
      node("ConvTranspose", {"a", "grow"}, "b", list("strides", {2, 2})) +
      node("Pad", {"b"}, "c", list("pads", {0, 0, 1, 1, 0, 0, 1, 1})) + node("Conv", {"c", "w"}, "d") +
      node("MaxPool", {"d"}, "e",
           list("kernel_shape", {3, 3}) + list("strides", {2, 2}) + list("pads", {0, 0, 1, 1})) +
      node("Upsample", {"e", "factor"}, "f");
  const Json document = imported(model(graph));
  const auto& layers = document.require("network").require("layers").array();
  CHECK(layers[0].require("depthwise").integer() == 3);
  CHECK(layers[3].require("pad").string() == "same");
  const Workload workload = read_workload(document.require("network"), "imported");
  // 17 -> 9 -> 18 -> 18 -> 9 -> 18
  CHECK(flops(workload) == 2 * (9 * 9 * 6 * 9 + 9 * 9 * 6 * 4 * 4 + 18 * 18 * 8 * 4 * 9));
}

TEST_CASE("an imported network answers a question") {
  const Json document = imported(zoo("squeezenet"));
  CHECK(contains(document.require("network").require("title").string(), "1.24 million parameters"));
  CHECK(document.require("network").require("input").require("image").array()[0].integer() == 224);
  CHECK(own_network(document.require("network"), {}).parameters() == 1235496);
}

TEST_CASE("gates with Sigmoid and Mul within them scale channels, too") {
  // As EfficientNet has it: x * sigmoid(x) between the two convolutions of the gate.
  const std::string graph = tensor("w", {8, 3, 3, 3}) + tensor("down", {2, 8, 1, 1}) +
                            tensor("up", {8, 2, 1, 1}) + image + node("Conv", {"x", "w"}, "map") +
                            node("GlobalAveragePool", {"map"}, "mean") + node("Conv", {"mean", "down"}, "d") +
                            node("Sigmoid", {"d"}, "s") + node("Mul", {"d", "s"}, "silu") +
                            node("Conv", {"silu", "up"}, "u") + node("Sigmoid", {"u"}, "gate") +
                            node("Mul", {"gate", "map"}, "out");
  CHECK(network(model(graph)).parameters() == 8 * 3 * 9 + 2 * 8 + 8 * 2);
}

TEST_CASE("vectors become maps, and windows on pooled vectors keep their weights") {
  const std::string start = tensor("w", {3 * 32 * 32, 128}) + tensor("to", {4}, {1, 2, 8, 8}) + image +
                            node("Flatten", {"x"}, "f") + node("MatMul", {"f", "w"}, "v") +
                            node("Reshape", {"v", "to"}, "m");
  const std::string conv =
      tensor("c", {4, 2, 3, 3}) + node("Conv", {"m", "c"}, "y", list("pads", {1, 1, 1, 1}));
  CHECK(network(model(start + conv)).parameters() == 3 * 32 * 32 * 128 + 4 * 2 * 9);
  const std::string apart = tensor("c", {3, 1, 3, 3}) + image + node("GlobalAveragePool", {"x"}, "m") +
                            node("Conv", {"m", "c"}, "y", list("pads", {1, 1, 1, 1}) + whole("group", 3));
  CHECK(network(model(apart)).parameters() == 27);
}

TEST_CASE("a batch of the file is one sample, and flattened maps are stacked") {
  const std::string graph = tensor("w", {3072, 10}) + tensor("to", {2}, {8, -1}) +
                            input("x", {8, 3, 32, 32}) + node("Reshape", {"x", "to"}, "f") +
                            node("Gemm", {"f", "w"}, "y");
  CHECK(network(model(graph)).parameters() == 30720);
  const std::string heads = tensor("a", {2, 3, 1, 1}) + tensor("b", {4, 3, 1, 1}) + image +
                            node("Conv", {"x", "a"}, "p") + node("Conv", {"x", "b"}, "q") +
                            node("Flatten", {"p"}, "u") + node("Flatten", {"q"}, "v") +
                            node("Concat", {"u", "v"}, "y", whole("axis", 1));
  CHECK(network(model(heads)).parameters() == 18);
}

TEST_CASE("a last window that would begin behind the map is none") {
  // 6 x 6 with windows of 2 every 3, rounded up: 2 x 2.
  const std::string graph =
      tensor("w", {12, 10}) + input("x", {1, 3, 6, 6}) +
      node("MaxPool", {"x"}, "p",
           list("kernel_shape", {2, 2}) + list("strides", {3, 3}) + whole("ceil_mode", 1)) +
      node("Flatten", {"p"}, "f") + node("Gemm", {"f", "w"}, "y");
  CHECK(network(model(graph)).parameters() == 120);
}

TEST_CASE("what is left out is said") {
  const auto warning = [](const std::string& graph) {
    const Json document = imported(model(graph));
    const auto& warnings = document.require("warnings").array();
    return warnings.empty() ? std::string{} : warnings.front().string();
  };
  const std::string conv = tensor("w", {8, 3, 3, 3}) + node("Conv", {"x", "w"}, "y");
  CHECK(warning(image + conv).empty());
  CHECK(contains(warning(image + conv + tensor("s", {8}) + node("PRelu", {"y", "s"}, "z")), "PRelu"));
  CHECK(contains(warning(image + conv + tensor("s", {1}) + node("Add", {"y", "s"}, "z")),
                 "constants are left out"));
  CHECK(contains(warning(image + tensor("w", {3, 3, 1, 1}) + node("Conv", {"x", "w"}, "y") +
                         node("Conv", {"y", "w"}, "z")),
                 "weights that several operators read"));
}

TEST_CASE("models that cannot be imported say why") {
  const auto refused = [](const std::string& graph) {
    return error_of(model(graph));
  };
  const std::string conv = tensor("w", {8, 3, 3, 3}) + node("Conv", {"x", "w"}, "y");
  CHECK(contains(refused(image + conv + node("Einsum", {"y"}, "z") + node("com.x.Magic", {"z"}, "end")),
                 "operators without a layer: Einsum, com.x.Magic"));
  CHECK(contains(refused(input("x", {0, 3, 0, 32}) + conv), "side 3 of the input"));
  CHECK(contains(refused(conv), "no input"));
  CHECK(contains(refused(input("x", {1, 3}) + conv), "needs an image or a volume"));
  CHECK(contains(refused(input("x", {1, 3, 32}) + conv), "needs an image or a volume"));
  CHECK(contains(refused(input("x", {1, 2, 3, 4, 5, 6}) + conv), "6 sides"));
  CHECK(contains(refused(image + tensor("w", {8, 4, 3, 3}) + node("Conv", {"x", "w"}, "y")),
                 "do not fit 3 channels"));
  CHECK(contains(refused(image + tensor("w", {8, 3, 3}) + node("Conv", {"x", "w"}, "y")), "its weights are"));
  CHECK(contains(refused(image + tensor("w", {8, 3, 40, 40}) + node("Conv", {"x", "w"}, "y")),
                 "larger than the map"));
  CHECK(contains(refused(image + node("Conv", {"x", "w"}, "y")), "values that nothing writes: \"w\""));
  CHECK(contains(refused(image + node("Conv", {"x"}, "y")), "input 2 is missing"));
  CHECK(
      contains(refused(image + node("Relu", {"b"}, "a") + node("Relu", {"a"}, "b")), "before it is written"));
  CHECK(
      contains(refused(image + node("Relu", {"x"}, "a") + node("Relu", {"x"}, "a")), "two operators write"));
  CHECK(
      contains(refused(image + node("MaxPool", {"x"}, "a", list("kernel_shape", {-2, 2}))), "cannot be -2"));
  CHECK(contains(refused(image + node("MaxPool", {"x"}, "a", list("kernel_shape", {2}))),
                 "1 numbers instead of 2"));
  CHECK(contains(
      refused(image + node("MaxPool", {"x"}, "a", list("kernel_shape", {2, 2}) + list("strides", {0, 1}))),
      "strides cannot be 0"));
  CHECK(contains(refused(image + tensor("to", {2}, {5, 5}) + node("Reshape", {"x", "to"}, "y")),
                 "do not become the shape"));
  CHECK(contains(
      refused(image + tensor("w", {8, 3, 3, 3}) + node("Transpose", {"x"}, "t", list("perm", {0, 2, 3, 1})) +
              node("Conv", {"t", "w"}, "y")),
      "do not fit 32 channels"));
  CHECK(contains(refused(image + tensor("w", {5, 7}) + node("MatMul", {"x", "w"}, "y")),
                 "weights of 5 x 7 do not fit 1 x 3 x 32 x 32"));
  CHECK(contains(refused(image + tensor("w", {-8, 3, 3, 3})), "no operators"));
  CHECK(contains(refused(image + tensor("w", {-8, 3, 3, 3}) + node("Conv", {"x", "w"}, "y")), "negative"));
  CHECK(contains(refused(image + tensor("w", {1'000'000'000, 3, 1, 1}) + node("Conv", {"x", "w"}, "a")),
                 "no network"));
  CHECK(contains(refused(image + node("Add", {}, "y") + node("Relu", {"x"}, "z")), "reads no value"));
  CHECK(contains(refused(image + tensor("w", {5, 3, 1, 1}) + node("Conv", {"x", "w"}, "c") +
                         node("Mul", {"c", "x"}, "y")),
                 "its inputs are 1 x 5 x 32 x 32 and 1 x 3 x 32 x 32"));
  CHECK(contains(refused(image + tensor("w", {8, 3, 3, 3}) + node("Sigmoid", {"x"}, "b") +
                         node("Conv", {"x", "w", "b"}, "y")),
                 "bias is computed"));
  CHECK(contains(refused(image + node("MaxPool", {"x"}, "y")), "kernel_shape is missing"));
  CHECK(contains(refused(image + node("Concat", {"x", "x"}, "y", whole("axis", 7))), "not a side"));
  CHECK_FALSE(contains(refused(image + node("Einsum", {"x"}, "e") + node("Shape", {"e"}, "s")), "Shape"));
  constexpr std::int64_t huge = 4'611'686'018'427'387'904;
  CHECK(contains(refused(image + tensor("w", {3, 4, 2, 2}) +
                         node("ConvTranspose", {"x", "w"}, "y", list("strides", {huge, 2}))),
                 "strides cannot be 4611686018427387904"));
  CHECK(contains(
      refused(image + tensor("w", {8, 3, 3, 3}) + node("Conv", {"x", "w"}, "y", whole("group", huge))),
      "groups cannot be"));
  CHECK(contains(refused(image + node("Squeeze", {"x"}, "y", list("axes", {huge}))),
                 "do not become the shape"));
  CHECK(contains(refused(image + node("Pad", {"x"}, "p", list("pads", {0, 0, 1, 1, 0, 0, 1, 1})) +
                         node("Relu", {"p"}, "y")),
                 "zeros around its input"));
  CHECK(contains(
      refused(input("x", {1, 1'000'000'000, 1'000'000'000, 1'000'000'000}) + node("Flatten", {"x"}, "y")),
      "more than 10^12"));
  CHECK(contains(error_of("no protobuf at all"), "no ONNX model"));
  CHECK(contains(error_of(std::string(100, '\0')), "no ONNX model"));
  CHECK(contains(error_of(""), "empty"));
}

TEST_CASE("a part of a model is refused, and one with wrong bytes is refused or read") {
  const std::string complete = zoo("bvlc_alexnet");
  for (std::size_t length = 0; length + 100 < complete.size(); length += 41) {
    CAPTURE(length);
    CHECK(error_of(complete.substr(0, length)) != "imported");
  }
  for (std::size_t at = 0; at < complete.size(); at += 17) {  // any other exception than Error ends the test
    std::string flipped = complete;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x55);
    (void)error_of(flipped);
  }
}

TEST_CASE("a binary file is read as ONNX where its name or the user says so") {
  const std::string text = zoo("squeezenet");
  CHECK_THROWS_AS(imported(text, "model.bin"), Error);
  const ImportResult named =
      import_text(Catalog::builtin(), {.kind = "onnx", .path = "model.bin", .program = "test"}, text);
  CHECK(named.kind == "onnx");
}

}  // namespace rackcast
