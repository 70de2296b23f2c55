#include "models/frameworks/known_kernels.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

using namespace rackcast;

TEST_CASE("operators share their kernels where nothing differs that kernels follow from") {
  Operator base;
  base.family = OperatorFamily::gemm;
  base.kind = "linear";
  base.place.layer = 1;
  base.shape.rows = base.shape.n = base.shape.k = 128;
  KnownKernels known;
  int asked = 0;
  const auto ask = [&](const Operator& op, Pass pass = Pass::forward, Precision precision = Precision::fp16) {
    const int before = asked;
    (void)known.of(op, pass, precision, [&] {
      ++asked;
      return OperatorKernels{};
    });
    return asked > before;
  };
  CHECK(ask(base));
  CHECK_FALSE(ask(base));
  Operator elsewhere = base;
  elsewhere.name = "layer2.linear";
  elsewhere.place.layer = 2;
  CHECK_FALSE(ask(elsewhere));

  elsewhere.place.layer = 0;  // no layer of a transformer
  CHECK(ask(elsewhere));
  CHECK(ask(elsewhere));

  CHECK(ask(base, Pass::weight_gradient));
  CHECK(ask(base, Pass::forward, Precision::fp32));
  const std::vector<std::function<void(Operator&)>> changes{
      [](Operator& op) { op.family = OperatorFamily::conv; },
      [](Operator& op) { op.kind = "experts"; },
      [](Operator& op) { op.shape.v_head_dim = 1; },
      [](Operator& op) { op.shape.elements_out = 0.5; },
      [](Operator& op) { op.shape.causal = true; },
      [](Operator& op) { op.first_layer = true; },
      [](Operator& op) { op.frozen = true; },
      [](Operator& op) {
        op.keeps_16_bits = true;
      }};
  std::vector<Operator> others(changes.size(), base);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    changes[i](others[i]);
    CAPTURE(i);
    CHECK(ask(others[i]));
    CHECK_FALSE(ask(others[i]));
  }
}
