#pragma once
/// Gradient compression: what goes over the wire, what it costs the GPU, what it does to convergence.
#include <span>
#include <string_view>

namespace rackcast {

/// How sparse or coarse gradients are exchanged.
struct Compression {
  std::string_view name, help;
  double wire_ratio = 1;  ///< bytes on the wire per byte of fp32 gradient of one rank, indices included
  double gpu_passes = 0;  ///< times that packing and unpacking read or write all gradients, in fp32 bytes
  /// Sparse: the part of the gradients that one rank sends. Sums of several ranks are less sparse, so the
  /// exchange is an all-gather of what each rank chose (density grows as 1 - (1 - d)^n, n * d at first).
  double density = 1;
  bool sums_in_place = true;  ///< partial sums keep the format, so rings and trees work
  double step_factor = 1;     ///< steps to the same accuracy over those without, as published
  std::string_view source;
};

std::span<const Compression> compressions();
/// Throws Error with the known names. "none" is one.
const Compression& compression(std::string_view name);

/// Bytes that a reduction of n ranks moves per byte of fp32 gradient, as the payload of an all-reduce. A
/// format that cannot be summed in place is gathered: n ranks' parts go through every link of a ring, which
/// an all-reduce passes twice, hence n/2 of one part.
double wire_bytes_per_byte(const Compression& c, int ranks);

}  // namespace rackcast
