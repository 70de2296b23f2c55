#include "calibrate/fit/network_sums.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "calibrate/tables/csv_table.hpp"

namespace rackcast {
namespace {

/// Layers of one network at one batch: shape key as in MeasuredKernel, first layer or not, and how often it
/// runs.
struct Layer {
  std::string shape;
  bool first = false;
  double count = 1;
};
using Networks = std::map<std::pair<std::string, int>, std::vector<Layer>>;

Networks read_networks(const std::vector<DataFile>& files) {
  Networks out;
  for (const DataFile& file : files) {
    if (!file.name.ends_with("/networks.csv")) continue;
    const CsvTable t{file, {"network", "n", "c", "h", "w", "k", "r", "s", "stride_h", "stride_w", "count"}};
    for (std::size_t i = 0; i < t.size(); ++i) {
      Layer layer;
      for (const std::string_view column : {"n", "c", "h", "w", "k", "r", "s", "stride_h", "stride_w"})
        layer.shape += std::to_string(static_cast<long long>(t.number(i, column, 1))) + "/";
      layer.first = t.number(i, "c", 1) < 8;
      layer.count = t.number(i, "count", 1);
      const int batch = static_cast<int>(t.number(i, "n", 1));
      out[{std::string{t.text(i, "network")}, batch}].push_back(std::move(layer));
    }
  }
  return out;
}

/// Adds one pass to `sum` if every layer was measured; a first layer has no data gradient.
void add_pass(const KernelData& data, const KernelFit& fit, const std::vector<Layer>& layers,
              NetworkSum& sum) {
  std::map<std::string_view, std::pair<double, double>> by_shape;
  for (std::size_t i = 0; i < fit.rows.size(); ++i) {
    const MeasuredKernel& k = data.kernels[fit.rows[i]];
    by_shape[k.shape] = {k.seconds, fit.held_out[i]};
  }
  double measured = 0, predicted = 0;
  for (const Layer& layer : layers) {
    const auto at = by_shape.find(layer.shape);
    if (at == by_shape.end()) {
      if (layer.first && fit.key.kind == KernelClass::conv_data_gradient) continue;
      return;
    }
    measured += layer.count * at->second.first;
    predicted += layer.count * at->second.second;
  }
  sum.measured += measured;
  sum.predicted += predicted;
}

}  // namespace

std::vector<NetworkSum> network_sums(const std::vector<DataFile>& files, const KernelData& data,
                                     const std::vector<KernelFit>& fits) {
  using Group = std::tuple<std::string, Arithmetic, LibraryGeneration>;
  std::map<Group, std::vector<const KernelFit*>> groups;
  for (const KernelFit& fit : fits)
    if (is_convolution(fit.key.kind) && fit.key.arithmetic != Arithmetic::int8)  // inference only
      groups[{fit.key.model, fit.key.arithmetic, fit.key.library}].push_back(&fit);
  std::vector<NetworkSum> sums;
  for (const auto& [group, passes] : groups) {
    for (const auto& [network, layers] : read_networks(files)) {
      NetworkSum sum;
      std::tie(sum.model, sum.arithmetic, sum.library) = group;
      std::tie(sum.network, sum.batch) = network;
      for (const KernelFit* fit : passes) add_pass(data, *fit, layers, sum);
      if (sum.measured > 0) sums.push_back(std::move(sum));
    }
  }
  return sums;
}

double network_log_sigma(const std::vector<NetworkSum>& sums) {
  std::vector<double> errors;
  for (const NetworkSum& s : sums) errors.push_back(std::abs(std::log(s.measured / s.predicted)));
  if (errors.empty()) return 0;
  std::sort(errors.begin(), errors.end());
  return errors[errors.size() / 2] / 0.6745;
}

}  // namespace rackcast
