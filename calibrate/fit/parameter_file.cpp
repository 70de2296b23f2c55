#include "calibrate/fit/parameter_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "models/gpu/model_library.hpp"

namespace rackcast {
namespace {

std::string number(double value) {
  return fmt::format("{:.5g}", value);
}

std::string parameters_text(const KernelFit& fit, const KernelParameters& values, bool units) {
  std::string out;
  for (std::size_t i = 0; i < kernel_parameter_count; ++i) {
    const auto p = static_cast<KernelParameter>(i);
    if (!uses(fit.key.kind, fit.key.arithmetic, p)) continue;
    const bool quantity = units && info(p).microseconds;
    out += fmt::format("{}\"{}\": {}", out.empty() ? "" : ", ", info(p).name,
                       quantity ? "\"" + number(values.values[i]) + " us\"" : number(values.values[i]));
  }
  return "{" + out + "}";
}

/// Pin bandwidth behind one SM, mean over the measurements: what the fitted share of the cache relates to.
double memory_per_sm(const KernelData& data, const KernelFit& fit) {
  double sum = 0;
  for (const std::size_t row : fit.rows) {
    const GpuRates& gpu = data.devices[data.kernels[row].device].rates;
    sum += gpu.memory.base() / gpu.sm_count;
  }
  return sum / static_cast<double>(fit.rows.size());
}

/// Kernels on matrix units: what an SM does at its peak, and its share of the power limit. They say how a
/// board with other limits runs (models/gpu/board_power.hpp). Nothing where the catalogue does not say. Of
/// convolutions in fp32, what an SM does at its peak says how many lanes it has.
std::string limits_of_sm(const KernelData& data, const KernelFit& fit) {
  const GpuRates& gpu = data.devices[data.kernels[fit.rows.front()].device].rates;
  const FlopRate peak = matrix_peak(gpu, fit.key.arithmetic);
  if (is_convolution(fit.key.kind) && fit.key.arithmetic == Arithmetic::fp32)
    return fmt::format("      \"peak_per_sm\": \"{} TFLOP/s\",\n",
                       number(gpu.fp32.base() / 1e12 / gpu.sm_count));
  if (!(gpu.tdp > Power{0}) || !(peak > FlopRate{0})) return {};
  return fmt::format("      \"peak_per_sm\": \"{} TFLOP/s\", \"power_per_sm\": \"{} W\",\n",
                     number(peak.base() / 1e12 / gpu.sm_count), number(gpu.tdp.base() / gpu.sm_count));
}

/// What traffic draws, and where it and the power fraction come from.
std::string power_limit_text(const KernelFit& fit) {
  const KernelFit::PowerLimit& limit = fit.power_limit;
  std::string from = fmt::format("\"rows\": {}, \"fitted_median_abs_error\": {}", limit.rows,
                                 number(limit.fitted.median_abs));
  if (limit.rows == 0) {
    from.clear();
    for (const std::string& model : limit.lenders)
      from += fmt::format("{}\"{}\"", from.empty() ? "" : ", ", model);
    from = "\"lent_by\": [" + from + "]";
  }
  return fmt::format("      \"power_limit\": {{\"traffic\": {}, {}}},\n",
                     number(fit.parameters.traffic_power), from);
}

std::string kernel_text(const KernelData& data, const KernelFit& fit) {
  std::string devices, floors, quantiles;
  for (const std::string& device : fit.devices)
    devices += fmt::format("{}\"{}\"", devices.empty() ? "" : ", ", device);
  for (const double floor : fit.floor_us)
    floors += fmt::format("{}\"{} us\"", floors.empty() ? "" : ", ", number(floor));
  std::string stated = limits_of_sm(data, fit);
  if (fit.parameters.batched_rows > 0)
    stated += fmt::format("      \"batched_tile\": [{:.0f}, {:.0f}],\n", fit.parameters.batched_rows,
                          fit.parameters.batched_columns);
  if (fit.power_limit.known()) stated += power_limit_text(fit);
  const bool only_3x3 = is_convolution(fit.key.kind) && std::ranges::all_of(fit.rows, [&](std::size_t row) {
                          return is_3x3(data.kernels[row].call.conv);
                        });
  if (only_3x3) stated += "      \"only_3x3\": true,\n";
  for (const double q : fit.residuals.quantiles)
    quantiles += fmt::format("{}{}", quantiles.empty() ? "" : ", ", number(q));
  return fmt::format(
      "    {{\n      \"class\": \"{}\", \"arithmetic\": \"{}\", \"library\": \"{}\",\n"
      "      \"devices\": [{}], \"rows\": {}, \"memory_per_sm\": \"{} GB/s\", \"launch_path\": [{}],\n{}"
      "      \"parameters\": {},\n      \"relative_sigma\": {},\n"
      "      \"held_out\": {{\"median_abs_error\": {}, \"log_sigma\": {}, \"quantiles\": [{}]}},\n"
      "      \"roofline_median_abs_error\": {}\n    }}",
      to_string(fit.key.kind), to_string(fit.key.arithmetic), to_string(fit.key.library), devices,
      fit.rows.size(), number(memory_per_sm(data, fit) / 1e9), floors, stated,
      parameters_text(fit, fit.parameters, true), parameters_text(fit, fit.relative_sigma, false),
      number(fit.residuals.median_abs), number(fit.residuals.log_sigma), quantiles,
      number(fit.roofline.median_abs));
}

}  // namespace

std::string kernels_text(const KernelData& data, const std::vector<const KernelFit*>& fits) {
  std::string kernels;
  for (const KernelFit* fit : fits) kernels += (kernels.empty() ? "" : ",\n") + kernel_text(data, *fit);
  return kernels;
}

std::string parameter_file_text(const KernelData& data, const std::vector<const KernelFit*>& fits) {
  const std::size_t device = data.kernels[fits.front()->rows.front()].device;
  return fmt::format(
      "{{\n  \"model\": \"{}\",\n  \"architecture\": \"{}\",\n"
      "  \"power_limited\": {},\n  \"source\": \"rackcast calibrate fit on calibrate/data (DeepBench, "
      "NeuSight, Vidur, "
      "AIConfigurator, gpu-benches, attention benchmarks)\",\n"
      "  \"kernels\": [\n{}\n  ]\n}}\n",
      fits.front()->key.model, data.devices[device].rates.architecture, data.devices[device].power_limited,
      kernels_text(data, fits));
}

std::vector<std::pair<std::string, std::string>> parameter_files(const KernelData& data,
                                                                 const std::vector<KernelFit>& fits,
                                                                 const std::vector<NetworkSum>& sums) {
  std::map<std::string, std::vector<const KernelFit*>> by_model;
  for (const KernelFit& fit : fits) by_model[fit.key.model].push_back(&fit);
  std::map<std::string, std::string> out;
  for (const auto& [model, list] : by_model) out[model + ".json"] = parameter_file_text(data, list);
  if (!sums.empty())
    out["networks.json"] = fmt::format(
        "{{\n  \"source\": \"rackcast calibrate fit: {} sums over the convolutions of networks in "
        "DeepBench\",\n"
        "  \"network_log_sigma\": {}\n}}\n",
        sums.size(), number(network_log_sigma(sums)));
  return {out.begin(), out.end()};
}

}  // namespace rackcast
