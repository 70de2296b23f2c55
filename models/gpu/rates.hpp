#pragma once
/// The datasheet rates of one GPU and the library generation: what every kernel cost scales with.
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "sim/units/quantity.hpp"

namespace rackcast {

struct ArchitectureSpec;

/// The datasheet rates that the cost model needs of one GPU as the operating system sees it (half a K80).
/// Rates are dense; 0 where the GPU has no such unit.
struct GpuRates {
  std::string name;          ///< catalogue id: "p100_sxm2"
  std::string architecture;  ///< "Pascal"
  /// What the catalogue says of it; nullptr: what the catalogue inside the program does.
  std::shared_ptr<const ArchitectureSpec> line = {};
  int sm_count = 0;
  FlopRate fp32{0};         ///< fused multiply-add units, a multiply-add counts two
  FlopRate fp16{0};         ///< packed half precision outside tensor cores
  FlopRate fp16_tensor{0};  ///< fp16 inputs, fp32 accumulation
  FlopRate bf16_tensor{0};
  FlopRate tf32_tensor{0};
  FlopRate fp8_tensor{0};
  FlopRate fp4_tensor{0};
  FlopRate int8{0};  ///< dot-product instructions or tensor cores, whichever is faster
  FlopRate int8_tensor{0};
  Bandwidth memory{0};
  Bytes l2{0};
  Power tdp{0};  ///< 0: not known
};

/// Achieved share of `memory` of kernels that only move data; the median of large copies over the measured
/// GPUs.
inline constexpr double stream_fraction = 0.8;

/// The generation of cuDNN/cuBLAS that a framework links: kernels and the choice among them improved over the
/// years, so measurements carry the generation they were made with.
enum class LibraryGeneration {
  cudnn5,  ///< CUDA 7.5, 2016
  cudnn6,  ///< CUDA 8, 2017
  cudnn7,  ///< CUDA 9 to 10, 2018 and 2019
  cudnn8,  ///< CUDA 11 to 12, since 2020
};
std::string_view to_string(LibraryGeneration);
LibraryGeneration parse_library_generation(std::string_view name);  ///< Error lists the known names

/// What a kernel computes with. It selects fitted parameters; the peak rate comes with each call.
enum class Arithmetic {
  fp32,
  half_storage,  ///< 16-bit operands in memory, fp32 multiply-adds
  tensor,        ///< matrix units, operands of 16 or 32 bits and 8-bit integers (the peak rate says which)
  int8,          ///< dot-product instructions or int8 matrix units
  fp8,           ///< matrix units, operands of 8 bits that were measured as such
  fp4,           ///< matrix units, operands of 4 bits with a scale for each block
};
inline constexpr std::size_t arithmetic_count = 6;
/// Floating-point products on matrix units.
constexpr bool on_matrix_units(Arithmetic a) {
  return a == Arithmetic::tensor || a == Arithmetic::fp8 || a == Arithmetic::fp4;
}
std::string_view to_string(Arithmetic);
Arithmetic parse_arithmetic(std::string_view name);  ///< Error lists the known names

}  // namespace rackcast
