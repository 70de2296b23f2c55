// Layers that networks of other programs are written in: attention without its projections, products of two
// values, other shapes and parts of a value.
#include <doctest/doctest.h>

#include <string>

#include "models/networks/workload.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {
namespace {

Workload network(const std::string& layers, const std::string& input = R"({"frames": [10, 8]})") {
  return read_workload(parse_json(R"({"title": "t", "task": "t", "source": "s", "input": )" + input +
                                      R"(, "layers": )" + layers + "}",
                                  "test"),
                       "t");
}
std::string error_of(const std::string& layers) {
  try {
    (void)network(layers);
  } catch (const Error& e) {
    return e.what();
  }
  return "read";
}
bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("attention of one projection of queries, keys and values equals attention with its projections") {
  const Workload apart =
      network(R"([{"linear": 24}, {"dot_attention": 2, "head_dim": 4, "dropout": true}, {"linear": 8}])");
  const Workload whole = network(R"([{"attention": 2}])");
  CHECK(apart.forward_flop() == whole.forward_flop());
  CHECK(apart.parameters() == whole.parameters());
  CHECK(apart.activation_elements() == whole.activation_elements());
}

TEST_CASE("keys and values may come from other values, be shared by heads, and have another width") {
  // 10 queries of 4 heads x 2; 5 keys of 2 heads x 2, values of 2 heads x 3: 2 x 10 x 5 x 4 x (2 + 3).
  const Workload apart = network(R"([{"save": "x"},
    {"part": [5, 4]}, {"save": "k"}, {"use": "x"}, {"part": [5, 6]}, {"save": "v"}, {"use": "x"},
    {"dot_attention": 4, "head_dim": 2, "kv_heads": 2, "v_head_dim": 3, "keys": "k", "values": "v", "biases": 7}])");
  CHECK(apart.forward_flop() == Flop{2.0 * 10 * 5 * 4 * 5});
  CHECK(apart.parameters() == 7);
  CHECK(apart.operators.back().output == "10 tokens x 12");
  // One value holds keys and values side by side.
  const Workload both =
      network(R"([{"save": "x"}, {"linear": 16, "bias": false}, {"save": "kv"}, {"use": "x"},
    {"dot_attention": 2, "head_dim": 4, "keys": "kv", "values": "kv"}])");
  CHECK(both.forward_flop() == Flop{2.0 * 10 * 8 * 16 + 2.0 * 10 * 10 * 2 * 8});
}

TEST_CASE("sequences see their own tokens only") {
  const Workload five =
      network(R"([{"linear": 24}, {"dot_attention": 2, "head_dim": 4, "sequences": 5}, {"linear": 1}])");
  // Each of 10 tokens sees 2: 2 x 10 x 2 x 2 x (4 + 4); behind it 10 tokens of 8 features.
  CHECK(five.forward_flop() == Flop{2.0 * 10 * 8 * 24 + 2.0 * 10 * 2 * 2 * 8 + 2.0 * 10 * 8});
  CHECK(five.operators[1].shape.heads == 10);
  CHECK(five.operators[1].shape.seq == 2);
  CHECK(five.operators.back().output == "10 tokens x 1");
}

TEST_CASE("a product of two values takes the arithmetic of its sizes") {
  const Workload product = network(R"([{"save": "x"}, {"matmul": "x", "sizes": [2, 5, 8, 5]}])");
  CHECK(product.forward_flop() == Flop{2.0 * 2 * 5 * 8 * 5});
  CHECK(product.operators.back().output == "10 tokens x 5");
  CHECK(has(error_of(R"([{"save": "x"}, {"matmul": "x", "sizes": [2, 5, 7, 5]}])"), "\"sizes\" fit neither"));
  CHECK(
      has(error_of(R"([{"save": "x"}, {"matmul": "x", "sizes": [2, 5]}])"), "[count, rows, inner, columns]"));
}

TEST_CASE("another shape has the same elements, and a part has fewer") {
  CHECK(network(R"([{"reshape": [80]}, {"linear": 1}])").parameters() == 81);
  CHECK(network(R"([{"reshape": [5, 16]}, {"linear": 1}])").parameters() == 17);
  CHECK(network(R"([{"reshape": [2, 5, 8]}, {"conv": 1, "kernel": 1}])").parameters() == 9);
  CHECK(network(R"([{"part": [3, 4]}, {"linear": 1}])").parameters() == 5);
  CHECK(has(error_of(R"([{"reshape": [81]}])"), "cannot turn"));
  CHECK(has(error_of(R"([{"part": [11, 8]}])"), "is no part of"));
  CHECK(has(error_of(R"([{"part": []}])"), "needs [features]"));
}

TEST_CASE("norms without scale or offset have fewer parameters, and a vector is added to each position") {
  CHECK(network(R"([{"layer_norm": true, "center": false}])").parameters() == 8);
  CHECK(network(R"([{"layer_norm": true, "scale": false, "center": false}])").parameters() == 0);
  CHECK(network(R"([{"rms_norm": true, "scale": false}])").parameters() == 0);
  CHECK(
      network(R"([{"save": "x"}, "take_token", {"save": "v"}, {"use": "x"}, {"add": [[], [{"use": "v"}]]}])")
          .operators.back()
          .output == "10 tokens x 8");
}

TEST_CASE("attention says which of its sizes do not fit") {
  CHECK(has(error_of(R"([{"dot_attention": 2, "head_dim": 4}])"),
            "needs queries, keys and values of 24 features"));
  CHECK(has(error_of(R"([{"save": "x"}, {"dot_attention": 2, "head_dim": 4, "keys": "x"}])"), "or neither"));
  CHECK(has(error_of(R"([{"save": "x"}, {"dot_attention": 2, "head_dim": 3, "keys": "x", "values": "x"}])"),
            "needs queries of 6 features"));
  CHECK(has(error_of(R"([{"linear": 24}, {"dot_attention": 2, "head_dim": 4, "sequences": 3}])"),
            "into 3 sequences"));
  CHECK(has(error_of(R"(["flatten", {"linear": 24}, {"dot_attention": 2, "head_dim": 4}])"),
            "needs a sequence"));
  CHECK(has(error_of(R"([{"save": "x"}, {"part": [5, 8]}, {"save": "k"}, {"use": "x"},
    {"part": [4, 8]}, {"save": "v"}, {"use": "x"}, {"dot_attention": 2, "head_dim": 4, "keys": "k", "values": "v"}])"),
            "as many values as keys"));
}

}  // namespace rackcast
