// Which GPUs lend their convolutions on matrix units, from what was measured on the lender and on the
// borrower.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "calibrate/tables/data_files.hpp"
#include "calibrate/tables/kernel_data.hpp"
#include "models/gpu/model_library.hpp"
#include "models/gpu/product_scaling.hpp"

namespace rackcast {
namespace {

constexpr std::array passes{KernelClass::conv_forward, KernelClass::conv_data_gradient,
                            KernelClass::conv_weight_gradient};

const FittedKernel& fit_of(const GpuModelLibrary& library, const std::string& model, KernelClass kind) {
  const auto& all = library.kernels();
  const auto at = std::ranges::find_if(all, [&](const FittedKernel& k) {
    return k.model == model && k.kind == kind && k.arithmetic == Arithmetic::tensor;
  });
  REQUIRE(at != all.end());
  return *at;
}

/// Median of ln(predicted / measured) over the borrower's convolutions of one pass, in proportion to both
/// GPUs' products.
double median_error(const KernelData& data, const GpuModelLibrary& library, const std::string& lender,
                    const std::string& borrower, KernelClass kind) {
  KernelParameters lent = fit_of(library, lender, kind).parameters;
  scale_by_products(lent, fit_of(library, borrower, KernelClass::gemm).parameters,
                    fit_of(library, lender, KernelClass::gemm).parameters);
  std::vector<double> errors;
  for (const MeasuredKernel& k : data.kernels) {
    const MeasuredDevice& device = data.devices[k.device];
    if (device.model != borrower || k.call.kind != kind || k.call.arithmetic != Arithmetic::tensor) continue;
    errors.push_back(std::log(kernel_time(k.call, device.rates, lent).total / k.seconds));
  }
  REQUIRE(errors.size() > 50);
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::ranges::nth_element(errors, middle);
  return *middle;
}

}  // namespace

TEST_CASE("an H200's convolutions would be too fast on a V100 and on a T4, a V100's too slow on an H200") {
  const KernelData data = load_kernel_data(shipped_data_files());
  const GpuModelLibrary library = GpuModelLibrary::builtin();
  for (const KernelClass pass : passes) {
    CAPTURE(to_string(pass));
    CHECK(median_error(data, library, "h200", "v100", pass) < -0.1);
    CHECK(median_error(data, library, "h200", "t4", pass) < -0.2);
    CHECK(median_error(data, library, "v100", "h200", pass) > 0.1);
    // Two architectures with the same kind of instructions are nearer to each other.
    CHECK(std::abs(median_error(data, library, "v100", "t4", pass)) <
          std::abs(median_error(data, library, "h200", "t4", pass)));
  }
}

}  // namespace rackcast
