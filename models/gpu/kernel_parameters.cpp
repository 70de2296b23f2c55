#include <algorithm>
#include <array>
#include <string>

#include "models/gpu/kernel.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

using P = KernelParameter;

constexpr std::array<std::string_view, 4> generation_names{"cudnn5", "cudnn6", "cudnn7", "cudnn8"};
constexpr std::array<std::string_view, arithmetic_count> arithmetic_names{"fp32", "half_storage", "tensor",
                                                                          "int8", "fp8",          "fp4"};
constexpr std::array<std::string_view, kernel_class_count> class_names{"gemm",
                                                                       "conv_forward",
                                                                       "conv_data_gradient",
                                                                       "conv_weight_gradient",
                                                                       "recurrent_forward",
                                                                       "recurrent_data_gradient",
                                                                       "elementwise",
                                                                       "softmax",
                                                                       "norm",
                                                                       "embedding",
                                                                       "flash1_forward",
                                                                       "flash1_backward",
                                                                       "flash2_forward",
                                                                       "flash2_backward",
                                                                       "decode_attention",
                                                                       "latent_decode_attention",
                                                                       "experts"};

// What a fit starts from and is drawn to where the data are silent. The spreads are wide: a factor of 1.6 to
// 2.7 either way.
constexpr std::array<KernelParameterInfo, kernel_parameter_count> infos{{
    {"peak_fraction", 0.8, 0.5},
    {"operand_cost", 30, 0.7},
    {"prologue_depth", 20, 1.0},
    {"latency_warps", 4, 0.7},
    {"launch", 5, 0.5, true},
    {"bandwidth_fraction", 0.75, 0.3},
    {"cache_ratio", 2.5, 0.5},
    {"split", 5, 0.7, true},
    {"winograd_2x2", 0.6, 0.5},
    {"winograd_4x4", 0.6, 0.5},
    {"stride_saving", 0.5, 0.7},
    {"narrow_penalty", 0.5, 1.0},
    {"cache_reuse", 1, 0.7},
    {"causal_penalty", 0.1, 1.0},
    {"wide_penalty", 0.1, 1.5},
    {"power_fraction", 1, 0.5},
    {"row_bandwidth", 0.3, 0.7},
}};

template <class Enum, std::size_t N>
Enum parse_name(std::string_view name, const std::array<std::string_view, N>& names, std::string_view what) {
  std::string known;
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
    known += (i ? ", " : "") + std::string{names[i]};
  }
  throw Error{"unknown " + std::string{what} + " \"" + std::string{name} + "\"", {}, "known: " + known};
}

}  // namespace

std::string_view to_string(LibraryGeneration g) {
  return generation_names[static_cast<std::size_t>(g)];
}
LibraryGeneration parse_library_generation(std::string_view name) {
  return parse_name<LibraryGeneration>(name, generation_names, "library generation");
}
std::string_view to_string(Arithmetic a) {
  return arithmetic_names[static_cast<std::size_t>(a)];
}
Arithmetic parse_arithmetic(std::string_view name) {
  return parse_name<Arithmetic>(name, arithmetic_names, "arithmetic");
}
std::string_view to_string(KernelClass c) {
  return class_names[static_cast<std::size_t>(c)];
}
KernelClass parse_kernel_class(std::string_view name) {
  return parse_name<KernelClass>(name, class_names, "kernel class");
}

bool is_convolution(KernelClass c) {
  return c == KernelClass::conv_forward || c == KernelClass::conv_data_gradient ||
         c == KernelClass::conv_weight_gradient;
}

bool is_attention(KernelClass c) {
  return c >= KernelClass::flash1_forward && c <= KernelClass::flash2_backward;
}

bool is_decode_attention(KernelClass c) {
  return c == KernelClass::decode_attention || c == KernelClass::latent_decode_attention;
}

bool needs_matrix_units(KernelClass c) {
  return is_attention(c) || is_decode_attention(c) || c == KernelClass::experts;
}

bool is_bandwidth_bound(KernelClass c) {
  return c == KernelClass::elementwise || c == KernelClass::softmax || c == KernelClass::norm ||
         c == KernelClass::embedding;
}

bool is_recurrent(KernelClass c) {
  return c == KernelClass::recurrent_forward || c == KernelClass::recurrent_data_gradient;
}

const KernelParameterInfo& info(KernelParameter p) {
  return infos[static_cast<std::size_t>(p)];
}

bool uses(KernelClass c, Arithmetic a, KernelParameter p) {
  const bool tensor = on_matrix_units(a);
  if (p == P::power_fraction) return c == KernelClass::gemm && tensor;
  if (is_bandwidth_bound(c))
    return p == P::launch || p == P::bandwidth_fraction || p == P::cache_ratio || p == P::cache_reuse;
  if (is_attention(c))
    return p == P::peak_fraction || p == P::operand_cost || p == P::prologue_depth || p == P::launch ||
           p == P::bandwidth_fraction || p == P::causal_penalty || p == P::wide_penalty;
  if (is_decode_attention(c) || c == KernelClass::experts) {
    const bool of_experts = p == P::operand_cost || p == P::row_bandwidth;
    return p == P::peak_fraction || p == P::launch || p == P::bandwidth_fraction ||
           (c == KernelClass::experts && of_experts);
  }
  if (p == P::cache_reuse || p == P::causal_penalty || p == P::wide_penalty || p == P::row_bandwidth)
    return false;
  switch (p) {
    case P::split:
      return !is_convolution(c) || c == KernelClass::conv_weight_gradient ||
             (tensor && c == KernelClass::conv_forward);
    case P::winograd_2x2:
    case P::winograd_4x4:
      return is_convolution(c) && !tensor;
    case P::stride_saving:
      return c == KernelClass::conv_data_gradient;
    case P::narrow_penalty:
      return (is_convolution(c) && tensor) || is_recurrent(c);
    default:
      return true;
  }
}

KernelParameters expected_parameters() {
  KernelParameters out;
  for (std::size_t i = 0; i < kernel_parameter_count; ++i) out.values[i] = infos[i].expected;
  return out;
}

}  // namespace rackcast
