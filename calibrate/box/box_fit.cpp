#include "calibrate/box/box_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "calibrate/fit/parameter_file.hpp"
#include "calibrate/import/gpu_names.hpp"
#include "calibrate/import/import_source.hpp"
#include "calibrate/tables/data_files.hpp"
#include "models/gpu/model_library.hpp"
#include "models/gpu/rates_of.hpp"
#include "sim/base/error.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {
namespace {

/// Priors hold what so few rows leave open; the held-out errors say how well it went.
constexpr std::size_t least_rows = 6;
/// Of a curve that refines the model of collectives (models/collectives/refinement.hpp).
constexpr std::size_t least_sizes = 4;

std::string label(const Measurement& m, const char* key) {
  const auto at = m.labels.find(key);
  return at == m.labels.end() ? std::string{} : at->second;
}

double number(const Measurement& m, const char* key, double fallback) {
  const auto at = m.numbers.find(key);
  return at == m.numbers.end() ? fallback : at->second;
}

/// By the version of cuBLAS, which numbers with CUDA.
LibraryGeneration generation_of(const Box& box) {
  const auto& libraries = box.gpus.front().libraries;
  const auto at = libraries.find("cublas");
  const double version = at == libraries.end() ? 12 : to_number(at->second).value_or(12);
  if (version >= 11) return LibraryGeneration::cudnn8;
  if (version >= 9) return LibraryGeneration::cudnn7;
  return version >= 8 ? LibraryGeneration::cudnn6 : LibraryGeneration::cudnn5;
}

/// Arithmetic, peak rate and operand size of a precision; false if no model has it.
bool set_precision(const std::string& precision, const GpuRates& gpu, KernelCall& call) {
  call.element_bytes = precision == "fp32" || precision == "tf32" ? 4 : precision == "int8" ? 1 : 2;
  if (precision == "fp32") {
    call.arithmetic = Arithmetic::fp32;
    call.peak = gpu.fp32;
  } else if (precision == "int8") {
    call.arithmetic = Arithmetic::int8;
    call.peak = gpu.int8;
  } else if (precision != "fp16" && precision != "bf16" && precision != "tf32") {
    return false;
  } else {
    call.arithmetic = Arithmetic::tensor;
    call.peak = precision == "tf32"   ? gpu.tf32_tensor
                : precision == "bf16" ? gpu.bf16_tensor
                                      : gpu.fp16_tensor;
    if (call.peak <= FlopRate{0} && precision == "fp16") {  // before tensor cores
      call.arithmetic = Arithmetic::half_storage;
      call.peak = gpu.fp32;
    }
  }
  return call.peak > FlopRate{0};
}

bool set_gemm(const Measurement& m, const GpuRates& gpu, KernelCall& call) {
  call.kind = KernelClass::gemm;
  call.matrix = {number(m, "m", 0), number(m, "n", 0), number(m, "k", 0), number(m, "count", 1)};
  return call.matrix.m >= 1 && call.matrix.n >= 1 && call.matrix.k >= 1 && call.matrix.count >= 1 &&
         set_precision(label(m, "precision"), gpu, call);
}

bool set_convolution(const Measurement& m, const GpuRates& gpu, KernelCall& call) {
  const std::string pass = label(m, "pattern");
  if (pass != "forward" && pass != "data_gradient" && pass != "weight_gradient") return false;
  call.kind = pass == "forward"         ? KernelClass::conv_forward
              : pass == "data_gradient" ? KernelClass::conv_data_gradient
                                        : KernelClass::conv_weight_gradient;
  if (number(m, "stride_h", 1) < 1 || number(m, "stride_w", 1) < 1) return false;
  ConvolutionShape& s = call.conv;
  s = {number(m, "n", 0), number(m, "c", 0),        number(m, "h", 0),
       number(m, "w", 0), number(m, "k", 0),        number(m, "r", 0),
       number(m, "s", 0), number(m, "stride_h", 1), number(m, "stride_w", 1)};
  s.oh = std::floor((s.h + 2 * number(m, "pad_h", 0) - s.r) / s.stride_h) + 1;
  s.ow = std::floor((s.w + 2 * number(m, "pad_w", 0) - s.s) / s.stride_w) + 1;
  return s.n >= 1 && s.c >= 1 && s.k >= 1 && s.r >= 1 && s.s >= 1 && s.oh >= 1 && s.ow >= 1 &&
         set_precision(label(m, "precision"), gpu, call);
}

bool set_vector(const Measurement& m, KernelCall& call) {
  const std::string operation = label(m, "pattern");
  call.kind = operation == "softmax"      ? KernelClass::softmax
              : operation == "layer_norm" ? KernelClass::norm
                                          : KernelClass::elementwise;
  call.moved_bytes = m.amount;
  return m.amount_unit == "B";
}

std::string catalogue_id(const Catalog& catalog, const Box& box, const std::string& asked) {
  if (!asked.empty()) return gpu_spec(catalog, asked).id;
  const std::string& name = box.gpus.front().name;
  if (const auto id = catalogue_gpu(catalog, name)) return *id;
  throw Error{fmt::format("the catalogue does not know the GPU \"{}\" by this name", product_name(name)),
              {},
              "say which entry it is: --gpu h100_pcie (rackcast catalog list gpus)"};
}

/// The shipped measurements of the same GPU (p100 for p100_sxm2) that were asked for.
void add_shipped(const BoxFitRequest& request, const std::string& gpu, KernelData& data,
                 std::vector<std::string>& warnings) {
  const KernelData shipped = load_kernel_data(shipped_data_files());
  std::set<std::string> known;
  for (const MeasuredKernel& k : shipped.kernels) known.insert(k.where.substr(0, k.where.find('/')));
  for (const std::string& folder : request.with) {
    if (!known.contains(folder))
      throw Error{fmt::format("no shipped measurements are called \"{}\"", folder),
                  {},
                  fmt::format("known: {}", fmt::join(known, ", "))};
    std::map<std::size_t, std::size_t> place;
    std::size_t added = 0;
    for (const MeasuredKernel& k : shipped.kernels) {
      const MeasuredDevice& device = shipped.devices[k.device];
      if (!is_board_of(gpu, device.model) || !k.where.starts_with(folder + "/")) continue;
      const auto [at, fresh] = place.emplace(k.device, data.devices.size());
      if (fresh) {
        data.devices.push_back(device);
        data.devices.back().model = gpu;
      }
      data.kernels.push_back(k);
      data.kernels.back().device = at->second;
      ++added;
    }
    for (MeasuredKernel k : shipped.sustained) {
      const auto at = place.find(k.device);
      if (at == place.end() || !k.where.starts_with(folder + "/")) continue;
      k.device = at->second;
      data.sustained.push_back(std::move(k));
    }
    for (BatchedTile tile : shipped.batched_tiles) {
      const auto at = place.find(tile.device);
      if (at == place.end()) continue;
      tile.device = at->second;
      data.batched_tiles.push_back(tile);
    }
    if (added == 0) warnings.push_back(fmt::format("{} holds no kernel of {}", folder, gpu));
  }
}

struct BoxCurve {
  int nodes = 1, ranks = 0;
  std::map<double, double> points;  ///< bytes, seconds
};

/// The all-reduce curves of the box, those of most GPUs first: the others say less of larger machines.
std::vector<BoxCurve> all_reduce_curves(const Box& box) {
  std::map<std::pair<int, int>, BoxCurve, std::greater<>> curves;
  for (const Measurement& m : box.measurements) {
    if (m.kind != "gpu_collective" || label(m, "pattern") != "all_reduce") continue;
    const int nodes = static_cast<int>(number(m, "nodes", 1)),
              ranks = static_cast<int>(number(m, "ranks", 0));
    const double bytes = number(m, "bytes", 0);
    if (ranks < 2 || nodes < 1 || ranks % nodes != 0 || !(bytes >= 1)) continue;
    BoxCurve& curve = curves[{nodes, ranks}];
    curve.nodes = nodes;
    curve.ranks = ranks;
    if (m.conditions.throttle.empty()) curve.points[bytes] = m.summary().median;
  }
  std::vector<BoxCurve> out;
  for (auto& [key, curve] : curves)
    if (curve.points.size() >= least_sizes) out.push_back(std::move(curve));
  return out;
}

/// In the form of an imported curve.
std::string collectives_text(const Box& box, const std::string& gpu) {
  std::string out;
  for (const BoxCurve& curve : all_reduce_curves(box)) {
    nlohmann::ordered_json json{
        {"operation", "all_reduce"}, {"gpus", curve.ranks}, {"nodes", curve.nodes}, {"gpu", gpu}};
    for (const auto& [bytes, seconds] : curve.points)
      json["points"].push_back(
          {{"size", fmt::format("{:.0f} B", bytes)}, {"time", fmt::format("{:.6g} us", 1e6 * seconds)}});
    out += (out.empty() ? "\n    " : ",\n    ") + json.dump();
  }
  return out.empty() ? "" : ",\n  \"collectives\": [" + out + "\n  ]";
}

std::string document(const Box& box, const BoxFit& fit) {
  const BoxGpu& gpu = box.gpus.front();
  const auto quoted = [](const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  std::vector<const KernelFit*> fits;
  for (const KernelFit& f : fit.fits) fits.push_back(&f);
  return fmt::format(
      "{{\n  \"format\": \"rackcast-device\",\n  \"version\": 1,\n  \"model\": {},\n  \"architecture\": {},\n"
      "  \"source\": {},\n  \"kernels\": [\n{}\n  ]{}\n}}\n",
      quoted(fit.gpu), quoted(fit.data.devices.front().rates.architecture),
      quoted(fmt::format(
          "rackcast calibrate fit on {} measurements of {} of {}: driver {}, CUDA {}, highest clock "
          "{:.0f} MHz",
          fit.data.kernels.size(), gpu.name, box.date, gpu.driver, gpu.runtime, gpu.clock_mhz)),
      kernels_text(fit.data, fits), collectives_text(box, fit.gpu));
}

/// A document with a number that is none would be read by nobody.
void check_finite(const BoxFit& fit) {
  const auto fail = [](const KernelFit& f, const std::string& what) {
    throw Error{fmt::format("the fit of {}, {} does not settle: {} is not a finite number",
                            to_string(f.key.kind), to_string(f.key.arithmetic), what),
                {},
                "the measured times contradict each other: look at them with `rackcast calibrate check`"};
  };
  for (const KernelFit& f : fit.fits) {
    for (std::size_t i = 0; i < kernel_parameter_count; ++i) {
      const auto p = static_cast<KernelParameter>(i);
      if (!uses(f.key.kind, f.key.arithmetic, p)) continue;
      if (!std::isfinite(f.parameters[p]) || !std::isfinite(f.relative_sigma[p]))
        fail(f, std::string{info(p).name});
    }
    if (!std::isfinite(f.parameters.traffic_power)) fail(f, "the power that traffic draws");
    for (const double q : f.residuals.quantiles)
      if (!std::isfinite(q)) fail(f, "an error on held-out shapes");
    if (!std::isfinite(f.residuals.median_abs) || !std::isfinite(f.residuals.log_sigma) ||
        !std::isfinite(f.roofline.median_abs))
      fail(f, "its error");
  }
}

}  // namespace

KernelData box_kernels(const Box& box, const MeasuredDevice& device, std::vector<std::string>& warnings) {
  KernelData data;
  data.devices.push_back(device);
  const LibraryGeneration library = generation_of(box);
  std::size_t throttled = 0, unknown = 0;
  for (const Measurement& m : box.measurements) {
    const bool gemm = m.kind == "gpu_gemm", conv = m.kind == "gpu_conv", vector = m.kind == "gpu_vector";
    if (m.device != "gpu0" || !(gemm || conv || vector)) continue;
    MeasuredKernel k;
    k.library = library;
    k.call.fused_groups = library >= LibraryGeneration::cudnn7;
    const bool usable = gemm   ? set_gemm(m, device.rates, k.call)
                        : conv ? set_convolution(m, device.rates, k.call)
                               : set_vector(m, k.call);
    if (!usable) {
      ++unknown;
      continue;
    }
    if (!m.conditions.throttle.empty()) {
      ++throttled;
      continue;
    }
    k.seconds = m.summary().median;
    k.shape = m.id.substr(m.id.find('/') + 1);
    k.where = m.id;
    data.kernels.push_back(std::move(k));
  }
  if (throttled > 0)
    warnings.push_back(
        fmt::format("{} kernels were throttled while they were measured and are left out", throttled));
  if (unknown > 0)
    warnings.push_back(fmt::format("{} kernels are of a precision or kind that no model has", unknown));
  return data;
}

BoxFit fit_box(const Catalog& catalog, const Box& box, const BoxFitRequest& request) {
  if (box.gpus.empty())
    throw Error{"the box has no GPU, and only GPU kernels are fitted",
                {},
                "measure on a machine with one; `rackcast calibrate check` tells what a box holds"};
  BoxFit out;
  out.gpu = catalogue_id(catalog, box, request.gpu);
  MeasuredDevice device;
  device.rates = gpu_rates(gpu_spec(catalog, out.gpu));
  device.name = device.model = out.gpu;
  if (box.gpus.front().sm_count > 0 && box.gpus.front().sm_count != device.rates.sm_count)
    out.warnings.push_back(
        fmt::format("the box has {} multiprocessors, the catalogue's {} {}: is it the same GPU?",
                    box.gpus.front().sm_count, out.gpu, device.rates.sm_count));
  out.data = box_kernels(box, device, out.warnings);
  if (!request.with.empty()) add_shipped(request, out.gpu, out.data, out.warnings);
  out.fits = fit_all(out.data, {.folds = 5, .least_rows = least_rows});
  if (out.fits.empty())
    throw Error{fmt::format("no kernel class has the {} measurements that a fit needs", least_rows),
                {},
                "measure again with more time: rackcast calibrate run --thorough"};
  check_finite(out);
  if (!box.complete)
    out.warnings.emplace_back("the box is partial: measuring was interrupted or ran out of time");
  out.text = document(box, out);
  return out;
}

}  // namespace rackcast
