#include "models/frameworks/composed_operators.hpp"

#include <doctest/doctest.h>

#include "models/frameworks/framework.hpp"
#include "models/frameworks/gpu_step.hpp"
#include "models/gpu/cost.hpp"

namespace rackcast {
namespace {

constexpr double moves = 0.8e12;  ///< bytes a second that maps are moved at

GpuCostModel made_up_gpu() {
  GpuRates gpu;
  gpu.name = "made_up";
  gpu.architecture = "Volta";
  gpu.sm_count = 10;
  gpu.fp32 = FlopRate{10e12};
  gpu.fp16 = FlopRate{20e12};
  gpu.memory = Bandwidth{1e12};
  gpu.l2 = Bytes{1e6};
  return GpuCostModel::create(gpu);
}

/// One operator on a map of a billion elements.
StepTime step_of(const Operator& op, const ComposedOperators& composed, Precision precision, bool training) {
  Workload workload;
  workload.operators = {op};
  FrameworkProfile profile;
  profile.composed = composed;
  return step_time(workload, made_up_gpu(), profile,
                   {.batch = 1, .precision = precision, .training = training, .optimizer = false});
}

Operator gelu() {
  Operator op;
  op.kind = "gelu";
  op.shape.elements_in = op.shape.elements_out = 1e9;
  return op;
}

Operator attention() {
  Operator op;
  op.kind = "attention";
  op.family = OperatorFamily::attention;
  op.shape.seq = op.shape.kv_seq = 1000;
  op.shape.heads = 1000;
  op.shape.head_dim = 1;
  return op;
}

}  // namespace

TEST_CASE("a GELU put together from simple operators moves its map as often as they read and write it") {
  ComposedOperators composed;
  composed.gelu = {18, 26};
  const StepTime step = step_of(gelu(), composed, Precision::fp32, true);
  CHECK(step.forward.base() == doctest::Approx(18 * 4e9 / moves).epsilon(0.001));
  CHECK(step.backward.base() == doctest::Approx(26 * 4e9 / moves).epsilon(0.001));
}

TEST_CASE("what mixed precision keeps in 32 bits is cast on its way in and out: 6 bytes each") {
  ComposedOperators composed;
  composed.gelu = {18, 26};
  const auto forward = [&composed](Precision precision) {
    return step_of(gelu(), composed, precision, true).forward.base();
  };
  CHECK(forward(Precision::mixed) == doctest::Approx(18 * 2e9 / moves).epsilon(0.001));
  const double wide = forward(Precision::fp32);
  composed.wide = true;
  CHECK(forward(Precision::mixed) == doctest::Approx(18 * 4e9 / moves + 12e9 / moves).epsilon(0.001));
  CHECK(forward(Precision::fp32) == wide);
}

TEST_CASE("scores of attention are dropped in training alone") {
  ComposedOperators composed;
  composed.scores = {8, 11};
  composed.dropout = {10, 5};
  ComposedOperators kept = composed;
  kept.dropout = {};
  const auto added = [&](bool training) {
    return (step_of(attention(), composed, Precision::fp32, training).forward -
            step_of(attention(), kept, Precision::fp32, training).forward)
        .base();
  };
  CHECK(added(true) == doctest::Approx(10 * 4e9 / moves).epsilon(0.001));
  CHECK(added(false) == 0);
}

}  // namespace rackcast
