#include "models/gpu/cost.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/base/error.hpp"
#include "topologies/hardware/architecture_spec.hpp"

namespace rackcast {
namespace {

KernelCost::Limit limit_of(const KernelCost& cost) {
  if (cost.launch >= std::max(cost.compute, cost.memory)) return KernelCost::Limit::launch;
  return cost.compute >= cost.memory ? KernelCost::Limit::compute : KernelCost::Limit::memory;
}

/// Bytes of a convolution's maps that the cache keeps between it and its neighbours in a network, as it does
/// between element-wise kernels (models/gpu/kernel.cpp, stream_time): r bytes of a long map, all of a short
/// one. They still pass through the cache, which the kernel's own operands count.
double kept_bytes(const KernelCall& call, const GpuRates& gpu, const KernelParameters& stream) {
  const ConvolutionShape& s = call.conv;
  const double maps = call.element_bytes * s.n * (s.c * s.h * s.w + s.k * s.oh * s.ow);
  const double room = std::min(1.0, stream[KernelParameter::cache_reuse]) * gpu.l2.base();
  return maps > 0 ? maps * room / (maps + room) : 0;
}

/// Attention has a form of its own in 16 bits alone, and layers of experts on matrix units. Kernels of
/// servers may be missing where few GPUs were measured; asking for them is an error then.
bool is_used(KernelClass kind, Arithmetic arithmetic, const GpuModelLibrary& fitted) {
  const bool of_servers = is_decode_attention(kind) || kind == KernelClass::experts;
  if (of_servers &&
      std::ranges::none_of(fitted.kernels(), [&](const FittedKernel& k) { return k.kind == kind; }))
    return false;
  if (kind == KernelClass::experts) return on_matrix_units(arithmetic);
  return !needs_matrix_units(kind) || arithmetic == Arithmetic::tensor;
}

}  // namespace

std::string_view to_string(KernelCost::Limit limit) {
  constexpr std::array<std::string_view, 3> names{"compute", "memory", "launch"};
  return names[static_cast<std::size_t>(limit)];
}

GpuCostModel::GpuCostModel(GpuRates gpu, const LoweringOptions& options, const GpuModelLibrary& fitted)
    : gpu_{std::move(gpu)}, options_{options}, network_log_sigma_{fitted.network_log_sigma()} {
  for (std::size_t kind = 0; kind < kernel_class_count; ++kind)
    for (std::size_t arithmetic = 0; arithmetic < arithmetic_count; ++arithmetic)
      if (is_used(static_cast<KernelClass>(kind), static_cast<Arithmetic>(arithmetic), fitted)) {
        const auto choose = [&](bool any_filter) {
          return fitted.choose(gpu_, static_cast<KernelClass>(kind), static_cast<Arithmetic>(arithmetic),
                               options_.library, any_filter);
        };
        choices_[kind][arithmetic] = choose(false);
        if (is_convolution(static_cast<KernelClass>(kind))) other_filters_[kind][arithmetic] = choose(true);
      }
}

GpuCostModel GpuCostModel::create(const GpuRates& gpu, const LoweringOptions& asked,
                                  const GpuModelLibrary& fitted) {
  if (gpu.sm_count < 1 || gpu.fp32 <= FlopRate{0} || gpu.memory <= Bandwidth{0})
    throw Error{"GPU \"" + gpu.name + "\" needs a positive SM count, fp32 rate and memory bandwidth"};
  LoweringOptions options = asked;
  if (const ArchitectureSpec* line = gpu.line ? gpu.line.get() : builtin_architecture(gpu.architecture))
    options.library = std::max(options.library, parse_library_generation(line->oldest_cudnn));
  return GpuCostModel{gpu, options, fitted};
}

GpuCostModel GpuCostModel::create(const GpuRates& gpu, const LoweringOptions& options) {
  return create(gpu, options, GpuModelLibrary::builtin());
}

const KernelChoice& GpuCostModel::choice(const KernelCall& call) const {
  const bool other = is_convolution(call.kind) && !is_3x3(call.conv);
  return (other ? other_filters_
                : choices_)[static_cast<std::size_t>(call.kind)][static_cast<std::size_t>(call.arithmetic)];
}

KernelCost GpuCostModel::cost(const KernelCall& call) const {
  const KernelChoice& chosen = choice(call);
  if (chosen.model.empty()) throw Error{"no measured kernels of class " + std::string{to_string(call.kind)}};
  const KernelTime time = kernel_time(call, gpu_, chosen.parameters);
  KernelCost cost{Duration{time.total},  Duration{time.compute},    Duration{time.memory},
                  Duration{time.launch}, KernelCost::Limit::launch, chosen.log_sigma,
                  chosen.borrowed_sigma};
  cost.limit = limit_of(cost);
  return cost;
}

KernelCost GpuCostModel::cost(const Operator& op, Pass pass, double batch, Precision precision) const {
  KernelCost sum;
  double variance = 0;  // of the sum, calls of one operator taken as independent
  const KernelChoice& stream = choices_[static_cast<std::size_t>(KernelClass::elementwise)]
                                       [static_cast<std::size_t>(Arithmetic::fp32)];
  for (KernelCall& call : lower(op, pass, batch, precision, gpu_, options_)) {
    if (pass == Pass::forward && is_convolution(call.kind))
      call.cached_bytes = kept_bytes(call, gpu_, stream.parameters);
    const KernelCost part = cost(call);
    sum.time += part.time;
    sum.compute += part.compute;
    sum.memory += part.memory;
    sum.launch += part.launch;
    sum.shared_sigma += part.time.base() * part.shared_sigma;
    variance += std::pow(part.time.base() * part.log_sigma, 2);
  }
  sum.limit = limit_of(sum);
  if (sum.time > Duration{0}) {
    sum.log_sigma = std::sqrt(variance) / sum.time.base();
    sum.shared_sigma /= sum.time.base();
  }
  return sum;
}

std::string GpuCostModel::borrowed_from(const Operator& op, Precision precision) const {
  for (const KernelCall& call : lower(op, Pass::forward, 1, precision, gpu_, options_)) {
    const KernelChoice& chosen = choice(call);
    if (chosen.other_gpu) return chosen.model;
  }
  return {};
}

}  // namespace rackcast
