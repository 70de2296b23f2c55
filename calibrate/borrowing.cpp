#include "calibrate/borrowing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>

#include "models/gpu_model_library.hpp"

namespace rackcast {
namespace {

const MeasuredDevice& device_of(const KernelData& data, const KernelFit& fit) {
  return data.devices[data.kernels[fit.rows.front()].device];
}

/// ln(measured/predicted) of the borrower's kernels with the lender's parameters, its own rates kept.
std::vector<double> log_ratios(const KernelData& data, const KernelFit& borrower, const KernelFit& lender) {
  std::vector<double> out;
  for (const std::size_t row : borrower.rows) {
    const MeasuredKernel& k = data.kernels[row];
    if (k.timing == Timing::events_around_call) continue;
    out.push_back(
        std::log(k.seconds / kernel_time(k.call, data.devices[k.device].rates, lender.parameters).total));
  }
  return out;
}

}  // namespace

std::vector<BorrowedError> borrowed_errors(const KernelData& data, const std::vector<KernelFit>& fits) {
  std::map<std::pair<int, int>, std::vector<Residuals>> by_distance;
  for (const KernelFit& borrower : fits) {
    for (const KernelFit& lender : fits) {
      if (borrower.key.kind != lender.key.kind || borrower.key.arithmetic != lender.key.arithmetic) continue;
      if (borrower.key.model == lender.key.model || is_bandwidth_bound(lender.key.kind)) continue;
      if (device_of(data, lender).power_limited || device_of(data, borrower).power_limited) continue;
      std::vector<double> ratios = log_ratios(data, borrower, lender);
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
