#include "calibrate/fit/power_limits.hpp"

#include <cmath>

#include "models/gpu/board_power.hpp"

namespace rackcast {
namespace {

/// The GPU that a fit was measured on.
const GpuRates& gpu_of(const KernelData& data, const KernelFit& fit) {
  return data.devices[data.kernels[fit.rows.front()].device].rates;
}

bool is_product_on_matrix_units(const KernelFit& fit) {
  return uses(fit.key.kind, fit.key.arithmetic, KernelParameter::power_fraction);
}

/// Boards of one architecture have matrix units of one kind with other clocks, at most 1.5 times as many in
/// an SM (4 bits on B300 and GB300), or units of another kind with half of the rate and less (GeForce, RTX
/// PRO).
bool alike(const SmLimits& a, const SmLimits& b) {
  constexpr double another_kind = 1.8;
  return std::abs(std::log(a.peak / b.peak)) < std::log(another_kind);
}

/// Geometric means of what lenders' limits would be on the borrower.
struct MeanLimit {
  double log_fraction = 0, log_traffic = 0;  ///< sums
  std::vector<std::string> lenders;

  void add(const KernelParameters& parameters, const std::string& model) {
    log_fraction += std::log(parameters[KernelParameter::power_fraction]);
    log_traffic += std::log(parameters.traffic_power);
    lenders.push_back(model);
  }
  void give(KernelFit& fit) const {
    const auto n = static_cast<double>(lenders.size());
    fit.parameters[KernelParameter::power_fraction] = std::exp(log_fraction / n);
    fit.parameters.traffic_power = std::exp(log_traffic / n);
    fit.power_limit.lenders = lenders;
  }
};

bool is_sibling(const KernelData& data, const KernelFit& lender, const KernelFit& borrower) {
  const GpuRates &from = gpu_of(data, lender), &to = gpu_of(data, borrower);
  const Arithmetic arithmetic = borrower.key.arithmetic;
  return lender.power_limit.rows > 0 && lender.key.arithmetic == arithmetic &&
         lender.key.library == borrower.key.library && from.architecture == to.architecture &&
         alike(sm_limits(from, arithmetic), sm_limits(to, arithmetic));
}

MeanLimit of_siblings(const KernelData& data, const std::vector<KernelFit>& fits, const KernelFit& borrower) {
  MeanLimit mean;
  for (const KernelFit& lender : fits) {
    if (!is_product_on_matrix_units(lender) || !is_sibling(data, lender, borrower)) continue;
    KernelParameters carried = lender.parameters;
    carry_power(carried, sm_limits(gpu_of(data, lender), lender.key.arithmetic),
                sm_limits(gpu_of(data, borrower), borrower.key.arithmetic));
    mean.add(carried, lender.key.model);
  }
  return mean;
}

/// The products in 16 bits of the same GPU and library, where their limit is known.
const KernelFit* in_16_bits(const std::vector<KernelFit>& fits, const KernelFit& narrow) {
  for (const KernelFit& fit : fits)
    if (is_product_on_matrix_units(fit) && fit.key.arithmetic == Arithmetic::tensor &&
        fit.key.model == narrow.key.model && fit.key.library == narrow.key.library && fit.power_limit.known())
      return &fit;
  return nullptr;
}

/// From the limit in 16 bits, with the ratio of the energies of an operation on GPUs measured in both.
MeanLimit of_wider_products(const KernelData& data, const std::vector<KernelFit>& fits,
                            const KernelFit& borrower) {
  MeanLimit mean;
  const KernelFit* own = in_16_bits(fits, borrower);
  if (own == nullptr) return mean;
  const auto rate = [&](const KernelFit& fit) {
    return fit.parameters[KernelParameter::power_fraction] *
           sm_limits(gpu_of(data, fit), fit.key.arithmetic).peak.base();
  };
  for (const KernelFit& lender : fits) {
    if (!is_product_on_matrix_units(lender) || lender.key.arithmetic != borrower.key.arithmetic ||
        lender.key.library != borrower.key.library || lender.power_limit.rows == 0)
      continue;
    const KernelFit* wide = in_16_bits(fits, lender);
    if (wide == nullptr || wide->power_limit.rows == 0) continue;
    KernelParameters carried = own->parameters;
    carried[KernelParameter::power_fraction] =
        rate(*own) * rate(lender) / rate(*wide) /
        sm_limits(gpu_of(data, borrower), borrower.key.arithmetic).peak.base();
    mean.add(carried, lender.key.model);
  }
  return mean;
}

}  // namespace

void lend_power_limits(const KernelData& data, std::vector<KernelFit>& fits) {
  const auto give_where_unknown = [&](auto limit_of) {
    for (KernelFit& fit : fits) {
      if (!is_product_on_matrix_units(fit) || fit.power_limit.known()) continue;
      const MeanLimit mean = limit_of(data, fits, fit);
      if (!mean.lenders.empty()) mean.give(fit);
    }
  };
  give_where_unknown(of_siblings);
  give_where_unknown(of_wider_products);
}

}  // namespace rackcast
