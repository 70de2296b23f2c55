// Products of recent GPUs: narrow operands, the power limit, and weights in the cache.
#include <doctest/doctest.h>

#include <cmath>

#include "models/gpu/cost.hpp"
#include "models/gpu/rates_of.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {

TEST_CASE("products in 8 and 4 bits take what was measured in 8 and 4 bits") {
  const GpuModelLibrary library = GpuModelLibrary::builtin();
  const Catalog catalog = Catalog::builtin();
  const auto choose = [&](const char* gpu, KernelClass kind, Arithmetic arithmetic) {
    return library.choose(gpu_rates(gpu_spec(catalog, gpu)), kind, arithmetic, LibraryGeneration::cudnn8);
  };
  const KernelChoice b200 = choose("b200_sxm", KernelClass::gemm, Arithmetic::fp4);
  CHECK(b200.model == "b200");
  CHECK_FALSE(b200.other_arithmetic);
  CHECK(b200.borrowed_sigma == 0);
  // Nobody measured the L4 in 8 bits; the L40S is of its architecture.
  CHECK(choose("l4", KernelClass::gemm, Arithmetic::fp8).model == "l40s");
  // Convolutions in 8 bits were not measured: those in 16 bits stand in, and the interval is wider.
  const KernelChoice narrow = choose("h100_sxm5", KernelClass::conv_forward, Arithmetic::fp8);
  const KernelChoice wide = choose("h100_sxm5", KernelClass::conv_forward, Arithmetic::tensor);
  CHECK(narrow.other_arithmetic);
  CHECK(narrow.model == wide.model);
  CHECK(narrow.log_sigma > wide.log_sigma);
}

TEST_CASE("the power limit bounds large products and leaves small ones alone") {
  const GpuModelLibrary library = GpuModelLibrary::builtin();
  const GpuRates h100 = gpu_rates(gpu_spec(Catalog::builtin(), "h100_sxm5"));
  KernelParameters p =
      library.choose(h100, KernelClass::gemm, Arithmetic::tensor, LibraryGeneration::cudnn8).parameters;
  KernelCall call;
  call.kind = KernelClass::gemm;
  call.arithmetic = Arithmetic::tensor;
  call.peak = h100.fp16_tensor;
  call.element_bytes = 2;
  const auto time = [&](double side) {
    call.matrix = {side, side, side, 1};
    return kernel_time(call, h100, p).total;
  };
  p.traffic_power = 0;
  p[KernelParameter::power_fraction] = 1e6;  // a board that may draw any power
  const double large = time(16384), small = time(512);
  p[KernelParameter::power_fraction] = 0.5;
  // 2 * 16384^3 FLOP at half of 989.4 TFLOP/s take 17.8 ms.
  CHECK(time(16384) == doctest::Approx(2 * std::pow(16384.0, 3) / (0.5 * 989.4e12)).epsilon(0.01));
  CHECK(large < 0.8 * time(16384));
  CHECK(time(512) < 1.001 * small);
}

TEST_CASE("weights that lie in the cache are not read from memory") {
  const GpuCostModel h100 = GpuCostModel::create(gpu_rates(gpu_spec(Catalog::builtin(), "h100_sxm5")));
  KernelCall call;
  call.kind = KernelClass::gemm;
  call.arithmetic = Arithmetic::tensor;
  call.peak = h100.gpu().fp16_tensor;
  call.element_bytes = 2;
  call.matrix = {1, 4096, 4096, 1};
  const double cold = h100.cost(call).memory.base();
  call.cached_bytes = 2.0 * 4096 * 4096;
  // Of 33.6 MB, 16 KB of input and output are left.
  CHECK(h100.cost(call).memory.base() < 0.5 * cold);
}

}  // namespace rackcast
