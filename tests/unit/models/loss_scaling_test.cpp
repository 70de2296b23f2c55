// Training in 16 bits has a spread of its own where the GPU has no bf16.
#include <doctest/doctest.h>

#include <cmath>

#include "models/frameworks/gpu_step.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/mechanism_spread.hpp"
#include "models/networks/workload.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/gpu_spec.hpp"

using namespace rackcast;

namespace {

GpuRates rates(const char* gpu) {
  static const Catalog catalog = Catalog::builtin();
  return gpu_rates(gpu_spec(catalog, gpu));
}

}  // namespace

TEST_CASE("losses are scaled in 16 bits on tensor cores that know no bf16") {
  CHECK(scales_losses(rates("v100_sxm2_16gb"), Precision::mixed));
  CHECK(scales_losses(rates("t4"), Precision::fp16));
  CHECK_FALSE(scales_losses(rates("v100_sxm2_16gb"), Precision::fp32));
  CHECK_FALSE(scales_losses(rates("p100_sxm2"), Precision::mixed));
  CHECK_FALSE(scales_losses(rates("a100_sxm4_40gb"), Precision::mixed));
}

TEST_CASE("a training step with scaled losses is less sure than one in 32 bits by its own spread") {
  const Workload network = load_workload("resnet50");
  const GpuCostModel gpu = GpuCostModel::create(rates("v100_sxm2_16gb"));
  const FrameworkProfile framework = framework_profile({.name = "mxnet"});
  const auto sigma = [&](Precision precision, bool training) {
    return step_time(network, gpu, framework, {.batch = 64, .precision = precision, .training = training})
        .log_sigma;
  };
  const double own = mechanism_log_sigma(Mechanism::loss_scaling);
  CHECK(own > 0);
  // quadrature: at least the spread itself beside what the profile has
  CHECK(sigma(Precision::mixed, true) >= std::hypot(framework.log_sigma, own));
  CHECK(sigma(Precision::fp32, true) < sigma(Precision::mixed, true));
}
