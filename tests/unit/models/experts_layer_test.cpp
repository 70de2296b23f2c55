#include <doctest/doctest.h>

#include "models/networks/workload.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {
namespace {

TEST_CASE("a layer of experts holds them all and does the arithmetic of the chosen ones") {
  // 8 tokens of width 4; three experts of 2 * 4 * 6 weights and 6 + 4 biases, a router of 4 * 3.
  const Workload w = read_workload(parse_json(R"({"title": "t", "task": "t", "source": "s",
      "input": {"tokens": 8},
      "layers": [{"embedding": 4, "vocab": 10}, {"experts": 3, "top_k": 2, "ffn": 6}, "relu"]})",
                                              "test.json"),
                                   "test", {});
  CHECK(w.parameters() == 40 + 3 * (48 + 10) + 12);
  // Per token: the router 2 * 12, two experts of 2 * 48.
  CHECK(w.forward_flop() == Flop{8.0 * (24 + 2 * 96)});
  CHECK(w.operators.back().output == "8 tokens x 4");
}

}  // namespace
}  // namespace rackcast
