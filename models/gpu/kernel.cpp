#include "models/gpu/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

namespace rackcast {
namespace {

using P = KernelParameter;

/// Tile, warps of its block, and how many blocks an SM holds (register file: 65536 x 4 B per SM).
struct Tile {
  double m, n, warps, resident;
};
// The tile sizes that the kernel names of cuBLAS and cuDNN spell out ("sgemm_128x64", "h884cudnn_256x128").
constexpr std::array<Tile, 13> gemm_tiles{{{256, 128, 8, 1},
                                           {128, 256, 8, 1},
                                           {128, 128, 8, 2},
                                           {128, 64, 4, 4},
                                           {64, 128, 4, 4},
                                           {64, 64, 2, 6},
                                           {128, 32, 4, 5},
                                           {32, 128, 4, 5},
                                           {32, 32, 2, 8},
                                           {64, 32, 2, 8},
                                           {32, 64, 2, 8},
                                           {128, 16, 2, 8},
                                           {16, 128, 2, 8}}};
constexpr std::array<Tile, 4> winograd_tiles{
    {{128, 128, 8, 2}, {128, 64, 4, 4}, {128, 32, 4, 4}, {64, 64, 2, 6}}};
constexpr std::array<Tile, 5> weight_gradient_tiles{
    {{128, 128, 8, 2}, {128, 64, 4, 4}, {64, 128, 4, 4}, {128, 32, 4, 4}, {32, 128, 4, 4}}};
constexpr std::array<Tile, 5> tensor_conv_tiles{
    {{256, 128, 8, 1}, {256, 64, 8, 2}, {128, 128, 8, 2}, {128, 64, 4, 4}, {64, 128, 4, 4}}};
constexpr std::array<double, 9> splits{1, 2, 4, 8, 16, 32, 64, 128, 256};

struct Menu {
  std::span<const Tile> tiles;
  bool split;
};

/// A product with its traffic; `extra` is what an algorithm moves beyond the least.
struct Task {
  MatrixShape shape;
  double bytes = 0, efficiency = 1, launches = 1;
  Bytes workspace{0};
};

/// Rounding of numbers far below 2^63; the library's functions cost a call each on baseline x86-64.
double whole(double x) {
  return static_cast<double>(static_cast<std::int64_t>(x));
}
double ceiling(double x) {
  const double low = whole(x);
  return low < x ? low + 1 : low;
}

double norm4(double a, double b, double c) {
  const double scale = std::max({a, b, c, std::numeric_limits<double>::min()});
  a = a / scale * (a / scale);
  b = b / scale * (b / scale);
  c = c / scale * (c / scale);
  return scale * std::sqrt(std::sqrt(a * a + b * b + c * c));
}

/// Seconds in which `blocks` run, each worth `block` seconds of an SM with 16 warps.
double waves(double blocks, double block, const Tile& tile, double sms, double latency_warps) {
  const double normal = 1 / (1 + latency_warps / 16);
  const auto round = [&](double per_sm) {
    return (per_sm * tile.warps + latency_warps) / tile.warps;
  };
  const double full = whole(blocks / (sms * tile.resident));
  const double rest = ceiling((blocks - full * sms * tile.resident) / sms);
  return normal * block * (full * round(tile.resident) + (rest > 0 ? round(rest) : 0));
}

KernelTime product_time(const Task& task, const KernelCall& call, const GpuRates& gpu,
                        const KernelParameters& p, Menu menu) {
  const MatrixShape& s = task.shape;
  const double sms = gpu.sm_count;
  const double rate = call.peak.base() * p[P::peak_fraction] * task.efficiency / sms;
  const double bandwidth = gpu.memory.base() * p[P::bandwidth_fraction];
  const double cache = gpu.memory.base() * p[P::cache_ratio];
  const double a = p[P::operand_cost];
  KernelTime best{std::numeric_limits<double>::infinity(), 0, 0, p[P::launch] * 1e-6 * task.launches};
  const double launch = best.launch;
  // The measured products are deeper than 300; where they are not, a start as long as the fitted one would
  // dwarf the product itself (weight gradients of dense layers at small batches).
  const double prologue = std::min(p[P::prologue_depth], std::max(64.0, s.k));
  const bool one_kernel = call.kind == KernelClass::gemm && s.count > 1 && p.batched_rows > 0;
  const double allowed =
      uses(call.kind, call.arithmetic, P::power_fraction) ? p[P::power_fraction] : p.power_share;
  const double power = allowed > 0 ? 2 * s.m * s.n * s.k * s.count / (call.peak.base() * allowed) +
                                         task.bytes * p.traffic_power / gpu.memory.base()
                                   : 0;
  for (const Tile& tile : menu.tiles) {
    if (one_kernel && (tile.m != p.batched_rows || tile.n != p.batched_columns)) continue;
    const double edges = 1 / tile.m + 1 / tile.n;
    const double work = 2 * tile.m * tile.n * (1 + a * edges) / (1 + a / 64) / rate;
    const double tiles = ceiling(s.m / tile.m) * ceiling(s.n / tile.n) * s.count;
    for (const double split : splits) {
      if (split > 1 && (!menu.split || one_kernel || split * 8 > s.k)) break;
      const double compute =
          waves(tiles * split, work * (ceiling(s.k / split) + prologue), tile, sms, p[P::latency_warps]);
      const double reduction =
          split > 1 ? split * s.m * s.n * s.count * 4 / bandwidth + p[P::split] * 1e-6 : 0;
      const double memory = task.bytes / bandwidth + reduction;
      const double operands = tiles * (tile.m + tile.n) * s.k * call.element_bytes / cache;
      // No norm is below its largest term, so most candidates need none.
      if (launch + std::max({compute, memory, operands, power}) >= best.total) continue;
      const double busy = norm4(compute, memory, operands);
      const double total = launch + (power > 0 ? norm8(busy, power) : busy);
      if (total < best.total) best = {total, std::max({compute, operands, power}), memory, launch};
    }
  }
  return best;
}

Menu conv_menu(const KernelCall& call) {
  if (on_matrix_units(call.arithmetic))
    return {tensor_conv_tiles, call.kind != KernelClass::conv_data_gradient};
  if (call.kind == KernelClass::conv_weight_gradient) return {weight_gradient_tiles, true};
  return {std::span{gemm_tiles}.first(9), false};
}

/// The implicit product of one group.
MatrixShape implicit_product(const KernelCall& call, const ConvolutionShape& s, const KernelParameters& p) {
  const double c = s.c / s.groups, k = s.k / s.groups;
  switch (call.kind) {
    case KernelClass::conv_forward:
      return {s.n * s.oh * s.ow, k, c * s.r * s.s, s.groups};
    case KernelClass::conv_data_gradient: {
      // The library spreads the output gradient over the input's positions and skips part of the zeros.
      const double saving = std::pow(s.stride_h * s.stride_w, std::min(1.0, p[P::stride_saving]));
      return {s.n * s.h * s.w, c, k * s.r * s.s / saving, s.groups};
    }
    default:
      return {k, c * s.r * s.s, s.n * s.oh * s.ow, s.groups};
  }
}

/// Winograd F(tile x tile, r x r): (tile + r - 1)^2 products over the tiles of the map.
Task winograd_task(const KernelCall& call, const ConvolutionShape& s, double tile, double bytes, bool fused) {
  const bool data = call.kind == KernelClass::conv_data_gradient;
  const double in = (data ? s.k : s.c) / s.groups, out = (data ? s.c : s.k) / s.groups;
  const double height = data ? s.h : s.oh, width = data ? s.w : s.ow;
  const double tiles = s.n * ceiling(height / tile) * ceiling(width / tile);
  const double points = (tile + s.r - 1) * (tile + s.r - 1);
  Task task;
  task.shape = call.kind == KernelClass::conv_weight_gradient
                   ? MatrixShape{out, in, tiles, points * s.groups}
                   : MatrixShape{tiles, out, in, points * s.groups};
  // Unfused, the transformed maps and filters are written once and read once, and all there at a time; fused,
  // the filters alone are transformed beforehand.
  const double filters = points * call.element_bytes * in * out;
  const double transformed =
      fused ? 0 : filters + points * call.element_bytes * tiles * (in + out) * s.groups;
  task.bytes = bytes + 2 * transformed;
  task.workspace = Bytes{fused ? filters : transformed};
  task.launches = fused ? 1 : 3;
  return task;
}

/// Convolution by Fourier transforms of tiles of `side` x `side` (Mathieu et al., arXiv 1312.5851): of each
/// tile's spectrum half is stored, products are complex (four real ones), and maps and filters are
/// transformed once. The products want the spectra with their points outermost, so the scratch holds them
/// twice (Vasilache et al., arXiv 1412.7580, section 3.1 and table 1: a transposition after each transform).
Task fft_task(const KernelCall& call, const ConvolutionShape& s, double side, double bytes) {
  const bool data = call.kind == KernelClass::conv_data_gradient;
  const double in = data ? s.k : s.c, out = data ? s.c : s.k;
  const double step = side - s.r + 1;
  const double tiles = s.n * ceiling((data ? s.h : s.oh) / step) * ceiling((data ? s.w : s.ow) / step);
  const double points = side * (side / 2 + 1);
  Task task;
  task.shape = call.kind == KernelClass::conv_weight_gradient ? MatrixShape{out, in, tiles, 4 * points}
                                                              : MatrixShape{tiles, out, in, 4 * points};
  const double spectra = points * 2 * call.element_bytes * (tiles * (in + out) + in * out);
  task.bytes = bytes + 2 * spectra;
  task.workspace = Bytes{2 * spectra};
  task.launches = 4;
  return task;
}

ConvolutionShape padded(const KernelCall& call) {
  ConvolutionShape s = call.conv;
  if (on_matrix_units(call.arithmetic) && s.groups == 1) {  // matrix units take 8 channels at a time
    s.c = ceiling(s.c / 8) * 8;
    s.k = ceiling(s.k / 8) * 8;
  }
  return s;
}

/// fbfft transforms a whole map in one piece, to powers of two up to 128 (Vasilache et al., arXiv 1412.7580,
/// sections 3.4 and 5); 0 if the map is larger.
double side_of_map(const ConvolutionShape& s) {
  const double needed = std::max(s.oh, s.ow) + s.r - 1;
  for (double side = 8; side <= 128; side *= 2)
    if (needed <= side) return side;
  return 0;
}

KernelTime conv_time(const KernelCall& call, const GpuRates& gpu, const KernelParameters& p) {
  const ConvolutionShape s = padded(call);
  const double maps = s.n * (s.c * s.h * s.w + s.k * s.oh * s.ow);
  const double bytes =
      std::max(0.0, call.element_bytes * (maps + s.k * s.c / s.groups * s.r * s.s) - call.cached_bytes);
  Task direct{implicit_product(call, s, p), bytes, 1, call.fused_groups ? 1 : s.groups};
  KernelTime best = product_time(direct, call, gpu, p, conv_menu(call));
  if (on_matrix_units(call.arithmetic)) {
    if (std::min(call.conv.c, call.conv.k) < 8) {
      best.total *= 1 + p[P::narrow_penalty];
      best.compute *= 1 + p[P::narrow_penalty];
    }
    return best;
  }
  if (s.r != s.s || s.stride_h != 1 || s.stride_w != 1 || s.groups != 1) return best;
  const Menu menu{winograd_tiles, call.kind == KernelClass::conv_weight_gradient};
  const double whole = call.algorithms == ConvolutionAlgorithms::transforms ? side_of_map(s) : 0;
  if (whole > 0) {
    Task task = fft_task(call, s, whole, bytes);
    task.efficiency = info(P::winograd_4x4).expected;
    return product_time(task, call, gpu, p, menu);
  }
  const bool winograd = call.algorithms != ConvolutionAlgorithms::no_winograd;
  const auto consider = [&](Task task, double efficiency) {
    if (task.workspace > call.workspace) return;
    task.efficiency = efficiency;
    const KernelTime time = product_time(task, call, gpu, p, menu);
    if (time.total < best.total) best = time;
  };
  if (winograd && s.r == 3) consider(winograd_task(call, s, 2, bytes, true), p[P::winograd_2x2]);
  if (winograd && (s.r == 3 || s.r == 5))
    consider(winograd_task(call, s, s.r == 3 ? 4 : 2, bytes, false), p[P::winograd_4x4]);
  // The products of both are the same kernels. From 5x5 on, and before Winograd, transforms may win.
  for (const double side : {16.0, 32.0})
    if (s.r < side && (s.r > 5 || (s.r == 5 && side > 16) || (s.r >= 3 && !winograd)))
      consider(fft_task(call, s, side, bytes), info(P::winograd_4x4).expected);
  return best;
}

KernelTime recurrent_time(const KernelCall& call, const GpuRates& gpu, const KernelParameters& p) {
  const MatrixShape& s = call.matrix;
  const double bytes = call.element_bytes * (s.m * s.k + s.k * s.n + s.m * s.n);
  // Weights that fit the cache are read from memory once only.
  const double fill = bytes / std::max(gpu.l2.base(), 1.0);
  const double gain = 1 + std::max(0.0, p[P::cache_ratio] - 1) / (1 + fill * fill);
  KernelTime step = product_time({s, bytes / gain, 1, 1}, call, gpu, p, {gemm_tiles, true});
  const double factor = call.steps * (s.n > 16 && s.n <= 32 ? 1 + p[P::narrow_penalty] : 1);
  return {step.total * factor, step.compute * factor, step.memory * factor, step.launch * call.steps};
}

KernelTime attention_time(const KernelCall& call, const GpuRates& gpu, const KernelParameters& p) {
  // Blocks of 128 queries, of 64 where there are fewer; a block with less to do takes as long as a full one.
  constexpr double rows = 128;
  const MatrixShape& s = call.matrix;
  const double queries = s.m > 64 ? rows : 64;
  const bool backward =
      call.kind == KernelClass::flash1_backward || call.kind == KernelClass::flash2_backward;
  const double seen = call.causal ? std::min(s.n, std::max(s.n - s.m / 2, 0.0) + rows / 2) : s.n;
  const double penalties =
      (1 + (call.causal ? p[P::causal_penalty] : 0)) * (1 + (s.k > 64 ? p[P::wide_penalty] : 0));
  const double flop =
      (backward ? 10 : 4) * queries * (seen + p[P::prologue_depth]) * (s.k + p[P::operand_cost]) * penalties;
  const double blocks = s.count * ceiling(s.m / rows);
  const double sms = gpu.sm_count;
  const double compute = ceiling(blocks / sms) * flop * sms / (call.peak.base() * p[P::peak_fraction]);
  // Queries, keys, values and output; backward also their gradients.
  const double moved = call.element_bytes * s.count * 2 * (s.m + s.n) * s.k * (backward ? 2 : 1);
  const double memory = moved / (gpu.memory.base() * p[P::bandwidth_fraction]);
  const double launch = p[P::launch] * 1e-6;
  return {launch + norm4(compute, memory, 0), compute, memory, launch};
}

/// Heads that share keys fill tiles of 16 rows of the matrix units, those of a latent vector tiles of 64.
KernelTime decode_time(const KernelCall& call, const GpuRates& gpu, const KernelParameters& p) {
  const MatrixShape& s = call.matrix;
  const double tile = call.kind == KernelClass::latent_decode_attention ? 64 : 16;
  const double flop = 4 * tile * ceiling(s.m / tile) * s.n * s.k * s.count;
  const double compute = flop / (call.peak.base() * p[P::peak_fraction]);
  const double memory = call.moved_bytes / (gpu.memory.base() * p[P::bandwidth_fraction]);
  const double launch = p[P::launch] * 1e-6;
  return {launch + norm4(compute, memory, 0), compute, memory, launch};
}

/// Bytes of one row of width k between the parts of an expert of width n: gathered in the width of the
/// products; the results up written in 16 bits, read, and written narrow; the result down written in 16 bits,
/// and read by the sum.
double row_bytes(const KernelCall& call) {
  const double up = call.matrices - 1;
  return call.matrix.k * (call.element_bytes + 4) + call.matrix.n * (2 * up + 2 + call.element_bytes);
}

KernelTime experts_time(const KernelCall& call, const GpuRates& gpu, const KernelParameters& p) {
  const MatrixShape& s = call.matrix;
  double rows = std::numeric_limits<double>::infinity();
  for (const double tile : {16.0, 32.0, 64.0, 128.0}) {
    const double cost = (1 + p[P::operand_cost] / tile) / (1 + p[P::operand_cost] / 128);
    rows = std::min(rows, tile * ceiling(s.m / tile) * cost);
  }
  const double weights = call.matrices * s.n * s.k * s.count;
  const double compute = 2 * weights * rows / (call.peak.base() * p[P::peak_fraction]);
  const double memory = weights * call.element_bytes / (gpu.memory.base() * p[P::bandwidth_fraction]) +
                        s.count * s.m * row_bytes(call) / (gpu.memory.base() * p[P::row_bandwidth]);
  const double launch = p[P::launch] * 1e-6;
  return {launch + norm4(compute, memory, 0), compute, memory, launch};
}

/// Numbers a second that the threads of an SM read or write one at a time. An H200 with PyTorch 2.11: the
/// statistics of ResNet-50's maps, channels first, 5.0e11 in fp32 and 5.4e11 in 16 bits on 132 SMs (21.7 and
/// 40.3 ms for 128 and 256 images of 10.6 million values, 8 accesses each), and maximum pooling 5.3e11 (0.88
/// ms for 256 images).
constexpr double words_per_sm = 4e9;

KernelTime stream_time(const KernelCall& call, const GpuRates& gpu, const KernelParameters& p) {
  // A cache that keeps r bytes between producer and consumer spares r of a long stream and all of a short
  // one.
  const double bytes = call.moved_bytes, reuse = p[P::cache_reuse] * gpu.l2.base();
  const double missed = bytes > 0 ? bytes * (bytes / (bytes + reuse)) : 0;
  const double launch = p[P::launch] * 1e-6;
  const double memory = missed / (gpu.memory.base() * p[P::bandwidth_fraction]) +
                        (bytes - missed) / (gpu.memory.base() * p[P::cache_ratio]);
  const double words = call.single_words / (words_per_sm * gpu.sm_count);
  return {launch + std::max(memory, words), words, memory, launch};
}

}  // namespace

double norm8(double a, double b) {
  const double scale = std::max({a, b, std::numeric_limits<double>::min()});
  const auto eighth = [](double x) {
    const double fourth = x * x * (x * x);
    return fourth * fourth;
  };
  return scale * std::sqrt(std::sqrt(std::sqrt(eighth(a / scale) + eighth(b / scale))));
}

bool is_3x3(const ConvolutionShape& s) {
  return s.r == 3 && s.s == 3 && s.stride_h == 1 && s.stride_w == 1 && s.groups == 1;
}

bool is_product_tile(double rows, double columns) {
  return std::ranges::any_of(gemm_tiles, [&](const Tile& t) { return t.m == rows && t.n == columns; });
}

KernelTime kernel_time(const KernelCall& call, const GpuRates& gpu, const KernelParameters& parameters) {
  if (is_convolution(call.kind)) return conv_time(call, gpu, parameters);
  if (is_bandwidth_bound(call.kind)) return stream_time(call, gpu, parameters);
  if (is_attention(call.kind)) return attention_time(call, gpu, parameters);
  if (is_decode_attention(call.kind)) return decode_time(call, gpu, parameters);
  if (call.kind == KernelClass::experts) return experts_time(call, gpu, parameters);
  if (call.kind != KernelClass::gemm) return recurrent_time(call, gpu, parameters);
  const MatrixShape& s = call.matrix;
  const double result = call.result_bytes > 0 ? call.result_bytes : call.element_bytes;
  const double bytes = s.count * (call.element_bytes * (s.m * s.k + s.k * s.n) + result * s.m * s.n);
  return product_time({s, std::max(0.0, bytes - call.cached_bytes), 1, 1}, call, gpu, parameters,
                      {gemm_tiles, true});
}

double roofline_seconds(const KernelCall& call, const GpuRates& gpu) {
  if (is_bandwidth_bound(call.kind)) return call.moved_bytes / gpu.memory.base();
  double flop = 0, elements = 0;
  if (is_decode_attention(call.kind)) {
    const MatrixShape& s = call.matrix;
    flop = 4 * s.m * s.n * s.k * s.count;
    elements = call.moved_bytes / call.element_bytes;
  } else if (call.kind == KernelClass::experts) {
    const MatrixShape& s = call.matrix;
    flop = 2 * call.matrices * s.n * s.k * s.count * s.m;
    elements = call.matrices * s.n * s.k * s.count + 2 * s.count * s.m * s.k;
  } else if (is_convolution(call.kind)) {
    const ConvolutionShape& s = call.conv;
    flop = 2 * s.n * s.oh * s.ow * s.k * s.c / s.groups * s.r * s.s;
    elements = s.n * s.c * s.h * s.w + s.k * s.c / s.groups * s.r * s.s + s.n * s.k * s.oh * s.ow;
  } else if (is_attention(call.kind)) {
    const MatrixShape& s = call.matrix;
    const bool backward =
        call.kind == KernelClass::flash1_backward || call.kind == KernelClass::flash2_backward;
    flop = (backward ? 10 : 4) * s.m * (call.causal ? s.n - s.m / 2 : s.n) * s.k * s.count;
    elements = 2 * (s.m + s.n) * s.k * s.count * (backward ? 2 : 1);
  } else {
    const MatrixShape& s = call.matrix;
    flop = 2 * s.m * s.n * s.k * s.count * call.steps;
    elements = (s.m * s.k + s.k * s.n + s.m * s.n) * s.count * call.steps;
  }
  return std::max(flop / call.peak.base(), elements * call.element_bytes / gpu.memory.base());
}

}  // namespace rackcast
