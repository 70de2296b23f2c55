#include <doctest/doctest.h>

#include <cmath>

#include "models/gpu/cost.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/networks/workload.hpp"
#include "sim/base/random.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {
namespace {

constexpr Pass passes[] = {Pass::forward, Pass::data_gradient, Pass::weight_gradient};

GpuRates rates(const char* id) {
  return gpu_rates(gpu_spec(Catalog::builtin(), id));
}

}  // namespace

TEST_CASE("a larger batch is never faster") {
  for (const auto& [gpu, precision] :
       {std::pair{"p100_sxm2", Precision::fp32}, std::pair{"v100_sxm2_16gb", Precision::mixed},
        std::pair{"k80", Precision::fp32}, std::pair{"a100_sxm4_80gb", Precision::bf16}}) {
    const GpuCostModel model = GpuCostModel::create(rates(gpu), {.library = LibraryGeneration::cudnn7});
    for (const char* network : {"resnet50", "alexnet", "vit-b-16"}) {
      for (const Operator& op : load_workload(network).operators) {
        for (const Pass pass : passes) {
          Duration last{0};
          // Aligned sizes: products of odd sizes leave the tensor cores.
          for (const double batch : {8, 16, 24, 32, 64, 128, 256}) {
            const Duration time = model.cost(op, pass, batch, precision).time;
            CAPTURE(model.gpu().name);
            CAPTURE(network);
            CAPTURE(op.name);
            CAPTURE(to_string(pass));
            CAPTURE(batch);
            REQUIRE(time >= last * (1 - 1e-9));
            last = time;
          }
        }
      }
    }
  }
}

TEST_CASE("more SMs of the same kind are never slower") {
  RandomStream random{11, "bigger"};
  const GpuModelLibrary fitted = GpuModelLibrary::builtin();
  for (int i = 0; i < 300; ++i) {
    GpuRates small = rates("p100_sxm2");
    GpuRates large = small;
    const double factor = 1 + static_cast<double>(random.below(4));  // whole multiples keep the rate of an SM
    large.sm_count = static_cast<int>(small.sm_count * factor);
    large.fp32 = small.fp32 * factor;
    large.memory = small.memory * factor;
    large.l2 = small.l2 * factor;
    Operator op;
    op.family = OperatorFamily::gemm;
    op.shape.rows = static_cast<std::int64_t>(1 + random.below(64));
    op.shape.n = static_cast<std::int64_t>(1 + random.below(4096));
    op.shape.k = static_cast<std::int64_t>(1 + random.below(4096));
    const auto time = [&](const GpuRates& gpu) {
      return GpuCostModel::create(gpu, {}, fitted).cost(op, Pass::forward, 32, Precision::fp32).time;
    };
    CAPTURE(i);
    CHECK(time(large) <= time(small) * (1 + 1e-9));
  }
}

TEST_CASE("no kernel beats the peak rate by more than its transform saves") {
  // Winograd F(4x4, 3x3) does 36 products for 16 outputs of 9: a quarter of the arithmetic.
  const GpuRates gpu = rates("v100_sxm2_16gb");
  const GpuCostModel model = GpuCostModel::create(gpu, {.library = LibraryGeneration::cudnn7});
  for (const Operator& op : load_workload("resnet50").operators) {
    if (op.family != OperatorFamily::conv) continue;
    const double peak_seconds = 64 * (op.forward_flop / gpu.fp32).base();
    CAPTURE(op.name);
    CHECK(model.cost(op, Pass::forward, 64, Precision::fp32).time.base() > peak_seconds / 4);
    CHECK(model.cost(op, Pass::forward, 64, Precision::mixed).time >
          64 * (op.forward_flop / gpu.fp16_tensor));
  }
}

}  // namespace rackcast
