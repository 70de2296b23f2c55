// Layers that join branches: what they take, and what they refuse.
#include <doctest/doctest.h>

#include <string>

#include "models/gpu/lowering.hpp"
#include "models/gpu/rates.hpp"
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

/// The last operator of a layer behind one with weights, to which it passes gradients.
Operator behind_weights(const std::string& layer) {
  return read_workload(parse_json(R"({"title": "made up", "task": "test", "source": "made up",
    "input": {"image": [8, 8, 4]}, "layers": [{"conv": 4, "kernel": 1}, )" +
                                      layer + "]}",
                                  "net.json"),
                       "made up")
      .operators.back();
}

double moved_bytes(const Operator& op, Pass pass, double batch) {
  return lower(op, pass, batch, Precision::fp32, GpuRates{}, {}).at(0).moved_bytes;
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

TEST_CASE("going back, the gradients of branches are added where they begin") {
  const Operator concat = behind_weights(R"({"concat": [["relu"], ["relu"], ["relu"]]})");
  REQUIRE(concat.kind == "concat");
  const double map = 2 * 4 * 8 * 8 * 4;  // bytes of two samples
  CHECK(moved_bytes(concat, Pass::forward, 2) == 3 * map + 3 * map);
  // The gradient is cut in three; three are read for their sum, which is written.
  CHECK(moved_bytes(concat, Pass::data_gradient, 2) == 3 * map + 3 * map + 3 * map + map);
  const Operator alone = behind_weights(R"({"concat": [["relu"]]})");
  CHECK(moved_bytes(alone, Pass::data_gradient, 2) == 2 * map);
}

TEST_CASE("statistics of groups and instances take a pass of their own, those of rows stay on the chip") {
  const auto maps = [](const std::string& norm, Pass pass) {
    const Operator op = behind_weights('"' + norm + '"');
    REQUIRE(op.kind == norm);
    return moved_bytes(op, pass, 1) / (4 * 8 * 8 * 4);
  };
  CHECK(maps("group_norm", Pass::forward) == 3);
  CHECK(maps("instance_norm", Pass::forward) == 3);
  CHECK(maps("layer_norm", Pass::forward) == 2);
  CHECK(maps("group_norm", Pass::data_gradient) == 5);
}
