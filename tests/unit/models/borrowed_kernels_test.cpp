// Kernels of a GPU that nobody measured: which sibling lends, and what its power limit changes.
#include <doctest/doctest.h>

#include <cmath>

#include "models/gpu/model_library.hpp"
#include "models/gpu/rates_of.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/gpu_spec.hpp"

using namespace rackcast;

TEST_CASE("a board with fewer watts for an SM runs its products at a lower clock") {
  const GpuModelLibrary library = GpuModelLibrary::builtin();
  const auto sustained = [&](const GpuRates& gpu) {  // of an SM, at the power limit
    const KernelChoice choice =
        library.choose(gpu, KernelClass::gemm, Arithmetic::tensor, LibraryGeneration::cudnn8);
    return choice.parameters[KernelParameter::power_fraction] * gpu.fp16_tensor.base() / gpu.sm_count;
  };
  const auto rates = [](const char* gpu) {
    return gpu_rates(gpu_spec(Catalog::builtin(), gpu));
  };
  // 400 and 350 W instead of 700 W, on 132 and 114 SMs instead of 132: the square root of the watts of an SM.
  const double sxm = sustained(rates("h100_sxm5"));
  CHECK(sustained(rates("h100_nvl")) == doctest::Approx(sxm * std::sqrt(400.0 / 700)).epsilon(1e-3));
  CHECK(sustained(rates("h100_pcie")) ==
        doctest::Approx(sxm * std::sqrt(350.0 / 114 * 132 / 700)).epsilon(1e-3));
  GpuRates unknown = rates("h100_nvl");
  unknown.tdp = Power{0};  // then the share of the peak is the lender's
  CHECK(sustained(unknown) / unknown.fp16_tensor.base() * unknown.sm_count ==
        doctest::Approx(sxm / rates("h100_sxm5").fp16_tensor.base() * 132).epsilon(1e-3));
}

TEST_CASE("among siblings that lends whose matrix units are most alike") {
  const GpuModelLibrary library = GpuModelLibrary::builtin();
  const auto lender = [&](const char* gpu, KernelClass kind) {
    return library
        .choose(gpu_rates(gpu_spec(Catalog::builtin(), gpu)), kind, Arithmetic::tensor,
                LibraryGeneration::cudnn8)
        .model;
  };
  CHECK(lender("rtx_3090", KernelClass::gemm) == "a40");
  CHECK(lender("rtx_3090", KernelClass::flash2_forward) == "a5000");
  CHECK(lender("a10", KernelClass::gemm) == "a40");
  CHECK(lender("a100_pcie_40gb", KernelClass::gemm) == "a100");
}
