#include "models/exchange/compression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "sim/base/error.hpp"

namespace rackcast {
namespace {

constexpr std::array all{
    Compression{"none", "gradients as they are", 1, 0, 1, true, ""},
    Compression{"fp16", "16-bit gradients, summed in 16 bits", 0.5, 3, 1, true,
                "P. Micikevicius et al., Mixed precision training, ICLR 2018"},
    Compression{"int8", "8-bit gradients with a scale per block", 0.25, 4, 1, false,
                "T. Dettmers, 8-bit approximations for parallelism in deep learning, ICLR 2016: no loss of "
                "accuracy in data parallelism"},
    Compression{"1bit", "signs with error feedback", 1.0 / 32, 6, 1, false,
                "F. Seide et al., 1-bit stochastic gradient descent, Interspeech 2014: small loss"},
    Compression{"ternary", "-1, 0, 1 with a scale per layer", 2.0 / 32, 6, 1, false,
                "W. Wen et al., TernGrad, NeurIPS 2017: AlexNet without loss, GoogLeNet less than 2 % worse"},
    Compression{"topk", "the largest 1 %, values and indices, error feedback", 0.02, 10, 0.01, false,
                "A. Aji, K. Heafield, Sparse communication for distributed gradient descent, EMNLP 2017"},
    Compression{
        "dgc", "deep gradient compression: the largest 0.1 % after a warm-up of four epochs", 0.002, 10,
        0.001, false,
        "Y. Lin et al., Deep gradient compression, ICLR 2018: no loss; warm-up from 25 % in four epochs"},
};

}  // namespace

std::span<const Compression> compressions() {
  return all;
}

const Compression& compression(std::string_view name) {
  for (const Compression& c : all)
    if (c.name == name) return c;
  std::vector<std::string_view> known;
  for (const Compression& c : all) known.push_back(c.name);
  throw Error{fmt::format("there is no gradient compression \"{}\"", name),
              {},
              fmt::format("known: {}", fmt::join(known, ", "))};
}

namespace {

constexpr double fp32_bytes = 4;  ///< of a gradient that wire_ratio counts from

bool narrows(const Compression& c, double parameters, Bytes plain) {
  return fp32_bytes * c.wire_ratio * parameters < plain.base();
}

}  // namespace

Bytes sent_bytes(const Compression& c, double parameters, Bytes plain) {
  return narrows(c, parameters, plain) ? Bytes{fp32_bytes * c.wire_ratio * parameters} : plain;
}

Bytes reduced_bytes(const Compression& c, int ranks, double parameters, Bytes plain) {
  const Bytes sent = sent_bytes(c, parameters, plain);
  if (c.sums_in_place || !narrows(c, parameters, plain)) return sent;
  const Bytes gathered = sent * (ranks / 2.0);
  if (c.density >= 1) return gathered;
  // Sparse sums stay sparse only until the ranks' choices cover the vector; then a dense one is as small.
  const double covered = 1 - std::pow(1 - c.density, ranks);
  return std::min({gathered, plain, sent * (covered / c.density)});
}

CompressionTraffic compression_traffic(const Compression& c, double parameters, Bytes plain) {
  if (!(c.gpu_passes > 0) || !narrows(c, parameters, plain)) return {};
  const Bytes pass{fp32_bytes * parameters};
  const double unpacking = std::min(c.gpu_passes, 1 + c.wire_ratio);
  return {(c.gpu_passes - unpacking) * pass, unpacking * pass};
}

}  // namespace rackcast
