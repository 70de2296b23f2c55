// Layers that join branches: what they take, and what they refuse.
#include <doctest/doctest.h>

#include <string>

#include "models/networks/workload.hpp"
#include "sim/json/reader.hpp"
#include "tests/unit/sim/error_text.hpp"

using namespace rackcast;

namespace {

Workload gated(const std::string& branches, const std::string& join = "multiply") {
  return read_workload(parse_json(R"({"title": "gate", "task": "test", "source": "made up",
    "input": {"image": [8, 8, 4]}, "layers": [{"save": "map"}, {")" +
                                      join + R"(": [)" + branches + "]}]}",
                                  "net.json"),
                       "gate");
}

}  // namespace

TEST_CASE("a vector behind a map scales its channels") {
  const Workload network = gated(R"([], ["global_avg_pool", "sigmoid"])");
  CHECK(network.operators.back().kind == "multiply");
  CHECK(network.operators.back().shape.elements_out == 8 * 8 * 4);
}

TEST_CASE("a vector behind a map is added to each of its positions") {
  const Workload network = gated(R"([], ["global_avg_pool", {"linear": 4}])", "add");
  CHECK(network.operators.back().kind == "add");
  CHECK(network.operators.back().shape.elements_in == 8 * 8 * 4 + 4);
  CHECK(network.operators.back().shape.elements_out == 8 * 8 * 4);
}

TEST_CASE("branches of other shapes are refused: other channels, and a vector in front") {
  CHECK(error_text([] { gated(R"([], ["global_avg_pool", {"linear": 5}])"); }).find("equal shapes") !=
        std::string::npos);
  CHECK(error_text([] { gated(R"(["global_avg_pool"], [])"); }).find("equal shapes") != std::string::npos);
  CHECK(error_text([] { gated(R"(["global_avg_pool"], [])", "add"); }).find("equal shapes") !=
        std::string::npos);
}
