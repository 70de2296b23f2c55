#include "calibrate/fit/borrowing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "calibrate/fit/parameter_file.hpp"
#include "models/gpu/model_library.hpp"
#include "models/gpu/product_scaling.hpp"

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
    if (more_than_kernel(k.timing)) continue;
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

/// A library of `files` (names and texts of parameter files) without those of `absent`.
GpuModelLibrary library_without(const std::vector<std::pair<std::string, std::string>>& files,
                                const std::set<std::string>& absent) {
  std::vector<std::string> names;
  for (const auto& [name, text] : files) names.push_back("gpu_models/" + name);
  std::vector<EmbeddedFile> kept;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (!absent.contains(files[i].first)) kept.push_back(EmbeddedFile{names[i], files[i].second});
  return GpuModelLibrary{kept};
}

/// One GPU predicted with lent parameters: its sums, and how far the lenders are.
struct Lent {
  std::vector<NetworkSum> sums;
  int architecture_steps = 0;
  double sigma = 0;  ///< largest of the classes
};

/// `own`: the convolutions of one GPU, in one arithmetic and library.
Lent lend(const std::vector<DataFile>& files, const KernelData& data, std::vector<KernelFit> own,
          const GpuModelLibrary& library, const std::map<std::string, std::string>& architectures) {
  Lent out;
  const GpuRates& rates = device_of(data, own.front()).rates;
  for (KernelFit& fit : own) {
    const auto& sets = library.kernels();
    const bool somebody = std::any_of(sets.begin(), sets.end(), [&](const FittedKernel& k) {
      return k.kind == fit.key.kind && k.arithmetic == fit.key.arithmetic && k.library == fit.key.library;
    });
    if (!somebody) return {};
    const KernelChoice choice = library.choose(rates, fit.key.kind, fit.key.arithmetic, fit.key.library);
    if (choice.other_arithmetic || choice.library != fit.key.library) return {};
    out.architecture_steps = std::max(
        out.architecture_steps, architecture_distance(rates.architecture, architectures.at(choice.model)));
    out.sigma = std::max(out.sigma, choice.borrowed_sigma);
    for (std::size_t i = 0; i < fit.rows.size(); ++i) {
      const MeasuredKernel& k = data.kernels[fit.rows[i]];
      fit.held_out[i] = kernel_time(k.call, data.devices[k.device].rates, choice.parameters).total;
    }
  }
  out.sums = network_sums(files, data, own);
  return out;
}

/// Of ln(measured/predicted), added up.
double squares(const std::vector<NetworkSum>& sums) {
  double out = 0;
  for (const NetworkSum& sum : sums) out += std::pow(std::log(sum.measured / sum.predicted), 2);
  return out;
}

}  // namespace

std::vector<BorrowedSums> borrowed_sums(const std::vector<DataFile>& files, const KernelData& data,
                                        const std::vector<KernelFit>& fits) {
  const auto parameters = parameter_files(data, fits, {});
  std::map<std::string, std::string> architectures;              // by model
  std::map<std::string, std::set<std::string>> of_architecture;  // parameter files
  using Group = std::tuple<std::string, Arithmetic, LibraryGeneration>;
  std::map<Group, std::vector<KernelFit>> groups;
  for (const KernelFit& fit : fits) {
    const MeasuredDevice& device = device_of(data, fit);
    architectures[fit.key.model] = device.rates.architecture;
    of_architecture[device.rates.architecture].insert(fit.key.model + ".json");
    if (is_convolution(fit.key.kind) && fit.key.arithmetic != Arithmetic::int8 && !device.power_limited)
      groups[{fit.key.model, fit.key.arithmetic, fit.key.library}].push_back(fit);
  }
  std::map<int, BorrowedSums> by_steps;
  for (const auto& [group, own] : groups) {
    const std::string& model = std::get<0>(group);
    const double own_squares = squares(network_sums(files, data, own));
    std::set<int> seen;
    for (const auto& absent : {std::set{model + ".json"}, of_architecture.at(architectures.at(model))}) {
      const Lent lent = lend(files, data, own, library_without(parameters, absent), architectures);
      if (lent.sums.empty() || !seen.insert(lent.architecture_steps).second) continue;
      BorrowedSums& out = by_steps[lent.architecture_steps];
      const int count = static_cast<int>(lent.sums.size());
      out.architecture_steps = lent.architecture_steps;
      ++out.gpus;
      out.sums += count;
      out.log_rms += squares(lent.sums);
      out.own_log_rms += own_squares;
      out.borrowed_sigma += count * lent.sigma * lent.sigma;
    }
  }
  std::vector<BorrowedSums> out;
  for (auto& [steps, sums] : by_steps) {
    for (double* total : {&sums.log_rms, &sums.own_log_rms, &sums.borrowed_sigma})
      *total = std::sqrt(*total / sums.sums);
    out.push_back(sums);
  }
  return out;
}

std::vector<BorrowedConvolutions> borrowed_convolutions(const KernelData& data,
                                                        const std::vector<KernelFit>& fits) {
  std::map<std::tuple<Arithmetic, LibraryGeneration, bool>, BorrowedConvolutions> groups;
  for (const KernelFit& borrower : fits) {
    for (const KernelFit& lender : fits) {
      if (!lends_convolutions(data, lender, borrower)) continue;
      const KernelFit* own = products_of(borrower, fits);
      const KernelFit* lent = products_of(lender, fits);
      std::vector<double> plain = log_ratios(data, borrower, lender.burst_parameters);
      if (!own || !lent || plain.empty()) continue;
      KernelParameters scaled = lender.burst_parameters;
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
      std::vector<double> ratios = log_ratios(data, borrower, lender.burst_parameters);
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
