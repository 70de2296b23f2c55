#include "calibrate/borrowing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <tuple>
#include <utility>

#include "models/gpu_model_library.hpp"
#include "models/product_scaling.hpp"

namespace rackcast {
namespace {

const MeasuredDevice& device_of(const KernelData& data, const KernelFit& fit) {
  return data.devices[data.kernels[fit.rows.front()].device];
}

/// ln(measured/predicted) of the borrower's kernels with the lender's parameters, its own rates kept.
std::vector<double> log_ratios(const KernelData& data, const KernelFit& borrower,
                               const KernelParameters& lent) {
  std::vector<double> out;
  for (const std::size_t row : borrower.rows) {
    const MeasuredKernel& k = data.kernels[row];
    if (k.timing == Timing::events_around_call) continue;
    out.push_back(std::log(k.seconds / kernel_time(k.call, data.devices[k.device].rates, lent).total));
  }
  return out;
}

/// Fitted products of the same GPU, arithmetic and library; nullptr if there are none.
const KernelFit* products_of(const KernelFit& fit, const std::vector<KernelFit>& fits) {
  for (const KernelFit& f : fits)
    if (f.key.kind == KernelClass::gemm && f.key.model == fit.key.model &&
        f.key.arithmetic == fit.key.arithmetic && f.key.library == fit.key.library)
      return &f;
  return nullptr;
}

/// Same class, arithmetic and library on another architecture that is not held back by its power limit.
bool lends_convolutions(const KernelData& data, const KernelFit& lender, const KernelFit& borrower) {
  const MeasuredDevice& from = device_of(data, lender);
  return is_convolution(borrower.key.kind) && borrower.key.kind == lender.key.kind &&
         borrower.key.arithmetic == lender.key.arithmetic && borrower.key.library == lender.key.library &&
         !from.power_limited && from.rates.architecture != device_of(data, borrower).rates.architecture;
}

}  // namespace

std::vector<BorrowedConvolutions> borrowed_convolutions(const KernelData& data,
                                                        const std::vector<KernelFit>& fits) {
  std::map<std::tuple<Arithmetic, LibraryGeneration, bool>, BorrowedConvolutions> groups;
  for (const KernelFit& borrower : fits) {
    for (const KernelFit& lender : fits) {
      if (!lends_convolutions(data, lender, borrower)) continue;
      const KernelFit* own = products_of(borrower, fits);
      const KernelFit* lent = products_of(lender, fits);
      std::vector<double> plain = log_ratios(data, borrower, lender.parameters);
      if (!own || !lent || plain.empty()) continue;
      KernelParameters scaled = lender.parameters;
      scale_by_products(scaled, own->parameters, lent->parameters);
      const bool limited = device_of(data, borrower).power_limited;
      BorrowedConvolutions& group = groups[{borrower.key.arithmetic, borrower.key.library, limited}];
      group.arithmetic = borrower.key.arithmetic;
      group.library = borrower.key.library;
      group.power_limited = limited;
      ++group.pairs;
      group.as_they_are += summarise(std::move(plain)).median_abs;
      group.with_products += summarise(log_ratios(data, borrower, scaled)).median_abs;
    }
  }
  std::vector<BorrowedConvolutions> out;
  for (auto& [key, group] : groups) {
    group.as_they_are /= group.pairs;
    group.with_products /= group.pairs;
    out.push_back(group);
  }
  return out;
}

std::vector<BorrowedError> borrowed_errors(const KernelData& data, const std::vector<KernelFit>& fits) {
  std::map<std::pair<int, int>, std::vector<Residuals>> by_distance;
  for (const KernelFit& borrower : fits) {
    for (const KernelFit& lender : fits) {
      if (borrower.key.kind != lender.key.kind || borrower.key.arithmetic != lender.key.arithmetic) continue;
      if (borrower.key.model == lender.key.model || is_bandwidth_bound(lender.key.kind)) continue;
      if (device_of(data, lender).power_limited || device_of(data, borrower).power_limited) continue;
      std::vector<double> ratios = log_ratios(data, borrower, lender.parameters);
      if (ratios.empty()) continue;
      const int architectures = architecture_distance(device_of(data, borrower).rates.architecture,
                                                      device_of(data, lender).rates.architecture);
      const int libraries =
          std::abs(static_cast<int>(borrower.key.library) - static_cast<int>(lender.key.library));
      by_distance[{architectures, libraries}].push_back(summarise(std::move(ratios)));
    }
  }
  std::vector<BorrowedError> out;
  for (const auto& [distance, residuals] : by_distance) {
    BorrowedError e{distance.first, distance.second, static_cast<int>(residuals.size()), 0, 0};
    std::vector<double> medians;
    for (const Residuals& r : residuals) {
      e.shift += r.quantiles[2] * r.quantiles[2] / static_cast<double>(residuals.size());
      medians.push_back(r.median_abs);
    }
    e.shift = std::sqrt(e.shift);
    std::sort(medians.begin(), medians.end());
    e.median_abs = medians[medians.size() / 2];
    out.push_back(e);
  }
  return out;
}

}  // namespace rackcast
