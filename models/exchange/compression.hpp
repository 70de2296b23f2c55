#pragma once
/// Gradient compression: bytes on the wire, and work for the GPU.
#include <span>
#include <string_view>

#include "sim/units/quantity.hpp"

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
  std::string_view source;
};

std::span<const Compression> compressions();
/// Throws Error with the known names. "none" is one.
const Compression& compression(std::string_view name);

/// What one rank sends of the gradients of `parameters` parameters that take `plain` bytes uncompressed. A
/// format that is not narrower than the gradients already are changes nothing: 16-bit gradients stay 16-bit
/// gradients under "fp16".
Bytes sent_bytes(const Compression& c, double parameters, Bytes plain);

/// The payload of an all-reduce of n ranks that loads the links like the exchange of the compressed
/// gradients. A format that cannot be summed in place is gathered: the parts of all n ranks pass every link
/// of a ring once, while an all-reduce passes its payload twice. Hence the payload is n/2 times one part.
Bytes reduced_bytes(const Compression& c, int ranks, double parameters, Bytes plain);

/// GPU memory traffic of packing, before a bucket leaves, and of unpacking, after it has come back. Unpacking
/// reads what arrived and writes fp32 gradients, 1 + wire_ratio passes; the other passes are the packing's.
struct CompressionTraffic {
  Bytes packing{0}, unpacking{0};
};
CompressionTraffic compression_traffic(const Compression& c, double parameters, Bytes plain);

}  // namespace rackcast
