#include "calibrate/fit/fit.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <set>

#include "calibrate/fit/least_squares.hpp"
#include "calibrate/fit/power_limits.hpp"
#include "sim/base/normal.hpp"
#include "sim/base/parallel.hpp"

namespace rackcast {
namespace {

constexpr double floor_expected_us = 30, floor_spread = 0.5;
// A kernel that writes an operand in fewer bits: its start, and the bytes that it moves for an element (it
// reads two and writes one or less, and may pass over them for the largest first).
constexpr double conversion_expected_us = 3, conversion_bytes = 5, conversion_spread = 0.7;

FitKey key_of(const KernelData& data, const MeasuredKernel& k) {
  return {data.devices[k.device].model, k.call.kind, k.call.arithmetic, k.library};
}

/// FNV-1a of the shape: which fold holds it out, on every machine.
std::size_t fold_of(const std::string& shape, int folds) {
  std::uint64_t hash = 1469598103934665603u;
  for (const char c : shape) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  hash ^= hash >> 32;  // the low bits of FNV alone are weak
  return static_cast<std::size_t>(hash % static_cast<std::uint64_t>(folds));
}

/// The unknowns of one fit as logarithms: parameters that the form reads, then one floor for each device and
/// source whose times include the framework's launch path. A framework's paths differ by what is called (a
/// layer with a bias against a plain product), and a difference that no floor takes would bend a parameter.
class Unknowns {
 public:
  Unknowns(const KernelData& data, const FitKey& key, const std::vector<std::size_t>& rows) {
    for (std::size_t i = 0; i < kernel_parameter_count; ++i)
      if (uses(key.kind, key.arithmetic, static_cast<KernelParameter>(i))) used_.push_back(i);
    for (const std::size_t row : rows)
      if (more_than_kernel(data.kernels[row].timing)) floors_.insert({path_of(data.kernels[row]), {}});
    std::size_t next = used_.size();
    for (const std::size_t row : rows)
      if (data.kernels[row].timing == Timing::with_conversion)
        floors_.at(path_of(data.kernels[row])).converts = true;
    for (auto& [path, floor] : floors_) {
      floor.start = next++;
      if (floor.converts) floor.bytes = next++;
    }
    for (const BatchedTile& tile : data.batched_tiles)
      if (FitKey{data.devices[tile.device].model, KernelClass::gemm, tile.arithmetic, tile.library} == key)
        tile_ = tile;
  }
  [[nodiscard]] LeastSquaresProblem problem() const {
    LeastSquaresProblem p;
    for (const std::size_t i : used_) {
      p.start.push_back(std::log(info(static_cast<KernelParameter>(i)).expected));
      p.spread.push_back(info(static_cast<KernelParameter>(i)).log_spread);
    }
    for (const auto& [path, floor] : floors_) {
      p.start.push_back(std::log(floor.converts ? conversion_expected_us : floor_expected_us));
      p.spread.push_back(floor_spread);
      if (!floor.converts) continue;
      p.start.push_back(std::log(conversion_bytes));
      p.spread.push_back(conversion_spread);
    }
    return p;
  }
  [[nodiscard]] KernelParameters parameters(const std::vector<double>& x) const {
    KernelParameters out = expected_parameters();
    for (std::size_t i = 0; i < used_.size(); ++i) out.values[used_[i]] = std::exp(x[i]);
    out.batched_rows = tile_.rows;
    out.batched_columns = tile_.columns;
    return out;
  }
  [[nodiscard]] KernelParameters spread(const std::vector<double>& sigma) const {
    KernelParameters out;
    for (std::size_t i = 0; i < used_.size(); ++i) out.values[used_[i]] = sigma[i];
    return out;
  }
  /// Seconds by which times that were taken as this one exceed the kernel's.
  [[nodiscard]] double floor(const std::vector<double>& x, const MeasuredKernel& k) const {
    const auto at = floors_.find(path_of(k));
    return at == floors_.end() ? 0 : std::exp(x[at->second.start]) * 1e-6;
  }
  /// Seconds of the memory's pins for what is converted before the product.
  [[nodiscard]] double conversion(const std::vector<double>& x, const MeasuredKernel& k,
                                  const GpuRates& gpu) const {
    const auto at = floors_.find(path_of(k));
    if (at == floors_.end() || !at->second.converts) return 0;
    return std::exp(x[at->second.bytes]) * k.call.matrix.m * k.call.matrix.k / gpu.memory.base();
  }

 private:
  using Path = std::pair<std::size_t, std::string>;  ///< device, source
  static Path path_of(const MeasuredKernel& k) { return {k.device, k.source}; }

  std::vector<std::size_t> used_;
  struct Floor {
    std::size_t start = 0, bytes = 0;  ///< indices of the unknowns; `bytes` of conversions alone
    bool converts = false;
  };
  std::map<Path, Floor> floors_;
  BatchedTile tile_;  ///< stated, no unknown
};

double predict(const KernelData& data, const MeasuredKernel& k, const Unknowns& unknowns,
               const KernelParameters& parameters, const std::vector<double>& x) {
  const GpuRates& gpu = data.devices[k.device].rates;
  const double rest = more_than_kernel(k.timing) ? unknowns.floor(x, k) + unknowns.conversion(x, k, gpu) : 0;
  return rest + kernel_time(k.call, gpu, parameters).total;
}

LeastSquaresSolution solve(const KernelData& data, const Unknowns& unknowns,
                           const std::vector<std::size_t>& rows) {
  LeastSquaresProblem problem = unknowns.problem();
  problem.residual_count = rows.size();
  problem.evaluate = [&](const std::vector<double>& x, std::vector<double>& out) {
    const KernelParameters parameters = unknowns.parameters(x);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const MeasuredKernel& k = data.kernels[rows[i]];
      out[i] = std::log(k.seconds / predict(data, k, unknowns, parameters, x));
    }
  };
  return minimise(problem);
}

std::vector<std::size_t> rows_of(const KernelData& data, const FitKey& key) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < data.kernels.size(); ++i)
    if (key_of(data, data.kernels[i]) == key) rows.push_back(i);
  return rows;
}

/// Joules that a byte takes from the memory to the units: an HBM2 stack and its interface 31 pJ (M. O'Connor
/// et al., "Fine-Grained DRAM", MICRO 2017), and the way over the chip about as much; both from memory,
/// unverified. In 8 and 4 bits the bytes of the conversion add to it.
constexpr double energy_per_byte = 60e-12, energy_spread = 0.3;

/// Power limit and energy of the traffic from products that drew the limit. A burst is over before the board
/// regulates its power, so a fit of bursts says little of either; all else stays as they say.
void fit_power_limit(const KernelData& data, const Unknowns& unknowns, const LeastSquaresSolution& bursts,
                     std::size_t least_rows, KernelFit& fit) {
  std::vector<const MeasuredKernel*> rows;
  for (const MeasuredKernel& k : data.sustained)
    if (key_of(data, k) == fit.key) rows.push_back(&k);
  if (rows.size() < least_rows) return;
  const auto ratios = [&](const KernelParameters& parameters) {
    std::vector<double> out;
    for (const MeasuredKernel* k : rows)
      out.push_back(std::log(k->seconds / predict(data, *k, unknowns, parameters, bursts.x)));
    return out;
  };
  const auto limited = [&](const std::vector<double>& x) {
    KernelParameters out = fit.parameters;
    out[KernelParameter::power_fraction] = std::exp(x[0]);
    out.traffic_power = std::exp(x[1]);
    return out;
  };
  const GpuRates& gpu = data.devices[rows.front()->device].rates;
  const double traffic_expected = energy_per_byte * gpu.memory.base() / gpu.tdp.base();
  LeastSquaresProblem problem;
  problem.residual_count = rows.size();
  problem.start = {std::log(info(KernelParameter::power_fraction).expected), std::log(traffic_expected)};
  problem.spread = {info(KernelParameter::power_fraction).log_spread, energy_spread};
  problem.evaluate = [&](const std::vector<double>& x, std::vector<double>& out) {
    out = ratios(limited(x));
  };
  const LeastSquaresSolution solution = minimise(problem);
  fit.power_limit = {rows.size(), summarise(ratios(fit.parameters)), {}, {}};
  fit.parameters = limited(solution.x);
  fit.relative_sigma[KernelParameter::power_fraction] = solution.sigma[0];
  fit.power_limit.fitted = summarise(ratios(fit.parameters));
}

void cross_validate(const KernelData& data, const Unknowns& unknowns, const FitOptions& options,
                    KernelFit& fit) {
  fit.held_out.assign(fit.rows.size(), 0);
  std::vector<double> ratios(fit.rows.size());
  for (int fold = 0; fold < options.folds; ++fold) {
    std::vector<std::size_t> train;
    for (const std::size_t row : fit.rows)
      if (fold_of(data.kernels[row].shape, options.folds) != static_cast<std::size_t>(fold))
        train.push_back(row);
    const LeastSquaresSolution solution = solve(data, unknowns, train);
    const KernelParameters parameters = unknowns.parameters(solution.x);
    for (std::size_t i = 0; i < fit.rows.size(); ++i) {
      const MeasuredKernel& k = data.kernels[fit.rows[i]];
      if (fold_of(k.shape, options.folds) != static_cast<std::size_t>(fold)) continue;
      fit.held_out[i] = predict(data, k, unknowns, parameters, solution.x);
      ratios[i] = std::log(k.seconds / fit.held_out[i]);
    }
  }
  fit.residuals = summarise(ratios);
}

}  // namespace

Residuals summarise(std::vector<double> log_ratios) {
  assert(!log_ratios.empty());
  std::sort(log_ratios.begin(), log_ratios.end());
  const auto quantile = [&](const std::vector<double>& sorted, double level) {
    const double at = level * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    const std::size_t high = std::min(low + 1, sorted.size() - 1);
    return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
  };
  Residuals out;
  for (const double level : residual_levels) out.quantiles.push_back(quantile(log_ratios, level));
  // Tails of single shapes on which a library chose badly count up to twice the spread of the middle half.
  out.log_sigma = std::min((out.quantiles[4] - out.quantiles[0]) / (2 * half_of_90_percent),
                           2 * (out.quantiles[3] - out.quantiles[1]) / (2 * 0.6745));
  for (double& r : log_ratios) r = std::abs(std::exp(r) - 1);
  std::sort(log_ratios.begin(), log_ratios.end());
  out.median_abs = quantile(log_ratios, 0.5);
  out.p90_abs = quantile(log_ratios, 0.9);
  return out;
}

KernelFit fit_kernels(const KernelData& data, const FitKey& key, const FitOptions& options) {
  KernelFit fit;
  fit.key = key;
  fit.rows = rows_of(data, key);
  assert(fit.rows.size() >= options.least_rows);
  std::map<std::size_t, std::map<std::string, std::size_t>> devices;  // by source: a row with a launch path
  std::vector<double> roofline;
  for (const std::size_t row : fit.rows) {
    const MeasuredKernel& k = data.kernels[row];
    auto& paths = devices[k.device];
    if (more_than_kernel(k.timing)) paths.emplace(k.source, row);
    roofline.push_back(std::log(k.seconds / roofline_seconds(k.call, data.devices[k.device].rates)));
  }
  fit.roofline = summarise(roofline);
  const Unknowns unknowns{data, key, fit.rows};
  const LeastSquaresSolution solution = solve(data, unknowns, fit.rows);
  fit.parameters = unknowns.parameters(solution.x);
  fit.burst_parameters = fit.parameters;
  fit.relative_sigma = unknowns.spread(solution.sigma);
  fit_power_limit(data, unknowns, solution, options.least_rows, fit);
  for (const auto& [device, paths] : devices) {
    fit.devices.push_back(data.devices[device].name);
    for (const auto& [source, row] : paths)
      fit.floor_us.push_back(unknowns.floor(solution.x, data.kernels[row]) * 1e6);
    if (paths.empty()) fit.floor_us.push_back(0);
  }
  cross_validate(data, unknowns, options, fit);
  return fit;
}

std::vector<FitKey> fit_keys(const KernelData& data, const FitOptions& options) {
  std::map<FitKey, std::size_t> counts;
  for (const MeasuredKernel& k : data.kernels) ++counts[key_of(data, k)];
  std::vector<FitKey> keys;
  for (const auto& [key, count] : counts)
    if (count >= options.least_rows) keys.push_back(key);
  return keys;
}

std::vector<KernelFit> fit_all(const KernelData& data, const FitOptions& options) {
  const std::vector<FitKey> keys = fit_keys(data, options);
  std::vector<KernelFit> fits(keys.size());
  in_parallel(keys.size(), 0,
              [&](std::size_t i, std::size_t) { fits[i] = fit_kernels(data, keys[i], options); });
  lend_power_limits(data, fits);
  return fits;
}

}  // namespace rackcast
